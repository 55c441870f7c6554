#!/bin/sh
# The best kernels of a database as CSV, imported by a user, and the shipped ones.
#   sh tests/cli/shipped.sh ROOT LIFT
. "$(dirname "$0")/cli.sh"

cd "$1" || exit 1
small="$work/small.lift"
few="--jobs 1 --no-final-benchmark --max-exprs 6 --quiet"

db() { # prints TAP: name, status, text, arguments of 'lift db'
    name=$1 want=$2 text=$3
    shift 3
    expect "$name" "$want" "$text" "$lift" db "$@"
}

# ---- a selection
# options are words
# shellcheck disable=SC2086
run "$lift_explore" "$small" $few --trials 4 --db "$work/all.db"
verdict "an exploration" "$([ "$status" -eq 0 ] || cat "$work/err")"
db "the best two" 0 "" export --csv "$work/best" --best 2 --db "$work/all.db"
db "are two trials" 0 ": 2 new trials" import "$work/best" --db "$work/mine.db"
for name in all mine; do
    # the selection has no events, so none of a busy machine
    "$lift" best --db "$work/$name.db" | sed 's/timed on a busy machine; //' >"$work/$name.best"
done
verdict "the best is the same" "$(diff "$work/all.best" "$work/mine.best")"
db "the file is well" 0 "every reference is valid" doctor --db "$work/mine.db"
verdict "sources are left out" "$(cut -d, -f2 "$work/best/source.csv" | sed 1d | grep .)"
verdict "so are machines" "$(grep -F "\"$(uname -n)\"" "$work/best/session.csv")"
db "one of nothing" 2 "--best" export --csv "$work/none" --best 0 --db "$work/all.db"
db "a selection is CSV" 2 "--best needs --csv" export --view best --best 1 --db "$work/all.db"

# ---- the imported kernels
db "all kernels can be rebuilt" 0 "2 compiled, of which 0 have a changed source" \
    rebuild --best 9 --db "$work/mine.db"
db "and is right" 0 "2 verified; 0 wrong; 0 skipped" \
    rebuild --best 9 --verify --db "$work/mine.db"
# Memory that the processes would keep belongs to the program until its end.
sanitized=${ASAN_OPTIONS:-}
LIFT_IN_PROCESS=1 ASAN_OPTIONS=$sanitized:detect_leaks=0
export LIFT_IN_PROCESS ASAN_OPTIONS
db "without processes, too" 0 "2 verified; 0 wrong; 0 skipped" \
    rebuild --best 9 --verify --db "$work/mine.db"
unset LIFT_IN_PROCESS
ASAN_OPTIONS=$sanitized
db "the best only, of one program" 0 "1 compiled" rebuild small --db "$work/mine.db"
db "nothing of another program" 1 "no verified kernel of 'heat' in the database" \
    rebuild heat --db "$work/mine.db"
# shellcheck disable=SC2086
expect "an exploration begins with the imported kernel" 0 "1  seeds timed first" "$lift_explore" \
    "$small" $few --trials 3 --size nx=48 --db "$work/mine.db"

