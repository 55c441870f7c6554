#!/bin/sh
# Runs clang-tidy over src/, or over the files given, with the flags of a build folder:
#   sh scripts/tidy.sh [BUILD [FILE...]]
# Prints what it finds; exit status 1 if there is anything.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
[ $# -lt 2 ] || shift
# A crash of the tool is a finding.
# shellcheck disable=SC2016
if [ $# -gt 0 ] && [ -f "$1" ]; then printf '%s\n' "$@"; else find src -name '*.c' | sort; fi |
    xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 1 sh -c 'clang-tidy --quiet -p "$0" "$1" 2>/dev/null ||
        echo "$1: error: clang-tidy ended with status $?"' "$build" |
    awk '/(error|warning): / { found = 1 } { print } END { exit found }'
