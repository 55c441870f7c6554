#!/bin/sh
# The report of a database: made of an exploration, of failures, of odd names, of nothing.
. "$(dirname "$0")/cli.sh"

db=$work/lift.db
page=$work/page.html
data=$work/report.json

# Writes the page and its data. The page loads nothing, and no text of the database ends the element of
# its data; rows refer to rows that are there.
report() { # what, options
    what=$1
    shift
    expect "$what" 0 "page.html" "$lift" report "$db" -o "$page" "$@"
    run "$lift" report "$db" --json -o "$data" "$@"
    verdict "$what: the page stands alone, and has the data" "$(python3 - "$page" "$data" <<'END' 2>&1
import html.parser, json, re, sys
page, data = (open(name, encoding="utf-8").read() for name in sys.argv[1:])

class Reader(html.parser.HTMLParser):
    scripts = []
    inside = False
    def handle_starttag(self, tag, attributes):
        self.inside = tag == "script"
        if tag == "script":
            self.scripts.append("")
        if tag in ("link", "img", "iframe", "object", "base") or any(
                name in ("src", "href") or name.startswith("on") for name, _ in attributes):
            print(f"'{tag}' loads something: {attributes}")
    def handle_endtag(self, tag):
        self.inside = False
    def handle_data(self, text):
        if self.inside:
            self.scripts[-1] += text

reader = Reader()
reader.feed(page)
if len(reader.scripts) != 2:
    print(f"{len(reader.scripts)} scripts")
if re.search(r"url\(|@import|https?://(?!www\.w3\.org/2000/svg)", page.replace(reader.scripts[0], "")):
    print("it refers to another place")
if "default-src 'none'" not in page or "innerHTML" in page:
    print("markup could come in")
if re.search(r"[<>&\x7f-\uffff]", data):
    print("the data are not plain ASCII")

def refuse(constant):
    raise ValueError(f"{constant} is no JSON")
both = [json.loads(text, parse_constant=refuse) for text in (reader.scripts[0], data)]
for d in both:
    d.pop("made")
if both[0] != both[1]:
    print("--json prints other data")
ids = {name: {row["id"] for row in d[name + "s"]} for name in ("problem", "device", "session")}
for table in ("explored", "progress", "causes", "reasons", "finals", "kernels", "best", "events", "families",
        "importance", "measured"):
    for row in d[table]:
        for name in ids:
            if name in row and row[name] not in ids[name]:
                print(f"{table}: no {name} {row[name]}")
for row in d["kernels"]:
    if row["expr"] not in d["derivations"]:
        print(f"no derivation of {row['expr']}")
END
)"
}

# A condition of the data, in Python; 'd' is the document.
says() { # what, condition
    verdict "$1" "$(python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
if not eval(sys.argv[2]):
    print(sys.argv[2], json.dumps(d, indent=1), sep="\n")' "$data" "$2" 2>&1)"
}

# The page as a browser renders it, if there is a browser, for a kernel ("#kernel-2"; "": the
# first).
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
drawn() { # what, kernel, texts of the drawn page
    what=$1
    kernel=$2
    shift 2
    [ -n "$browser" ] || { skip "$what" "no browser is installed"; return; }
    HOME=$work timeout "$(patient 60)" "$browser" --headless --no-sandbox --disable-gpu --dump-dom \
        "file://$page$kernel" >"$work/dom" 2>"$work/browser"
    verdict "$what" "$(for text; do
        grep -qF -- "$text" "$work/dom" || { echo "no '$text' in:"; head -c 3000 "$work/dom"; }
    done)"
}

all_known() { # what: no value of the drawn page is missing where the page needs one
    verdict "$1" "$([ -z "$browser" ] ||
        sed '/<script/,/<[/]script>/d' "$work/dom" | grep -oE '.{20}(NaN|Infinity|undefined|null).{20}')"
}

if ! command -v sqlite3 >/dev/null 2>&1 || ! command -v python3 >/dev/null 2>&1; then
    skip "reports" "sqlite3 or python3 is not installed"
    finish
    exit
fi
if command -v node >/dev/null 2>&1; then
    for script in elements charts page; do
        expect "$script.js is JavaScript" 0 "" node --check "$root/src/report/$script.js"
    done
else
    skip "the script is JavaScript" "node is not installed"
fi

expect "an exploration" 0 "GPts/s" "$lift_explore" "$work/small.lift" --trials 14 --max-exprs 12 --no-final-benchmark --db "$db"
report "its report"
says "names the program" '[p["title"] for p in d["problems"]] == ["small"]'
says "counts trials" 'sum(r["trials"] for r in d["explored"]) == sum(r["trials"] for r in d["causes"]) >= 6'
says "has trials over time, none faster than the best kernel" 'd["best"][0]["seconds"] <= 1.001 * min(t[1]
    for r in d["progress"] for t in r["trials"]) and all(t[0] >= 0 for r in d["progress"] for t in r["trials"])'
