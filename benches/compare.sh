#!/bin/sh
# Runs commands in turn, so that other load on the machine affects all of them alike, and prints the median wall
# time of each and its ratio to that of the first.
#
# usage: compare.sh [-n RUNS] COMMAND COMMAND...
#   each COMMAND is one argument, run by sh; its output is thrown away
#   -n RUNS  how often each is run after one run to warm up (5)
set -eu

runs=5
if [ "${1:-}" = -n ]; then
    runs=$2
    shift 2
fi
if [ $# -lt 2 ]; then
    sed -n 's/^# \{0,1\}//; 5,7p' "$0" >&2
    exit 2
fi
times=$(mktemp)
trap 'rm -f "$times"' EXIT

run=0
while [ "$run" -le "$runs" ]; do
    number=0
    for command in "$@"; do
        number=$((number + 1))
        began=$(date +%s%N)
        # kwhy and grep exit with 0 or 1 depending on what they find; anything above 1 is an error
        status=0
        sh -c "$command" >/dev/null 2>&1 || status=$?
        ended=$(date +%s%N)
        if [ "$status" -gt 1 ]; then
            echo "exit status $status: $command" >&2
            exit 1
        fi
        # the first run is a warm-up and is not measured
        [ "$run" -eq 0 ] || echo "$number $((ended - began))" >>"$times"
    done
    run=$((run + 1))
done

number=0
first=
printf '%10s %10s  %s\n' 'median s' 'first/this' command
for command in "$@"; do
    number=$((number + 1))
    median=$(awk -v n="$number" '$1 == n { print $2 }' "$times" | sort -n |
        awk '{ t[NR] = $1 } END { printf "%.0f", NR % 2 ? t[(NR + 1) / 2] : (t[NR / 2] + t[NR / 2 + 1]) / 2 }')
    first=${first:-$median}
    awk -v m="$median" -v f="$first" -v c="$command" \
        'BEGIN { printf "%10.3f %10.2f  %s\n", m / 1e9, f / m, c }'
done
