#!/bin/sh
# Budgets that are too small for a problem, and compilers that are too slow for a budget: a session
# ends with a verified kernel, and reports its progress.
. "$(dirname "$0")/../cli/cli.sh"

sh=$(command -v sh)
small=$work/small.lift
unset CC LIFT_CC
LIFT_COPY_MB=8
export LIFT_COPY_MB
compiler() { # what happens before a source that has this text is compiled
    cat >"$work/cc" <<IN_A_FILE
#!$sh
for word; do
    case \$word in *.c) if grep -q '$1' "\$word"; then $2; fi ;; esac
done
exec cc "\$@"
IN_A_FILE
    chmod +x "$work/cc"
}
if ! command -v sqlite3 >/dev/null 2>&1; then
    skip "budgets" "sqlite3 is not installed"
    finish
    exit
fi
# shellcheck disable=SC2016
points="--decide omp_rows --decide omp_blocked"

# ---- one compilation that takes longer than the session
seconds=$(patient 10)
compiler '"tile_y"' "mkdir $work/slept 2>/dev/null && exec sleep $(patient 300)"
# shellcheck disable=SC2086
expect "one candidate hangs the compiler" 0 "GPts/s" env LIFT_CC="$work/cc" "$lift_explore" "$small" \
    $points --seconds "$seconds" --jobs 2 --no-seeds --no-final-benchmark --db "$work/slow.db" --quiet
verdict "it did" "$([ -d "$work/slept" ] || echo "no source had tile_y")"
verdict "the session ends in time" "$(query "$work/slow.db" "SELECT duration FROM (SELECT
    86400 * (julianday(ended) - julianday(started)) AS duration FROM session)
    WHERE duration > $seconds + $(patient 20)")"
# A run half a second after the end is lost on a slow machine.
verdict "the culprit has a row that says so, and no other is blamed" "$(query "$work/slow.db" "SELECT
    status, reason FROM trial WHERE status NOT IN ('ok', 'slow') AND reason <> 'the time limit ended'
        AND NOT (reason LIKE '%the compiler%' AND status IN ('lost', 'compile_timeout'))
    UNION ALL SELECT count(*), 'culprits' FROM trial WHERE reason LIKE '%the compiler%' HAVING count(*) <> 1")"
verdict "and is named in the summary" "$(grep -q '^longest compilation (.*): .*tiling=' "$work/out" || cat "$work/out")"
rm -rf "$work/slept"
# shellcheck disable=SC2086
expect "without a budget of time" 0 "GPts/s" env LIFT_CC="$work/cc" LIFT_CC_SECONDS="$(patient 25)" \
    "$lift_explore" "$small" $points --trials 6 --jobs 2 --no-seeds --no-final-benchmark --db "$work/trials.db" --quiet
verdict "others are tried while one is compiled" "$([ "$(query "$work/trials.db" "SELECT count(*) FROM trial
    WHERE ended < (SELECT ended FROM trial WHERE status = 'compile_timeout')")" -ge 3 ] ||
    query "$work/trials.db" "SELECT started, ended, status, reason FROM trial")"

# ---- the naive kernel takes longer than the session, and all others fail
# It waits until no other has failed for a while: none is with a compiler when the session ends.
naive=$(query "$work/slow.db" "SELECT DISTINCT c.expr FROM trial t JOIN candidate c ON c.id = t.candidate
    WHERE t.phase = 'recheck'")
mkdir "$work/failed"
fails_unless() { # what is true of the naive kernel's source, "$word"
    compiler 'tunables {' "if ! $1 || grep -q '\"compiler\":2' \"\$word\"; then : >$work/failed/\$\$; exit 1; fi
        before=none; while now=\$(ls $work/failed); [ \"\$now\" != \"\$before\" ]; do before=\$now; sleep $(patient 2); done"
}
fails_unless "grep -q 'expression $naive\$' \"\$word\""
expect "a kernel is verified whatever the budget" 0 "the budget was extended by" env LIFT_CC="$work/cc" \
    "$lift_explore" "$small" --seconds 0.5 --max-exprs 20 --db "$work/tiny.db" --quiet
verdict "it is the naive one, and the only one" "$(query "$work/tiny.db" "SELECT status, reason FROM trial
    WHERE status NOT IN ('ok', 'compile_error') UNION ALL SELECT count(*), 'verified' FROM trial
    WHERE status = 'ok' HAVING count(*) <> 1")"
expect "JSON has the seconds" 0 '"extended": ' env LIFT_CC="$work/cc" "$lift_explore" "$small" --seconds 0.5 \
    --max-exprs 20 --db "$work/json.db" --quiet --json
verdict "as a number" "$(grep -q '"extended": [0-9]' "$work/out" || cat "$work/out")"
fails_unless "{ ! grep -q '\"tile_y\"' \"\$word\"; }"
expect "also with several temporal blocking factors" 0 "GPts/s" env LIFT_CC="$work/cc" "$lift_explore" programs/jacobi2d5.lift \
    --size nx=40,ny=24 --steps 1..8 --seconds 4 --max-exprs 20 --db "$work/depths.db" --quiet
verdict "the naive kernel is verified" "$(query "$work/depths.db" "SELECT count(*), 'verified' FROM trial
    WHERE status = 'ok' AND phase <> 'final_benchmark' HAVING count(*) <> 1")"
verdict "no process is left" "$(lingering budgets.sh)"
finish
