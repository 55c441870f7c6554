#!/bin/sh
# tools/t4.py: trials as auto-tuning results in the T4 format. 'sh tests/cli/t4.sh ROOT LIFT'.
. "$(dirname "$0")/cli.sh"

cd "$root" || exit 1
if ! command -v python3 >/dev/null 2>&1 || ! command -v sqlite3 >/dev/null 2>&1; then
    skip "T4" "python3 or sqlite3 is not installed"
    finish
    exit
fi
db=$work/tuned.db
t4() { # name, status, text, arguments
    name=$1 want=$2 text=$3
    shift 3
    expect "$name" "$want" "$text" python3 tools/t4.py --db "$db" "$@"
}
run "$lift" db import programs/tuned --db "$db"
query "$db" "SELECT 'DROP TRIGGER ' || name || ';' FROM sqlite_master WHERE type = 'trigger'" >"$work/drop.sql"
sqlite3 "$db" <"$work/drop.sql"
# A trial for each end, of the candidate and the problem of the first one.
query "$db" "INSERT INTO trial(id, candidate, problem, device, session, status, reason, started, env)
    SELECT printf('%032x', s.rowid), candidate, problem, device, session, s.name, CAST(x'61ff' AS TEXT), 'then', env
    FROM (SELECT row_number() OVER (ORDER BY name) AS rowid, name FROM status) s,
        (SELECT t.* FROM trial t JOIN problem b ON b.id = t.problem JOIN program p ON p.id = b.program
            JOIN device d ON d.id = t.device WHERE p.name = 'heat' AND d.name LIKE '%H200%' LIMIT 1)"
t4 "one problem on one device" 0 "" heat --device h200 --size nx=512 -o "$work/heat.json"
verdict "has every trial that has ended, in the words of the format" "$(python3 - "$work/heat.json" 2>&1 <<'END'
import collections
import json
import sys

text = open(sys.argv[1], encoding="utf-8").read()
t4 = json.loads(text, parse_constant=lambda word: sys.exit(word + " is no JSON"))
assert t4["schema_version"] == "1.0.0"
results = [r for r in t4["results"] if r["timestamp"] == "then"]
counts = collections.Counter(r["invalidity"] for r in results)
assert counts == {"correct": 3, "constraints": 2, "compile": 2, "timeout": 2, "runtime": 5, "correctness": 4}, counts
assert all(r["status"] != "started" for r in t4["results"])
assert all(r["correctness"] == (r["invalidity"] == "correct") for r in t4["results"])
assert all(r["reason"] == "a\ufffd" for r in results)
timed = [r for r in t4["results"] if r["times"]["runtimes"]]
assert len(timed) == 1 and timed[0]["configuration"]["slab_z"] == 6 and len(timed[0]["configuration"]["expression"]) == 32
time, speed = timed[0]["measurements"]
runs = sorted(timed[0]["times"]["runtimes"])
assert time["unit"] == "ms" and runs[0] <= time["value"] <= runs[-1]
assert speed["unit"] == "GPts/s" and abs(speed["value"] - 512 ** 3 / time["value"] * 1e-6) < 1e-6 * speed["value"]
about = t4["metadata"]
assert about["problem"][0]["program"] == "heat" and about["problem"][0]["dtype"] == "f32"
assert about["hardware"]["hardware_description"][0]["name"] == "NVIDIA H200"
assert about["hardware"]["operating_system"] and about["environment"]["device_query"]["environments"]
END
)"
program=$(query "$db" "SELECT b.program FROM problem b JOIN program p ON p.id = b.program WHERE name = 'star3d1r' AND dtype = 'f64'")
t4 "a name that has several" 2 "of f64 on NVIDIA H200 (cuda)" star3d1r
t4 "one of them" 0 '"dtype":"f64"' star3d1r --precision double
t4 "by the id of the program" 0 '"dtype":"f64"' "$(printf %.6s "$program")"
t4 "an unknown program" 1 "no trials of 'nosuch'" nosuch
verdict "names others" "$(grep -q 'heat, hotspot2d' "$work/err" || cat "$work/err")"
t4 "an unknown size" 1 'there are:' heat --size nx=7
verdict "with what there is" "$(grep -q 'heat {"nx":512,"ny":512,"nz":512} of f32 on NVIDIA' "$work/err" ||
    cat "$work/err")"
t4 "sizes that are none" 2 "expected NAME=N" heat --size nx
t4 "no database" 1 "none.db': no such file" heat --db "$work/none.db"
echo "no database" >"$work/text.db"
t4 "an invalid file" 1 "not a database" heat --db "$work/text.db"
t4 "a missing folder" 1 "cannot write" heat --device h200 -o "$work/none/x.json"
verdict "nothing else is left" "$(ls "$work" | grep part-)"
finish
