#!/bin/sh
# The status line on terminals of several widths, elsewhere, and the end of an exploration.
. "$(dirname "$0")/cli.sh"

pseudo=$(dirname "$0")/terminal.py
db=$work/lift.db
explore="$lift_explore $work/small.lift --max-exprs 12 --no-final-benchmark --db $db"
if ! command -v python3 >/dev/null 2>&1; then
    skip "terminals" "python3 is not installed"
    finish
    exit
fi
export TERM=xterm
unset NO_COLOR COLUMNS

figure() { # name
    sed -n "s/^$1 //p" "$work/out"
}

# The line is never as wide as the terminal, so that it never wraps.
for width in 40 80 200; do
    # shellcheck disable=SC2086
    run python3 "$pseudo" "$width" $explore --trials 4
    verdict "at $width columns the line fits" "$([ "$(figure status)" = 0 ] && [ "$(figure lines)" -gt 3 ] &&
        [ "$(figure longest)" -lt "$width" ] || cat "$work/out" "$work/err")"
    verdict "at $width columns it has the best speed" "$(grep -q '^[0-9:]* .* GPts/s' "$work/out" || cat "$work/out")"
done
verdict "a wide one has it all" "$(grep -q '[1-4] of 4 trials.*best so far .* GPts/s  .* % of copy bandwidth  .*x the naive kernel' "$work/out" ||
    cat "$work/out")"
verdict "with colours" "$([ "$(figure colours)" -gt 0 ] || echo "none")"
# shellcheck disable=SC2086
NO_COLOR=1 run python3 "$pseudo" 80 $explore --trials 2
verdict "NO_COLOR: without" "$([ "$(figure colours)" = 0 ] || cat "$work/out")"
# shellcheck disable=SC2086
run python3 "$pseudo" 200,60,30 $explore --seconds 3600
verdict "a window that becomes narrow" "$([ "$(figure status)" = 0 ] && [ "$(figure longest)" -lt 30 ] &&
    [ "$(figure lines)" -gt 3 ] || cat "$work/out" "$work/err")"
# shellcheck disable=SC2086
TERM=dumb run python3 "$pseudo" 80 $explore --trials 1
verdict "a terminal that cannot go back has plain lines" "$([ "$(figure lines)" = 0 ] || cat "$work/out")"

# No terminal: a line for each stage, and no control characters.
# shellcheck disable=SC2086
run $explore --trials 3
verdict "elsewhere: plain lines" "$(grep -q 'rewriting' "$work/err" && grep -q 'GPts/s' "$work/err" &&
    ! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037]')" "$work/err" || cat "$work/err")"

# The last lines: the best kernel in five lines, and the next commands; hashes, reasons and costs by
# --verbose.
verdict "the best kernel in five lines" "$(sed -n '/^best of small /,/^database /p' "$work/out" | tr '\n' '|' |
    grep -qE '^best of small [^|]*\|  [0-9.]+ GPts/s, [0-9.]+ % of copy bandwidth( in cache)?, [0-9.]+ (µs|ms) a launch\|  [0-9.]+ times as fast as the naive kernel, unconfirmed: no final benchmark has an interval of the naive kernel\|  unconfirmed: no final benchmark timed this kernel(, on a (quiet|busy) machine)?\|(  time it again on a quiet machine: [^|]+\|)?  [^|]+\|  next: lift best [^|]*\|database ' ||
    cat "$work/out")"
verdict "no reasons, hashes or costs" "$(grep -E 'does not apply|[0-9a-f]{12}|^cost: ' "$work/out")"
sed -n 's/^  \(next: \)\{0,1\}lift /lift /p' "$work/out" >"$work/commands"
verdict "three commands are told" "$([ "$(wc -l <"$work/commands")" -eq 3 ] || cat "$work/out")"
while read -r command; do
    (cd "$work" && eval "\"$(dirname "$lift")/\"$command" >"$work/told" 2>&1)
    verdict "'$command' works" "$([ -s "$work/told" ] && ! grep -q '^lift: ' "$work/told" || cat "$work/told")"
