#!/bin/sh
# All kernel families; then random programs with new seeds and every fuzzer, for hours:
#   sh tests/long.sh [HOURS [FOLDER]]
# HOURS defaults to one. Half of the time goes to programs, alternately with plain names and with
# words of C, OpenCL and other languages, half to the fuzzers (with clang only). FOLDER
# (build-long/found) receives failed programs and failing inputs of fuzzers. The last line is the
# sum; exit status 1 if anything failed.
set -u
cd "$(dirname "$0")/.." || exit 1
hours=${1:-1}
mkdir -p "${2:-build-long/found}" && found=$(cd "${2:-build-long/found}" && pwd) || exit 1
seconds=$(awk -v h="$hours" 'BEGIN { printf "%d", h * 3600 }')
programs=build-long/tests/random/random_programs
failed=0

build() { # folder, what ninja makes, options of meson
    folder=$1 what=$2
    shift 2
    [ -f "$folder/build.ninja" ] || meson setup "$folder" "$@" >/dev/null || return
    # shellcheck disable=SC2086
    ninja -C "$folder" $what >"$folder/long.log" 2>&1 || {
        tail -n 20 "$folder/long.log"
        return 1
    }
}
build build-long all || exit 1

# ---- families, without a time limit
for device in host opencl; do
    sh tests/cli/families.sh "$PWD" "$PWD/build-long/src/cli/lift" $device --optimised >"$found/families-$device" || {
        grep -A 9 '^not ok' "$found/families-$device"
        failed=$((failed + 1))
    }
    echo "families, $device: $(grep -c '^ok' "$found/families-$device") right," \
        "$(grep -c '^not ok' "$found/families-$device") not"
done

fuzzers=
if command -v clang >/dev/null 2>&1; then
    CC=clang build build-fuzz all -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false ||
        exit 1
    fuzzers=$(find build-fuzz/tests/fuzz -maxdepth 1 -type f -perm -u+x -name 'fuzz_*' | sort)
fi
part=$seconds
[ -z "$fuzzers" ] || part=$((seconds / 2))

# ---- programs: an unused seed for a while, then the next one
end=$(($(date +%s) + part))
round=0
while [ "$(date +%s)" -lt $end ]; do
    left=$((end - $(date +%s)))
    [ $left -lt 600 ] || left=600
    names=
    [ $((round % 2)) -eq 0 ] || names="--names tests/random/names.txt"
    # options are words
    # shellcheck disable=SC2086
    $programs --seed "$(date +%s)$round" --count 100000 --seconds $left --every 8 --candidates 3 \
        --device host --device opencl:0 --target cuda:sm_90 --target hip:gfx90a \
        --found "$found" $names || failed=$((failed + 1))
    round=$((round + 1))
done

# ---- fuzzers, each its share
count=0
# names are words
# shellcheck disable=SC2086
[ -z "$fuzzers" ] || count=$(echo $fuzzers | wc -w)
[ "$count" -eq 0 ] || sh tests/fuzz/run.sh build-fuzz $((part / count)) "$found" ||
    failed=$((failed + 1))
echo "$round rounds of programs, $count fuzzers: $failed failed"
[ $failed -eq 0 ]
