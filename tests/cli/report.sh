#!/bin/sh
# The report of a database: made of an exploration, of failures, of odd names, of nothing.
. "$(dirname "$0")/cli.sh"

db=$work/lift.db
page=$work/page.html

# Strictly: the page is XML, all its numbers are numbers, every reference has its target, and it
# loads nothing.
strict() { # what, file
    verdict "$1" "$(python3 - "$2" <<'END' 2>&1
import re, sys, xml.etree.ElementTree as tree
text = open(sys.argv[1], encoding="utf-8").read()
root = tree.fromstring(text)
ids = [e.get("id") for e in root.iter() if e.get("id")]
if len(ids) != len(set(ids)):
    print("an id stands twice")
numbers = re.compile(r"-?\d+(\.\d+)?$")
for e in root.iter():
    name = e.tag.split("}")[1]
    for key, value in e.attrib.items():
        if re.search(r"\b(nan|inf)\b", value, re.I):
            print(f"{name} {key}={value}")
        if key in ("x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r") and not numbers.match(value):
            print(f"{name} {key}={value} is no number")
        if key in ("points", "d") and not re.match(r"[MHVh0-9., -]+$", value):
            print(f"{name} {key}={value}")
        if key in ("href", "aria-labelledby") and value.lstrip("#") not in ids:
            print(f"{value} leads nowhere")
        if key == "style" and not re.match(r"width:\d+(\.\d+)?%$", value):
            print(f"style {value}")
    if name in ("script", "link", "img", "iframe") or "src" in e.attrib:
        print(f"'{name}' loads something")
    if name == "svg" and e.get("role") == "img" and not e[0].tag.endswith("}title"):
        print("a chart without a title")
if re.search(r"url\(|@import|https?://(?!www\.w3\.org/)", text):
    print("it refers to another place")
END
)"
}

has() { # what, text
    verdict "$1" "$(grep -qF -- "$2" "$page" || echo "no '$2' in the page")"
}

if ! command -v sqlite3 >/dev/null 2>&1 || ! command -v python3 >/dev/null 2>&1; then
    skip "reports" "sqlite3 or python3 is not installed"
    finish
    exit
fi

expect "an exploration" 0 "GPts/s" "$lift_explore" "$work/small.lift" --tries 6 --max-exprs 12 --no-final --db "$db"
expect "its report" 0 "page.html" "$lift" report "$db" -o "$page"
strict "is strict" "$page"
has "names the program" "<h2>small</h2>"
has "has best over time" "Best over time"
has "has a roofline" "operations a byte"
has "says how the best was derived" "How they were derived"
has "says how to take it away" "lift best small --db $db --device "
sed -n 's,.*<pre>\(lift best .*\)</pre>.*,\1,p' "$page" | head -n 1 |
    sed "s/&#39;/'/g; s/&quot;/\"/g; s/&amp;/\&/g" >"$work/command"
run sh -c "$(dirname "$lift")/$(cat "$work/command")"
verdict "which works" "$(grep -q 'for (' "$work/out" || cat "$work/command" "$work/err")"
expect "by option, to the standard output" 0 "<h2>small</h2>" "$lift" report --db "$db" -o -
expect "of one program" 0 "<h2>small</h2>" "$lift" report "$db" --program "$work/small.lift" -o -
expect "of one that is not there" 0 "No tries of these" "$lift" report "$db" -p nosuch -o -
expect "of a device that is not there" 0 "No tries of these" "$lift" report "$db" --device nosuch -o -
expect "no such folder" 1 "cannot write" "$lift" report "$db" -o "$work/none/page.html"
expect "no such database" 1 "none.db" "$lift" report "$work/none.db" -o "$page"
expect "two databases" 2 "one database" "$lift" report "$db" "$db"

# Failures of several causes, a second device, a final, and names that are no HTML.
sqlite3 "$db" <<'END'
UPDATE program SET name = 'a<b>&"c''' || char(1) || '</svg>';
UPDATE session SET argv = 'lift explore "<&>"';
INSERT INTO device SELECT 'ffffffffffffffffffffffffffffffff', 'other', 'B & "C" <D>', vendor, arch, compute_units,
    simd_width, max_group_size, local_bytes, global_bytes, NULL, NULL FROM device;
INSERT INTO try(id, candidate, problem, device, session, status, reason, started, ended, median_ns, compile_s)
    SELECT lower(hex(randomblob(16))), candidate, problem, 'ffffffffffffffffffffffffffffffff', session,
        CASE WHEN rowid % 2 THEN 'wrong' ELSE 'compile_error' END, '<script>alert(1)</script> & so', started, ended,
        NULL, 0.5 FROM try;
DELETE FROM finalist;
INSERT INTO finalist SELECT session, problem, device, row_number() OVER (ORDER BY median_ns), id, median_ns,
    median_ns * 0.99, median_ns * 1.02, 0 FROM try WHERE status = 'ok' LIMIT 3;
END
expect "odd names" 0 "" "$lift" report "$db" -o "$page"
strict "are strict, too" "$page"
has "and escaped" 'a&lt;b&gt;&amp;&quot;c&#39;�&lt;/svg&gt;'
verdict "no script came in" "$(grep -F '<script>' "$page")"
has "reasons of failures" "&lt;script&gt;alert(1)&lt;/script&gt; &amp; so"
has "a device without a verified kernel" "no verified kernel"
has "the final" "The final on"
has "the cause with its meaning" "values beyond the error bound"

# Times that are none, and a problem whose traffic nobody knows.
sqlite3 "$db" "DROP TRIGGER try_final; UPDATE try SET median_ns = 1e999 WHERE rowid % 3 = 0 AND status = 'ok';
    UPDATE try SET ended = 'soon', started = ''; UPDATE problem SET bytes = NULL; UPDATE program SET text = '?';
    UPDATE device SET copy_gbs = 1e999"
expect "times that are none" 0 "" "$lift" report "$db" -o "$page"
strict "are no numbers of the page" "$page"

sqlite3 "$db" "PRAGMA foreign_keys = OFF; DELETE FROM finalist; DELETE FROM check_result; DELETE FROM timing;
    DELETE FROM try; DELETE FROM session; DELETE FROM problem; DELETE FROM program; DELETE FROM device"
expect "an empty database" 0 "" "$lift" report "$db" -o "$page"
strict "is strict as well" "$page"
has "and says so" "No tries of these"
finish