# The same from a program with other rules: other expressions by other names.
db "expressions" 0 "" import "$work/best" --db "$work/named.db"
for id in $(sed 1d "$work/best/candidate.csv" | cut -d'"' -f4); do
    to=${id#?}${id%"${id#?}"}
    query "$work/named.db" "PRAGMA foreign_keys = 0; UPDATE expr SET id = '$to' WHERE id = '$id';
        UPDATE candidate SET expr = '$to' WHERE expr = '$id';
        UPDATE configuration SET expr = '$to' WHERE expr = '$id';
        UPDATE deriv SET child = '$to' WHERE child = '$id';
        UPDATE deriv SET parent = '$to' WHERE parent = '$id';
        UPDATE macro_use SET child = '$to' WHERE child = '$id';
        UPDATE macro_use SET parent = '$to' WHERE parent = '$id'"
done
verdict "of other names" "$(query "$work/named.db" "PRAGMA foreign_key_check")"
cp "$work/named.db" "$work/old.db"
# shellcheck disable=SC2086
expect "are known by their derivations" 0 "1  seeds" "$lift_explore" "$small" $few \
    --trials 3 --db "$work/named.db"
query "$work/old.db" "UPDATE OR IGNORE deriv SET rule = 'ofOld'; UPDATE OR IGNORE macro_use SET
    macro = 'ofOld'; UPDATE configuration SET options = 'old=one'"
db "removed rules are reported" 1 "step 1 of its derivation, 'ofOld' at" rebuild --best 9 --db "$work/old.db"
# shellcheck disable=SC2086
expect "by an exploration, too" 0 "2  more seeds are of expressions that this session did not derive" \
    "$lift_explore" "$small" $few --trials 3 --size nx=48 --db "$work/old.db"
db "removed tunables" 0 "" import "$work/best" --db "$work/other.db"
query "$work/other.db" "UPDATE candidate SET tunables = replace(tunables, 'compiler', 'translator')"
db "are reported" 0 "changed to fit: compiler" rebuild --best 9 --db "$work/other.db"

# ---- shipped kernels
db "shipped kernels are imported" 0 " new trials" import programs/tuned --db "$work/shipped.db"
db "and well" 0 "every reference is valid" doctor --db "$work/shipped.db"
expect "and printed without the device" 0 "__launch_bounds__(32 * 16 * 1, 2)" "$lift" best acoustic_iso \
    --precision single --size nx=1000,ny=1000,nz=1000 --emit source --db "$work/shipped.db"
expect "and as a whole program" 0 "" "$lift" best acoustic_iso --precision single \
    --size nx=1000,ny=1000,nz=1000 --emit host -o "$work/iso.cu" --db "$work/shipped.db"
verdict "for NVIDIA's compiler" "$(grep -q 'nvcc -O3 .* -arch=sm_90 ' "$work/iso.cu" || echo none)"
run "$lift" db rebuild --best 1000 --db "$work/shipped.db"
if grep -q ' skipped  .*NVRTC' "$work/out"; then
    skip "kernels that ship" "$(sed -n 's/.*: \(.*NVRTC.*\)/\1/p' "$work/out" | head -n 1)"
elif [ "$status" -eq 0 ] && grep -q '^[1-9].* and 0 spill registers' "$work/out" &&
    ! grep ' skipped  ' "$work/out" | grep -qv "and 'host' cannot build for a device that is absent$"; then
    ok "what ships is made again: $(tail -n 1 "$work/out")"
else
    not_ok "what ships is made again, and spills no registers" \
        "$(grep -v ' nothing spilled' "$work/out"; cat "$work/err")"
fi

# Kernels that read by tensor copies, too.
verdict "each kernel that ships reads and writes" "$("$lift" best acoustic_iso --json --db "$work/shipped.db" |
    grep -cE '"bytes_(read|written)": 0[,}]' | grep -v '^0$')"

# Each has the same figures on the page of results: GPts/s and % of copy bandwidth of this command.
"$lift" best --json --db "$work/shipped.db" | awk -F'[:,] *' '
    $1 ~ /"program"/ { gsub(/[" ]/, "", $2); program = $2 }
    $1 ~ /"gpts"/ { speed = sprintf("%." ($2 < 1000) + ($2 < 100) + ($2 < 10) + ($2 < 1) "f", $2) }
    $1 ~ /"copy_share"/ { printf "^\\| %s .*[|] %s[ |].*[|] %.1f [|]\n", program, speed, 100 * $2 }' >"$work/figures"
verdict "each has a row on the page of results" "$([ "$(wc -l <"$work/figures")" -gt 40 ] || cat "$work/figures"
    while read -r row; do
        grep -qE "$row" docs/results.md || echo "no row '$row'"
    done <"$work/figures")"

# ---- explorations begin with it
little="--jobs 1 --no-final-benchmark --no-naive --quiet --trials 6"
# shellcheck disable=SC2086
expect "the kernels next to a program are tried first" 0 " 2  seeds" "$lift_explore" \
    programs/jacobi3d7.lift --size nx=40,ny=36,nz=33 $little --db "$work/next.db"
# shellcheck disable=SC2086
expect "or not" 0 "trials" "$lift_explore" programs/jacobi3d7.lift --size nx=40,ny=36,nz=33 $little \
    --no-seeds --db "$work/bare.db"
verdict "or not: none are" "$(grep seeds "$work/out")"
# shellcheck disable=SC2086
expect "those of a folder, too" 0 "1  seeds" "$lift_explore" "$small" $few --trials 3 --size nx=50 \
    --tuned "$work/best" --db "$work/folder.db"
# shellcheck disable=SC2086
expect "of this very size as well" 0 "1  seeds" "$lift_explore" "$small" $few --trials 3 \
    --tuned "$work/best" --db "$work/same.db"
db "the database's content then" 0 "" export --csv "$work/same" --db "$work/same.db"
verdict "is of this session alone" "$([ "$(sed 1d "$work/same/session.csv" | wc -l)" -eq 1 ] ||
    cat "$work/same/session.csv")"
# shellcheck disable=SC2086
expect "a missing folder" 1 "kernels to begin with, '$work/no': " "$lift_explore" "$small" $few \
    --trials 3 --tuned "$work/no" --db "$work/none.db"
finish
