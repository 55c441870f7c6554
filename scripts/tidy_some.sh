#!/bin/sh
# Runs clang-tidy over as many files of src/ as SECONDS allow, since all take half an hour:
#   sh scripts/tidy_some.sh BUILD SECONDS [DAY]
# Half of the time is for the files that differ from $CI_BASE (the last release, if there is one, or else the
# twelve commits before), the rest for the others. Each list begins 40 files later than on the day before
# (DAY: days since 1970). So a daily run whose half has time for 40 files reaches 640 files in 16 days.
# The last line says how many files were read. Exit status 1 if there is a finding; the lack of time is none.
set -eu
cd "$(dirname "$0")/.."
build=$1 seconds=$2 day=${3:-$(($(date +%s) / 86400))}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cores=$(getconf _NPROCESSORS_ONLN)
base=${CI_BASE:-$(git describe --tags --abbrev=0 2>/dev/null || git rev-list -n 1 --skip 12 HEAD)}
began=$(date +%s)

in_turn() { # files on standard input
    awk -v day="$day" '{ file[NR - 1] = $0 } END { for (i = 0; i < NR; i++) print file[(i + day * 40) % NR] }'
}
git diff --name-only --diff-filter=d "$base" -- 'src/*.c' | sort >"$work/all_changed"
in_turn <"$work/all_changed" >"$work/changed"
git ls-files 'src/*.c' | sort | comm -23 - "$work/all_changed" | in_turn >"$work/others"

status=0
read_until() { # list, seconds since the beginning: one file for each core at least
    read=0
    while [ "$read" -lt "$(wc -l <"$1")" ]; do
        tail -n +$((read + 1)) "$1" | head -n "$cores" >"$work/files"
        # names of the project's files have no spaces
        # shellcheck disable=SC2046
        sh scripts/tidy.sh "$build" $(cat "$work/files") || status=1
        read=$((read + $(wc -l <"$work/files")))
        [ $(($(date +%s) - began)) -lt "$2" ] || break
    done
}
read_until "$work/changed" $((seconds / 2))
changed=$read
read_until "$work/others" "$seconds"
echo "clang-tidy read $changed of $(wc -l <"$work/changed") changed files and $read of $(wc -l <"$work/others") others"
exit $status
