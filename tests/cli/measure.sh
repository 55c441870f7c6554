#!/bin/sh
# tools/measure_rules.py: the effect of a file's rules on the best kernels of programs.
. "$(dirname "$0")/cli.sh"

few="--trials 3 --jobs 1 --quiet"
small="--size nx=48,ny=32"
my=tests/rules/tutorial.rules
measure() {
    name=$1 want=$2 text=$3
    shift 3
    expect "$name" "$want" "$text" python3 tools/measure_rules.py --lift "$lift" "$@"
}

measure "help" 0 "usage: measure_rules.py" --help
measure "no program" 2 "required: PROGRAM.lift" "$my"
measure "no rules" 2 "required: FILE"
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
verdict "with two speeds and the trials that they took" "$(awk '/^(srad1|jacobi2d5) / &&
    !($2 == 1 && $3 > 0 && $4 == 3 && $5 > 0 && $6 == 3)' "$work/out")"
sqlite3 "$work/none.db" ".mode csv" ".import $work/table.csv t" "SELECT count(*), sum(ratio > 0),
    sum(low <= ratio AND (ratio <= high OR high = 0)), sum(without_gpts > 0 AND with_gpts > 0), sum(failure <> '')
    FROM t" >"$work/sums"
verdict "the ratio of each lies in its interval" "$([ "$(tr -d '\r' <"$work/sums")" = 2,2,2,2,0 ] ||
    cat "$work/sums" "$work/table.csv")"
verdict "only programs with divisions have the rule" "$(grep jacobi2d5 "$work/out" | grep oneDivision)"
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

# Options that are tried in all families before their neighbours.
printf 'size nx = 4096\nstencil half(a: [f32]nx) -> out = map(fun(x => x * 0.5f), a)\n' >"$work/half.lift"
one="--trials 1 --jobs 1 --quiet"
awk 'BEGIN {
    print "decision bound default not after division"
    for (i = 1; i <= 20; i++)
        printf "rule bound%d_ exact\n  map(fun(x => f(x) * 0.5), a) ~> map(fun(x => min(f(x), f(x) + %d.0) * 0.5), a)\n" \
            "option by%d of bound exact like bound%d_ = topdown(bound%d_)\n\n", i, i, i, i, i
}' >"$work/many.rules"
# shellcheck disable=SC2086
measure "two kernels that are no families" 0 "half" "$work/many.rules" "$work/half.lift" $one
verdict "compete" "$(grep -q '^half .* [0-9.]* to [0-9.]* .*bound' "$work/out" && [ ! -s "$work/err" ] ||
    cat "$work/out" "$work/err")"

# A decision whose default has an effect: the kernel without the rules is outside of the space with
# them.
cat >"$work/changed.rules" <<'END_OF_RULES'
rule bounded exact
  map(fun(x => f(x) * 0.5), a) ~> map(fun(x => min(f(x), f(x) + 1.0) * 0.5), a)

decision changed default always after form

option always of changed exact like bounded
  = topdown(bounded)
END_OF_RULES
# shellcheck disable=SC2086
measure "one that is no point with the rules" 0 "'half', not timed side by side" \
    "$work/changed.rules" "$work/half.lift" $one --csv "$work/apart.csv"
verdict "has a separate time" "$(grep -q '^half .*not side by side .*bounded' "$work/out" || cat "$work/out")"
sqlite3 "$work/apart.db" ".mode csv" ".import $work/apart.csv t" \
    "SELECT ratio > 0 AND low = 0 AND high = 0 AND failure = '' FROM t" >"$work/sums"
verdict "a ratio without an interval" "$([ "$(tr -d '\r' <"$work/sums")" = 1 ] || cat "$work/apart.csv")"

printf 'rule alone exact\n  a + b ~> b + a\n' >"$work/alone.rules"
# shellcheck disable=SC2086
measure "a rule that no option applies" 0 "rule 'alone' is in no option of a decision" "$work/alone.rules" \
    "$work/half.lift" $one
verdict "is reported once" "$([ "$(grep -c "'alone'" "$work/err")" -eq 1 ] || cat "$work/err")"
finish
