#!/bin/sh
# An exploration next to busy processes: it ends with a verified kernel and says that the machine was busy.
. "$(dirname "$0")/cli.sh"

db=$work/busy.db
if ! command -v taskset >/dev/null 2>&1 || ! command -v python3 >/dev/null 2>&1; then
    skip "busy machines" "taskset or python3 is not installed"
    finish
    exit
fi

# Two busy processes and the exploration share one core, the last usable one.
core=$(taskset -cp $$ | sed 's/.*[^0-9]\([0-9]*\)$/\1/')
hogs=
trap 'for hog in $hogs; do kill "$hog" 2>/dev/null; done; rm -rf "$work"' EXIT
for hog in 1 2; do
    taskset -c "$core" sh -c 'while :; do :; done' &
    hogs="$hogs $!"
done
run taskset -c "$core" "$lift_explore" programs/heat.lift --size nx=192,ny=64,nz=64 --decide omp_rows --trials 2 \
    --db "$db" --quiet --json
for hog in $hogs; do kill "$hog"; done
hogs=
verdict "the counters show the other processes" "$(python3 - "$work/out" <<'END' 2>&1
import json, sys
d = json.load(open(sys.argv[1]))["devices"][0]
i = d["interference"]
assert i["busy"] and i["words"].startswith("busy: "), i
assert i["samples"] >= 20 and i["core_seconds"] > 0, i
assert 0.2 < i["others"] <= 1.05, i
assert d["top"][0]["confirmed"] and d["top"][0]["interference"] == i, d["top"][0]
assert d["again"].endswith(" --only-final-benchmark"), d["again"]
END
)"
verdict "the session has one such event" "$(query "$db" "SELECT count(*), json_extract(text, '\$.busy') FROM device_event
    WHERE kind = 'interference' HAVING count(*) <> 1 OR json_extract(text, '\$.busy') <> 1")"
expect "'lift best' marks the kernel" 0 ", on a busy machine" "$lift" best heat --db "$db"
expect "with the reasons" 0 "  machine     busy: " "$lift" best heat --db "$db" --verbose
expect "the table marks it" 0 "timed on a busy machine; " "$lift" best --db "$db"
expect "the report has the reasons" 0 "busy: " "$lift" report "$db" --json
verdict "and marks the kernel" "$(grep -qE '"busy": ?true' "$work/out" || cat "$work/out")"
run "$lift" best programs/heat.lift --db "$db"
again=$(sed -n 's/^  time it again on a quiet machine: lift //p' "$work/out")
run taskset -c "$core" sh -c "\"$lift\" $again"
verdict "the printed command times the kernel again" "$(query "$db" "SELECT 'none' WHERE 2 <>
    (SELECT count(DISTINCT session) FROM finalist)"
grep -q '^the machine was ' "$work/out" || cat "$work/out")"

# A stored text is data: nothing of it reaches the terminal unchanged, and other texts are ignored.
query "$db" "UPDATE device_event SET text = json_set(text, '\$.busy', json('true'), '\$.words',
    'busy: ' || char(27) || '[2Jgone' || char(10) || 'forged') WHERE kind = 'interference'"
run "$lift" best heat --db "$db" --verbose
verdict "words are shown on one line without control characters" "$(grep -q '^  machine     busy: .*gone forged$' "$work/out" &&
    ! LC_ALL=C grep -q "$(printf '\033')" "$work/out" || cat "$work/out")"
for text in '' '[1]' '{"busy":1,"words":"x"}' '{"busy":true}' '{'; do
    query "$db" "UPDATE device_event SET text = '$text' WHERE kind = 'interference'"
    run "$lift" best heat --db "$db"
    verdict "'$text' is ignored" "$(! grep -q 'busy machine\|quiet machine' "$work/out" || cat "$work/out")"
done
finish
