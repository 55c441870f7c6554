#!/bin/sh
# Kernels with planted faults, on the device given: each faulty kernel yields one row with its
# cause, and the exploration continues with the kernels that it would find without faults.
. "$(dirname "$0")/../cli/cli.sh"

device=$3
rules=tests/faults/$device.rules
endless=tests/faults/${device}_endless.rules
faults=$(sed -n 's/^option \([a-z]*\) .*/\1/p' "$rules")
# The faults are planted in buffers without a halo. OpenCL faults that store into an input need a
# separate boundary kernel, which has read its corner by then.
case $device in
host)
    sound="omp_rows omp_blocked" into=omp_rows input=omp_rows
    ;;
*)
    sound="gmem tiled" into=gmem input=gmem,boundary=copied
    ;;
esac

# Kernels that never end keep one core busy until they are ended, and not all.
export POCL_MAX_PTHREAD_COUNT=1

explore() { # trials, database, more
    trials=$1 db=$2
    shift 2
    run "$lift_explore" tests/faults/planted.lift --device "$device" --jobs 2 --trials "$trials" \
        --no-final-benchmark --db "$work/$db" --quiet "$@"
}

# A configuration for each.
points() { # families
    for family in "$@"; do echo "--decide $family"; done
}
with_faults() { # faults
    for fault in "$@"; do
        case $fault in input) echo "--decide $input,fault=input" ;; *) echo "--decide $into,fault=$fault" ;; esac
    done
}

# rule, statuses that are right, words of the reason
cause() {
    verdict "$1: $2" "$(query "$work/planted.db" "SELECT coalesce(group_concat(DISTINCT t.status ||
        ': ' || t.reason), 'no trial') FROM trial t JOIN candidate c ON c.id = t.candidate
        WHERE EXISTS (SELECT 1 FROM derivation d WHERE d.expr = c.expr AND d.rule = '$1')
        HAVING count(*) = 0 OR sum(t.status NOT IN ($2) OR t.reason NOT LIKE '%$3%')")"
}

run "$lift" devices
if ! command -v sqlite3 >/dev/null 2>&1; then
    skip "planted faults" "sqlite3 is not installed"
    finish
elif ! grep -q "$device" "$work/out"; then
    skip "planted faults" "no device '$device' here"
    finish
fi
# options are words
# shellcheck disable=SC2046,SC2086
explore 4 plain.db $(points $sound)
verdict "without faults" "$([ "$status" -eq 0 ] || cat "$work/err")"
# A user's own rules are tried first, for three quarters of the trials.
planted=$(echo "$faults" | wc -l)
# shellcheck disable=SC2046,SC2086
explore $(((planted + 2) / 3 * 4 + 2)) planted.db --rules "$rules" --force-rules $(points $sound) \
    $(with_faults $faults)
verdict "with them it ends as well" "$([ "$status" -eq 0 ] || cat "$work/err")"
# The search may have spent its last trials on one of the kernels without faults: each has one.
for family in $sound; do
    explore 1 planted.db --rules "$rules" --force-rules --decide "$family"
done
# Endless kernels are killed soon, but not during compilation or loading on a slow machine: a
# builder has two and a half times the seconds of a compiler, a first launch those of both.
LIFT_CC_SECONDS=$(query "$work/plain.db" "SELECT $(patient 1.5) + 2 * max(compile_s) FROM trial")
LIFT_RUN_SECONDS=$(patient 1)
export LIFT_CC_SECONDS LIFT_RUN_SECONDS
for fault in spins compiles; do
    explore 1 planted.db --rules "$endless" --force-rules --decide "$into,fault=$fault"
done
# A launch may take ten minutes. The budget ends the launch where nothing is verified. Ten times the
# seconds of the naive kernel (1 s at least) are the limit where one compiler compiles that first.
endlessly() { # status, database, more
    due=$1 db=$2
    shift 2
    began=$(date +%s)
    ends_with "$due" env LIFT_RUN_SECONDS=600 "$lift_explore" tests/faults/planted.lift --device "$device" \
        --rules "$endless" --force-rules --decide "$into,fault=spins" --no-final-benchmark --db "$work/$db" --quiet "$@"
    took=$(($(date +%s) - began))
    most=$(patient 60)
    [ "$took" -lt "${most%.*}" ] || echo "after $took s"
}
late=$(endlessly 1 alone.db --no-naive --trials 1 --seconds "$(patient 3)")
verdict "the budget ends it where nothing is verified" "$late$(query "$work/alone.db" "SELECT status, reason FROM trial
    WHERE NOT (status = 'lost' AND reason = 'the time limit ended')
    UNION ALL SELECT count(*), 'trials' FROM trial HAVING count(*) <> 1")"
