#!/bin/sh
# 'lift rules measure': what the rules of a file do to the best kernels of programs.
. "$(dirname "$0")/cli.sh"

few="--tries 3 --jobs 1 --quiet"
small="--size nx=48,ny=32"
my=tests/rules/tutorial.rules
measure() {
    name=$1 want=$2 text=$3
    shift 3
    expect "$name" "$want" "$text" "$lift" rules measure "$@"
}

measure "help" 0 "Usage: lift rules measure" --help
measure "no program" 2 "on which programs" "$my"
measure "no rules" 2 "which rules" 
measure "rules that are not there" 2 "none.rules" "$work/none.rules" programs/srad1.lift
measure "no number" 2 "'no'" "$my" programs/srad1.lift --repeat no
printf 'rule wrong exact\n  x + 1.0 ~> x\n' >"$work/wrong.rules"
measure "a rule that the check refutes" 1 "rule 'wrong' is refuted" "$work/wrong.rules" programs/srad1.lift

# shellcheck disable=SC2086
measure "a size that a program has not" 2 "no size 'nz'" "$my" programs/srad1.lift $few --size nz=3
# shellcheck disable=SC2086
measure "a program with the rule and one without, one that is malformed" 2 "unknown name 'b'" "$my" \
    tests/errors/01-unknown-name.lift programs/srad1.lift programs/jacobi2d5.lift $few $small \
    --csv "$work/table.csv" -o "$work/kept"
verdict "a row for each" "$([ "$(grep -c '^srad1 \|^jacobi2d5 ' "$work/out")" -eq 2 ] || cat "$work/out")"
verdict "with two speeds and the tries that they took" "$(awk '/^(srad1|jacobi2d5) / &&
    !($2 == 1 && $3 > 0 && $4 == 3 && $5 > 0 && $6 == 3)' "$work/out")"
sqlite3 "$work/none.db" ".mode csv" ".import $work/table.csv t" "SELECT count(*), sum(ratio > 0),
    sum(low <= ratio AND (ratio <= high OR high = 0)), sum(without_gpts > 0 AND with_gpts > 0), sum(failure <> '')
    FROM t" >"$work/sums"
verdict "the ratio of each lies in its interval" "$([ "$(tr -d '\r' <"$work/sums")" = 2,2,2,2,0 ] ||
    cat "$work/sums" "$work/table.csv")"
verdict "only what has divisions has the rule" "$(grep jacobi2d5 "$work/out" | grep oneDivision)"
verdict "the databases stay" "$(for side in without with both; do
    "$lift" db doctor --db "$work/kept/srad1.1.$side.db" >"$work/health" 2>&1 || cat "$work/health"
done)"
verdict "the side without has no such rule" "$([ "$(query "$work/kept/srad1.1.without.db" \
    "SELECT count(*) FROM deriv WHERE rule = 'oneDivision'")" = 0 ] || echo it has)"
verdict "the other has" "$([ "$(query "$work/kept/srad1.1.with.db" \
    "SELECT count(*) > 0 FROM deriv WHERE rule = 'oneDivision'")" = 1 ] || echo it has not)"
# shellcheck disable=SC2086
measure "not into these again" 2 "srad1.1.without.db' is there already" "$my" programs/srad1.lift $few \
    $small -o "$work/kept"
mkdir "$work/tmp"
# shellcheck disable=SC2086
TMPDIR=$work/tmp measure "twice, with other seeds" 0 "srad1" "$my" programs/srad1.lift $few $small --repeat 2
verdict "are two rows" "$([ "$(awk '/^srad1 / { print $2 }' "$work/out" | tr '\n' ' ')" = '1 2 ' ] || cat "$work/out")"
verdict "nothing stays" "$(ls -A "$work/tmp")"
finish
