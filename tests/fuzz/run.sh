#!/bin/sh
# Runs every fuzzer of a build with -Dfuzz=true for some seconds each:
#   sh tests/fuzz/run.sh BUILD SECONDS [FOLDER]
# First run the inputs that once failed (tests/fuzz/corpus). New inputs accumulate in
# BUILD/corpus-NAME, failing inputs in FOLDER (BUILD/found). The last line is the sum; exit status 1
# if any input failed.
set -u
build=$1 seconds=$2 found=${3:-$1/found}
root=$(dirname "$0")/../..
mkdir -p "$found"
seeds_of() { # fuzzer
    case $1 in
    fuzz_program) echo "$root/programs" "$root/tests/errors" ;;
    esac
    [ ! -d "$root/tests/fuzz/corpus/$1" ] || echo "$root/tests/fuzz/corpus/$1"
}
words_of() { # fuzzer
    [ "$1" != fuzz_program ] || echo "-dict=$root/tests/fuzz/lift.dict"
}
count=0
failed=0
limit=$(awk -v f="${LIFT_TEST_SLOWNESS:-1}" 'BEGIN { print int(60 * f) }') # seconds an input
for fuzzer in "$build"/tests/fuzz/fuzz_*; do
    [ -x "$fuzzer" ] && [ -f "$fuzzer" ] || continue
    name=$(basename "$fuzzer")
    count=$((count + 1))
    mkdir -p "$build/corpus-$name"
    # names are words
    # shellcheck disable=SC2046
    "$fuzzer" -max_total_time="$seconds" $(words_of "$name") -timeout="$limit" -rss_limit_mb=3000 \
        -close_fd_mask=1 -print_final_stats=1 -artifact_prefix="$found/$name-" \
        "$build/corpus-$name" $(seeds_of "$name") 2>"$found/$name.log" || {
        tail -n 30 "$found/$name.log"
        failed=$((failed + 1))
    }
    echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$found/$name.log") inputs," \
        "see $found/$name.log"
done
echo "$count fuzzers, $failed failed"
[ "$count" -gt 0 ] && [ "$failed" -eq 0 ]