# A first launch on OpenCL has the seconds of a compiler besides, which the case 'spins' below waits for.
if [ "$device" = host ]; then
    late=$(endlessly 0 after.db --trials 1 --jobs 1)
    verdict "the best kernel's seconds end it where one is" "$late$(query "$work/after.db" "SELECT status, reason FROM trial
        WHERE NOT (status = 'ok' OR (status = 'run_timeout' AND reason = 'the kernel ran too long'))
        UNION ALL SELECT count(*), status FROM (SELECT 'ok' AS due UNION ALL SELECT 'run_timeout')
            LEFT JOIN trial ON status = due GROUP BY due HAVING count(status) <> 1")"
fi
# Two compilers decide the order of the kernels here; the naive one is verified in both orders.
late=$(endlessly 0 budget.db --jobs 2 --seconds "$(patient 3)")
verdict "the naive kernel is verified in spite of it" "$late$(query "$work/budget.db" "SELECT count(*), 'verified' FROM trial
    WHERE status = 'ok' HAVING count(*) <> 1")"
cause narrow "'wrong'" "on a second input"
cause spins "'run_timeout'" "too long"
cause behind "'overflow'" "outside output 0, at byte 3840"
cause before "'overflow'" "outside output 0, at byte -12"
cause far "'crash'" "signal"
cause input "'overflow'" "changed input 0"
cause wild "'crash'" "signal"
cause traps "'crash'" "signal 4"
cause number "'nonfinite'" "interpreter"
cause later "'nondeterministic'" "wrong in a second run"
cause frames "'resource'" ""
cause compiles "'compile_timeout'" ""
case $device in
host)
    cause divides "'crash'" "signal 8"
    cause hoards "'resource'" "memory"
    cause aborts "'crash'" "signal 6"
    cause leaves "'crash'" "status 0"
    ;;
*) cause divides "'crash', 'wrong', 'nonfinite'" "" ;;
esac
verdict "every kernel without a fault is verified" "$(query "$work/planted.db" "SELECT t.status,
    t.reason FROM trial t JOIN candidate c ON c.id = t.candidate
    WHERE t.status NOT IN ('ok', 'slow') AND NOT EXISTS (SELECT 1 FROM derivation d
        WHERE d.expr = c.expr AND d.macros LIKE '%fault=%')")"
verdict "the expressions that are found without faults are found with them" "$(query \
    "$work/planted.db" "ATTACH '$work/plain.db' AS plain;
    SELECT c.expr FROM plain.trial t JOIN plain.candidate c ON c.id = t.candidate WHERE t.status IN ('ok', 'slow') AND c.expr NOT IN
    (SELECT k.expr FROM trial s JOIN candidate k ON k.id = s.candidate
        WHERE s.status IN ('ok', 'slow'))")"
verdict "the best kernel is one of them" "$([ "$(query "$work/planted.db" "ATTACH
    '$work/plain.db' AS plain; SELECT count(*) FROM best_kernel b
    JOIN plain.candidate c ON c.expr = b.expr")" -gt 0 ] || echo "it is not")"
verdict "no row is left open" "$(query "$work/planted.db" "SELECT id FROM trial
    WHERE status IN ('started', 'lost')")"
# In a time loop, timed launches change the inputs.
if [ "$device" = host ]; then
    { cat tests/faults/planted.lift; echo "time (g) <- (out)"; } >"$work/turning.lift"
    run "$lift_explore" "$work/turning.lift" --device host --jobs 2 --trials 3 --no-final-benchmark --no-naive \
        --db "$work/turning.db" --quiet --rules "$rules" --force-rules --decide "$into" \
        --decide "$into,fault=later" --decide "$into,fault=input"
    verdict "faults of later launches are found in a time loop" "$(query "$work/turning.db" "WITH due(status, words) AS
        (VALUES ('ok', ''), ('nondeterministic', 'wrong in a second run'), ('overflow', 'changed input 0'))
        SELECT status, words FROM due WHERE NOT EXISTS (SELECT 1 FROM trial t
            WHERE t.status = due.status AND t.reason LIKE '%' || due.words || '%')")"
fi
verdict "no process is left" "$(lingering faults.sh)"
finish