says "has a roofline" 'd["problems"][0]["ops"] > 0 and d["problems"][0]["bytes"] > 0 and d["devices"][0]["copy_gbs"] > 0'
says "has the best kernel among the fastest" 'd["best"][0]["trial"] in [k["trial"] for k in d["kernels"]]'
run "$lift" check "$work/small.lift"
flop=$(sed -n 's/.* \([0-9.]*\) flop a point.*/\1/p' "$work/out")
says "counts operations as 'lift check' does" "d['problems'][0]['ops'] == ${flop:-0}"
says "says how the best was derived" 'd["derivations"][d["best"][0]["expr"]]["steps"][0][0]'
says "says how long sessions took" '0 < d["sessions"][0]["seconds"] < 1000'
says "has the naive kernel" '(lambda b, n: n["low"] <= n["seconds"] <= n["high"] and
    b["seconds"] <= 1.001 * n["seconds"])(d["best"][0], d["best"][0]["naive"])'
says "has kernel families, whose fastest is the best" '(min(f["seconds"] for f in d["families"] if f["seconds"])
    <= 1.001 * min(t[1] for r in d["progress"] for t in r["trials"])
    and sum(f["trials"] for f in d["families"]) == sum(r["trials"] for r in d["explored"]))'
says "has the importance of parameters" 'abs(sum(p["share"] for p in d["importance"][0]["parameters"]) - 1) < 1e-6'
says "has the source of the best" '"for (" in d["best"][0]["source"]'
says "numbers trials" 'max(t[2] for r in d["progress"] for t in r["trials"]) <= 14'
drawn "is drawn" "" "<h1>small " "Best so far over trials" "Best so far over seconds" "operations a byte" \
    "Speed by kernel family" "Importance of parameters" "Derivations, by place" "the naive kernel" "unconfirmed" \
    'class="keyword">for</span>' "lift best small --db $db --device "

all_known "each value of the page is known"

# Measurements of a file: a hand-written kernel, counters, a row of another program, a name with
# HTML characters.
device=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["devices"][0]["name"])' "$data")
cat >"$work/hand.csv" <<END
program,size,precision,steps,device,kind,gpts,low,high,kernel,dram_bytes,ignored
small,40x24,single,1,"$device",hand,0.5,0.4,0.6,<b>mine,,x
small,40x24,single,1,"$device",lift,,,,,9999,x
other,40x24,single,1,"$device",hand,0.5,,,,,x
END
report "with a kernel by hand" --measured "$work/hand.csv"
expect "says which rows it took" 0 "2 rows are of kernels in this report, 1 are of others" \
    "$lift" report "$db" --measured "$work/hand.csv" -o "$page"
says "has the kernel by hand" '([(r["kind"], r["kernel"], r["gpts"], r["dram_bytes"]) for r in d["measured"]]
    == [("hand", "<b>mine", 0.5, None), ("lift", "", None, 9999.0)])'
drawn "compares with it" "" "&lt;b&gt;mine" "by hand" "lift, measured bytes"
run "$lift" report "$db" --measured "$work/hand.csv" --measured "$work/hand.csv" --json -o "$data"
says "takes several files" 'len(d["measured"]) == 4'
sed '2s/0.5/fast/' "$work/hand.csv" >"$work/wrong.csv"
expect "an invalid number" 1 "wrong.csv:2: 'fast' is not a positive number" \
    "$lift" report "$db" --measured "$work/wrong.csv" -o "$page"
cut -d, -f1-5 "$work/hand.csv" >"$work/wrong.csv"
expect "a column that is missing" 1 "wrong.csv:1: there is no column 'kind'" \
    "$lift" report "$db" --measured "$work/wrong.csv" -o "$page"
expect "an unknown file" 1 "cannot read '$work/none.csv'" "$lift" report "$db" --measured "$work/none.csv" -o "$page"
report_commands "$data" >"$work/command"
run sh -c "$(dirname "$lift")/$(cat "$work/command")"
verdict "the command of the best kernel works" "$(grep -q 'for (' "$work/out" || cat "$work/command" "$work/err")"
expect "by option, to the standard output" 0 '"title":"small"' "$lift" report --db "$db" -o -
expect "of one program" 0 '"title":"small"' "$lift" report "$db" --program "$work/small.lift" --json
expect "of one that is not there" 0 "No trials of these" "$lift" report "$db" -p nosuch -o -
expect "of a device that is not there" 0 "No trials of these" "$lift" report "$db" --device nosuch --json
expect "an unknown folder" 1 "cannot write" "$lift" report "$db" -o "$work/none/page.html"
expect "an unknown database" 1 "none.db" "$lift" report "$work/none.db" -o "$page"
expect "two databases" 2 "one database" "$lift" report "$db" "$db"

