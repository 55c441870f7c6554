#!/bin/sh
# Several devices and jobs concurrently, and leftovers of killed processes.
. "$(dirname "$0")/cli.sh"

small="$work/small.lift"
TMPDIR=$work/tmp
export TMPDIR
mkdir "$TMPDIR"

# Processes that have to do with this test.
left() {
    ps -eo pid,stat,args | grep -F "$work" | grep -v -e grep -e '^ *[0-9]* Z' -e 'processes\.sh'
}

# Processes notice that their parent was killed.
nothing_left() {
    [ -z "$(left)" ] && [ -z "$(ls "$TMPDIR")" ]
}

# Whether a trial was run, or the process has ended.
has_launched() { # database, process
    { [ -s "$1" ] && query "$1" 'SELECT count(*) FROM trial WHERE launched IS NOT NULL' |
        grep -q '[1-9]'; } ||
        ! kill -0 "$2"
}

devices=--device=host
"$lift" devices 2>/dev/null | grep -q 'opencl:0' && devices="--device host --device opencl:0"
expect "several devices" 0 '"devices"' "$lift_explore" "$small" $devices --trials 3 --jobs 2 \
    --max-exprs 6 --json --quiet --db "$work/two.db"
expect "all devices" 0 "verified" "$lift_explore" "$small" --device all --trials 1 \
    --max-exprs 2 --quiet --db "$work/two.db"
expect "one named twice" 1 "device 'host' is named twice" "$lift_explore" "$small" \
    --device host --device host --trials 1 --db "$work/no.db"
# A fake GPU runs on the host; its bandwidth is measured first.
env LD_LIBRARY_PATH="$(dirname "$lift")/../../tests/unit:${LD_LIBRARY_PATH:-}" "$lift_explore" \
    "$small" --device host --device hip:0 --trials 1 --max-exprs 2 --no-final-benchmark --json --quiet \
    --db "$work/both.db" >"$work/both.json" 2>/dev/null
verdict "no device waits for another one of its session to be measured" "$(
    grep 'waiting for the measurement of the copy bandwidth' "$work/both.json"
    grep -q '"trying"' "$work/both.json" || echo 'nothing was tried')"
for jobs in 1 3; do
    expect "$jobs jobs" 0 "" "$lift_explore" "$small" --technique random --trials 6 --jobs $jobs \
        --max-exprs 8 --no-seeds --no-final-benchmark --quiet --db "$work/jobs$jobs.db"
done

if ! command -v sqlite3 >/dev/null 2>&1 || ! command -v ps >/dev/null 2>&1; then
    skip "what the databases have" "sqlite3 or ps is not installed"
    finish
    exit
fi
verdict "each device has its trials" "$([ "$(query "$work/two.db" 'SELECT count(*) FROM (SELECT
    device FROM trial GROUP BY device HAVING count(*) >= 3)')" = "$(echo "$devices" | grep -o -e \
    '--device' | wc -l)" ] || query "$work/two.db" 'SELECT device, count(*) FROM trial GROUP BY 1')"
order="SELECT c.expr, c.tunables FROM trial t JOIN candidate c ON c.id = t.candidate
    WHERE t.phase = 'search' ORDER BY t.started, t.rowid"
query "$work/jobs1.db" "$order" >"$work/order1"
query "$work/jobs3.db" "$order" >"$work/order3"
verdict "the same candidates, whatever the number of jobs" "$(sort "$work/order1" >"$work/sorted1"
    sort "$work/order3" | diff "$work/sorted1" -)"
verdict "each was launched after it was proposed" "$(query "$work/jobs3.db" \
    'SELECT * FROM trial WHERE launched IS NULL OR launched < started OR ended < launched')"

# Ended in the middle: by SIGTERM, by two Ctrl-C, and by kill -9.
for way in TERM INT KILL; do
    "$lift_explore" "$small" --seconds 3600 --jobs 3 --max-exprs 30 --quiet \
        --db "$work/$way.db" >"$work/out" 2>"$work/err" &
    pid=$!
    await has_launched "$work/$way.db" $pid
    kill -$way $pid
    [ $way = INT ] && sleep 0.1 && kill -INT $pid 2>/dev/null
    status=0
    wait $pid 2>/dev/null || status=$?
    wanted=0
    [ $way = INT ] && wanted='0|130'
    [ $way = KILL ] && wanted=137
    verdict "$way: the status" "$(echo $status | grep -qxE "$wanted" || echo "status $status")"
    await nothing_left
    verdict "$way: no process is left" "$(left)"
    verdict "$way: no temporary file is left" "$(ls "$TMPDIR")"
done
# The program that a plan starts, and those that this one starts.
"$lift" run programs/heat.lift --size nx=16,ny=16,nz=16 --in grid=1 --steps 1 --explore-seconds 3600 \
    --db "$work/plan.db" >"$work/out" 2>"$work/err" &
pid=$!
of_plan() {
    ps -eo pid,stat,args | grep "lift worker [0-9.]* $pid\$" | grep -v -e grep -e '^ *[0-9]* Z'
}
none_of_plan() {
    [ -z "$(of_plan)" ]
}
await has_launched "$work/plan.db" $pid
verdict "the plan's processes are there" "$([ "$(of_plan | wc -l)" -gt 1 ] ||
    { cat "$work/err" && echo "too few processes"; })"
kill -KILL $pid
wait $pid 2>/dev/null || true
await none_of_plan
verdict "and end with the plan's" "$(of_plan)"
verdict "an unlaunched trial is removed, unless the process died" "$(query "$work/TERM.db" \
    "SELECT * FROM trial WHERE launched IS NULL OR status IN ('started', 'lost')")"
mkdir "$TMPDIR/lift-cc-abcdef"
touch -d '1 hour ago' "$TMPDIR/lift-cc-abcdef"
expect "and after a power cut" 0 "" "$lift_explore" "$small" --trials 1 --max-exprs 2 --quiet \
    --db "$work/KILL.db"
verdict "old temporary files are removed at the next start" "$(ls "$TMPDIR")"
verdict "no trial is open" "$(query "$work/KILL.db" "SELECT * FROM trial WHERE status = 'started'")"
finish