done <"$work/commands"

# shellcheck disable=SC2086
run $explore --trials 1 --no-naive
verdict "without it the output names the reason" "$(grep -q '^  speedup unknown: the naive kernel was not timed: it was not requested$' "$work/out" &&
    ! grep -q 'times as fast as\|x the naive' "$work/out" "$work/err" || cat "$work/out" "$work/err")"
# shellcheck disable=SC2086
run $explore --trials 1 --verbose
verdict "--verbose: the others with how they were made" "$([ "$(grep -c '^  [1-5]\. .*ms .*GPts/s' "$work/out")" -ge 2 ] &&
    grep -q '^[0-9]* low-level expressions were derived' "$work/out" && grep -q '^cost: ' "$work/out" || cat "$work/out")"

# shellcheck disable=SC2086
run $explore --trials 2 --json --quiet
verdict "JSON has the same" "$(python3 - "$work/out" <<'END' 2>&1
import json, sys
r = json.load(open(sys.argv[1]))
d = r["devices"][0]
top = d["top"]
assert 2 <= len(top) <= 5 and all(k["gpts"] > 0 and k["seconds"] > 0 and k["how"] for k in top), top
assert len({(k["expr"], str(k["tunables"])) for k in top}) == len(top), "a kernel stands twice"
assert r["stages"]["trying"] >= 0 and "rewriting" in r["stages"], r["stages"]
assert set(d["cost"]) == {"compiling", "checking", "measuring"} and d["gain"] >= 1, d
busy = d["busy"]
assert busy["jobs"] >= 1 and 0 < busy["seconds"] <= r["seconds"], busy
assert 0 < busy["runner"] <= 1 and 0 < busy["compilers"] <= 1, busy
assert d["naive"]["seconds"] > 0 and d["naive"]["missing"] is None, d["naive"]
assert d["emit"].startswith("lift best") and r["show"].startswith("lift show"), r
assert r["report"].startswith("lift report"), r
END
)"

# The copy bandwidth was measured while something disturbed it, and a kernel exceeds it.
if command -v sqlite3 >/dev/null 2>&1; then
    sqlite3 "$db" "UPDATE device SET copy_gbs = 1e-6, cache_gbs = 1e-6"
    # shellcheck disable=SC2086
    LIFT_SLAB_BYTES=5000 run $explore --trials 1
    verdict "a copy bandwidth that is exceeded is measured again" "$([ "$(query "$db" "SELECT count(*) FROM device_event e
        JOIN session s ON s.id = e.session WHERE e.kind = 'copy_bandwidth' AND e.text LIKE 'a kernel reached % a new measurement gives %'
        AND (SELECT copy_gbs > 1e-3 AND ifnull(cache_gbs, 1) > 1e-3 FROM device)")" = 1 ] && grep -q '^a kernel exceeded the copy bandwidth of 1e-06 GB/s' \
        "$work/out" || cat "$work/out" "$work/err")"
    verdict "and nothing is above it" "$(query "$db" "SELECT best_kernel.* FROM best_kernel WHERE copy_percent > 100")"
    # shellcheck disable=SC2086
    sqlite3 "$db" "UPDATE device SET copy_gbs = 1e-6, cache_gbs = 1e-6"
    # shellcheck disable=SC2086
    run $explore --trials 1 --quiet
    verdict "but not where a cache holds the data" "$(query "$db" "SELECT count(*) FROM device_event
        WHERE kind = 'copy_bandwidth' HAVING count(*) <> 1")"
fi

# Ctrl-C: the first ends the exploration after the current trial, with a message.
: >"$work/err" # of the command before
# shellcheck disable=SC2086
$explore --seconds 3600 >"$work/out" 2>"$work/err" &
pid=$!
await has_begun $pid
kill -INT $pid
status=0
wait $pid || status=$?
verdict "interrupted: it ends well" "$([ $status -eq 0 ] || echo "status $status")"
verdict "and says what it does" "$(grep -q 'finishing the current trial; Ctrl-C again stops immediately' "$work/err" ||
    cat "$work/err")"
finish