# Failures of several causes, a second device, a final benchmark, and names that are no HTML.
sqlite3 "$db" <<'END'
UPDATE program SET name = 'a<b>&"c''' || char(1) || char(8232) || '</script><svg>';
UPDATE session SET argv = 'lift explore "<&>"';
INSERT INTO device SELECT 'ffffffffffffffffffffffffffffffff', 'other', 'B & "C" <D>', vendor, arch, compute_units,
    simd_width, max_group_size, local_bytes, global_bytes, NULL, NULL, NULL, NULL FROM device;
INSERT INTO trial(id, candidate, problem, device, session, status, reason, started, ended, median_ns, compile_s)
    SELECT lower(hex(randomblob(16))), candidate, problem, 'ffffffffffffffffffffffffffffffff', session,
        CASE WHEN rowid % 2 THEN 'wrong' ELSE 'compile_error' END, '<script>alert(1)</script> & so', started, ended,
        NULL, 0.5 FROM trial;
DELETE FROM finalist;
INSERT INTO finalist SELECT session, problem, device, row_number() OVER (ORDER BY median_ns), id, median_ns,
    median_ns * 0.99, median_ns * 1.02, 0 FROM trial WHERE status = 'ok' LIMIT 3;
UPDATE candidate SET tunables = '{"__proto__":"<b>","tile_x":[1]}'
    WHERE id = (SELECT candidate FROM trial WHERE status = 'ok' ORDER BY median_ns LIMIT 1);
UPDATE source SET text = '/* </script><img src=x onerror=alert(2)> */ for', bytes = 47;
UPDATE configuration SET options = options || ',<b>=<i>';
INSERT INTO device_event(id, device, session, at, kind, text) SELECT 'e', device, session, 'soon', '<i>', '<img src=x>'
    FROM trial LIMIT 1;
END
report "odd names"
says "are in the data as they are" 'd["problems"][0]["title"] == "a<b>&\"c\x27\ufffd\u2028</script><svg>"'
says "reasons of failures" '{r["reason"] for r in d["reasons"]} == {"<script>alert(1)</script> & so"}'
says "the final benchmark" '[f["place"] for f in d["finals"]] == [1, 2, 3] and d["finals"][0]["low"] > 0'
says "the cause with its meaning" '"values beyond the error bound" in [c["meaning"] for c in d["causes"]]'
says "tunables of odd names" '{"__proto__": "<b>", "tile_x": [1]} in [k["tunables"] for k in d["kernels"]]'
says "the source as it is" '"</script><img src=x onerror=alert(2)>" in d["best"][0]["source"]'
drawn "are drawn as text" "" '__proto__&nbsp;<b>&lt;b&gt;</b>' '<h2>a&lt;b&gt;&amp;"c' '&lt;/script&gt;&lt;svg&gt; <span' \
    "no verified kernel" "95 % interval" '&lt;img src=x&gt;' 'B &amp; "C" &lt;D&gt; (other)' \
    '&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt; */</span>'
drawn "and those of the other device" "#kernel-2" '&lt;script&gt;alert(1)&lt;/script&gt; &amp; so' "No verified kernel"
verdict "no element comes of a text" "$([ -z "$browser" ] || sed '/<script/,/<[/]script>/d' "$work/dom" | grep -E '<(img|script|svg>|D>)')"

# Invalid times, and a problem of unknown traffic.
sqlite3 "$db" "DROP TRIGGER trial_ended; UPDATE trial SET median_ns = 1e999 WHERE rowid % 3 = 0 AND status = 'ok';
    UPDATE trial SET ended = 'soon', started = ''; UPDATE problem SET bytes = NULL; UPDATE program SET text = '?';
    UPDATE device SET copy_gbs = 1e999; UPDATE trial SET compile_s = -1, check_s = 'x', measure_s = 1e999;
    UPDATE problem SET sizes = '[[', points = 'many'; UPDATE device SET arch = x'ff00', compute_units = -3"
report "times that are none"
says "are no numbers of the data" 'd["problems"][0]["sizes"] == "[[" and d["problems"][0]["ops"] is None'
drawn "and of the page" "" "Trials by cause"
all_known "where they are left out"

sqlite3 "$db" "PRAGMA foreign_keys = OFF; DELETE FROM finalist; DELETE FROM check_result; DELETE FROM timing;
    DELETE FROM device_event; DELETE FROM trial; DELETE FROM session; DELETE FROM problem; DELETE FROM program; DELETE FROM device"
report "an empty database"
says "says so" '"No trials of these" in d["nothing"]'
finish
