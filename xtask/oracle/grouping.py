#!/usr/bin/env python3
"""Grouping accuracy of templates: grouping.py FOLDER -- kwhy patterns --lines -

FOLDER contains NAME_2k.log and NAME_2k.log_structured.csv of logpai/loghub, which must be fetched and are not part of the
project. A line counts as right if its template groups exactly the same lines as the true one. Each data set is grouped by
messages alone and by raw lines, and for comparison by Drain3 with its default settings, if that is installed.
"""
import csv
import json
import pathlib
import subprocess
import sys
from collections import defaultdict


def accuracy(found, truth):
    groups = defaultdict(set)
    for line, template in enumerate(truth):
        groups[template].add(line)
    ours = defaultdict(set)
    for line, template in enumerate(found):
        ours[template].add(line)
    right = sum(len(lines) for template, lines in ours.items() if lines == groups[truth[next(iter(lines))]])
    return right / len(truth)


def kwhy(command, lines):
    done = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, errors="replace")
    # a line without a template forms a group of its own
    found = [f"none {number}" for number in range(len(lines))]
    for record in map(json.loads, done.stdout.splitlines()):
        found[record["line"] - 1] = record["template"]
    return found


def drain(lines):
    from drain3 import TemplateMiner
    miner = TemplateMiner()
    return [miner.add_log_message(line)["cluster_id"] for line in lines]


def main():
    at = sys.argv.index("--")
    folder, command = pathlib.Path(sys.argv[1]), sys.argv[at + 1:]
    sums = [0.0] * 4
    files = sorted(folder.glob("*_2k.log"))
    print(f"{'set':<14}{'messages':>9}{'raw':>9}{'Drain3':>9}{'raw':>9}")
    for file in files:
        with open(f"{file}_structured.csv", encoding="utf-8", errors="replace", newline="") as handle:
            rows = list(csv.DictReader(handle))
        raw = file.read_text(encoding="utf-8", errors="replace").split("\n")[: len(rows)]
        messages, truth = [row["Content"].replace("\n", " ") for row in rows], [row["EventId"] for row in rows]
        some = [accuracy(kwhy(command, messages), truth), accuracy(kwhy(command, raw), truth)]
        try:
            some += [accuracy(drain(messages), truth), accuracy(drain(raw), truth)]
        except ImportError:
            some += [float("nan")] * 2
        sums = [total + value for total, value in zip(sums, some)]
        print(f"{file.name[:-7]:<14}" + "".join(f"{value:>9.3f}" for value in some), flush=True)
    print(f"{'mean':<14}" + "".join(f"{value / len(files):>9.3f}" for value in sums))


if __name__ == "__main__":
    main()
