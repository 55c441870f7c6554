#!/bin/sh
# kill -9 at ten moments: the database opens, no try is half-written, the work goes on.
. "$(dirname "$0")/cli.sh"

db=$work/lift.db
small="$work/small.lift"
tries() {
    "$lift" show small --db "$db" | sed -n 's/.*: \([0-9]*\) tries.*/\1/p'
}

run "$lift_explore" "$small" --tries 1 --no-final --max-exprs 40 --db "$db" -q
before=$(tries)
complaints=$(for ms in 350 1900 700 1150 2600 900 1400 520 2100 1650; do
    "$lift_explore" "$small" --seconds 60 --no-final --max-exprs 40 --db "$db" -q >/dev/null 2>&1 &
    pid=$!
    sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"
    kill -9 $pid
    wait $pid 2>/dev/null
    "$lift" best small --db "$db" >/dev/null 2>"$work/err" || cat "$work/err"
    after=$(tries)
    [ "${after:-0}" -ge "$before" ] || echo "${after:-no} tries after $before"
    before=${after:-0}
done)
verdict "the database opens after each kill" "$complaints"
before=$(tries)
expect "the exploration continues" 0 "GPts/s" "$lift_explore" "$small" --tries 2 --no-final \
    --max-exprs 40 --db "$db"
after=$(tries)
verdict "with new tries" "$([ "$after" -eq $((before + 2)) ] || echo "$before, then $after")"
if ! command -v sqlite3 >/dev/null 2>&1; then
    skip "contents of the database" "sqlite3 is not installed"
else
    verdict "the file is sound" "$(query "$db" 'PRAGMA integrity_check' | grep -vx ok)"
    verdict "no try is half-written" "$(query "$db" "SELECT id FROM try WHERE status = 'started'
        OR status = 'ok' AND (median_ns IS NULL OR build IS NULL OR ended IS NULL)")"
    verdict "references hold" "$(query "$db" 'PRAGMA foreign_key_check')"
fi
finish
