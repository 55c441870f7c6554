#!/bin/sh
# Runs clang-tidy over src/, with the flags of a build folder (build/ unless another is given).
# Prints what it finds; exit status 1 if there is anything.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
find src -name '*.c' | sort |
    xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 1 clang-tidy --quiet -p "$build" 2>/dev/null |
    awk '/(error|warning): / { found = 1 } { print } END { exit found }'
