#!/usr/bin/env python3
"""Writes oracle logs: make.py --seed N --env FOLDER --out FOLDER [--only WRITER]. See README.md."""
import argparse
import json
import os
import pathlib
import subprocess
import sys

import documented
import plan

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = ["structlog", "loguru", "python-json-logger", "coloredlogs", "logbook", "time-machine"]
NODE = ["winston", "pino", "pino-pretty", "bunyan", "log4js", "morgan", "tslog", "consola"]


def python(env):
    folder = env / "py"
    if not folder.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin/pip", "-q", "install", *PYTHON], check=True)
    return [folder / "bin/python", HERE / "python/write.py"]


def node(env):
    folder = env / "node"
    if not (folder / "node_modules").exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent", *NODE], cwd=folder, check=True)
    os.environ["NODE_PATH"] = str(folder / "node_modules")
    return ["node", HERE / "node/write.js"]


def rust(env):
    target = env / "rust"
    command = ["cargo", "build", "--quiet", "--manifest-path", HERE / "rust/Cargo.toml", "--target-dir", target]
    subprocess.run(command, check=True)
    return [target / "debug/write"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--env", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--only", action="append", choices=list(plan.CHOICES))
    args = parser.parse_args()
    out = args.out / str(args.seed)
    out.mkdir(parents=True, exist_ok=True)
    os.environ["TZ"] = "UTC"
    for writer, runs in plan.plan(args.seed).items():
        if args.only and writer not in args.only:
            continue
        if writer == "documented":
            for run in runs:
                documented.write(run, out)
            continue
        file = out / f"{writer}.json"
        file.write_text(json.dumps(runs))
        command = {"python": python, "node": node, "rust": rust}[writer](args.env)
        # one process per run, as libraries keep global state
        for number in range(len(runs)):
            done = subprocess.run([*command, file, str(number), out], stderr=subprocess.PIPE)
            if done.returncode:
                print(f"{writer} {runs[number]['folder']} {runs[number]['setting']}: {done.stderr.decode()[-600:]}", file=sys.stderr)


if __name__ == "__main__":
    main()
