#!/bin/sh
# Faults outside the slab: kernels that are correct on the slab of the grid and wrong in other
# planes. Only the check on the whole grid catches them.
. "$(dirname "$0")/../cli/cli.sh"

cd "$1" || exit 1
LIFT_SLAB_BYTES=30000
export LIFT_SLAB_BYTES
rules=tests/faults/far.rules
explore() { # database, more
    to=$1
    shift
    run "$lift_explore" tests/faults/far.lift --rules $rules --force-rules --device host --jobs 2 \
        --seed 3 --db "$work/$to" --quiet "$@"
}
# Two kernels of a fault: the first kernel of a session runs on the whole grid immediately.
points() { # fault
    echo "--decide omp_rows,fault=$1 --decide omp_rows,halo=allocated,pitch=aligned,fault=$1"
}

if ! command -v sqlite3 >/dev/null 2>&1; then
    skip "faults beyond a slab" "sqlite3 is not installed"
    finish
    exit
fi
faults=$(sed -n 's/^option \([a-zA-Z]*\) .*/\1/p' $rules)
for fault in $faults; do
    [ "$fault" != farNarrow ] || continue
    # options are words
    # shellcheck disable=SC2046
    explore far.db --trials 2 --no-final-benchmark $(points "$fault")
    verdict "$fault is right on the slab and caught beyond it, and never called right" "$(query \
        "$work/far.db" "SELECT group_concat(t.status || ': ' || t.reason) FROM trial t
        JOIN candidate c ON c.id = t.candidate
        WHERE EXISTS (SELECT 1 FROM derivation d WHERE d.expr = c.expr AND d.rule = '$fault')
        HAVING sum((SELECT sum(kind = 'slab' AND bad = 0) = 1 AND
                sum(kind = 'full' AND bad > 0) = 1 FROM check_result WHERE trial = t.id)) = 0
            OR sum(t.status NOT IN ('wrong', 'nonfinite', 'slab')) > 0 OR count(*) = 0")"
done
# shellcheck disable=SC2046
explore both.db --trials 2 $(points farNarrow)
verdict "a kernel that is wrong only on second inputs and only beyond the slab fails the final benchmark" "$(query \
    "$work/both.db" "SELECT t.phase, t.status FROM trial t JOIN candidate c ON c.id = t.candidate
    WHERE EXISTS (SELECT 1 FROM derivation d WHERE d.expr = c.expr AND d.rule = 'farNarrow') AND
        ((t.phase = 'final_benchmark' AND t.status <> 'nondeterministic') OR
            t.id IN (SELECT trial FROM best_kernel))")"
finish
