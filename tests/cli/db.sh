#!/bin/sh
# Databases from the outside: merging, exporting, importing, pruning, checking; and disks that
# fill, locks, folders and files that cannot be written.
. "$(dirname "$0")/cli.sh"

cat >"$work/tiny.lift" <<'END'
size n = 4096
stencil tiny(x: [f32]n) -> y = map(v -> v * 2.0f, x)
END
explore() { # database, seed
    run "$lift_explore" "$work/tiny.lift" --trials 4 --no-final-benchmark --seed "$2" --db "$1"
}
db() { # prints TAP: name, status, text, arguments of 'lift db'
    name=$1 want=$2 text=$3
    shift 3
    expect "$name" "$want" "$text" "$lift" db "$@"
}

db "no command" 2 "Usage: lift db"
db "unknown command" 2 "no command 'db nosuch'" nosuch
db "a misspelt command" 2 "no command 'db merg'; did you mean 'merge'?" merg
db "help" 0 "Usage: lift db" -h
for command in merge export import prune rebuild doctor stats; do
    db "help of $command" 0 "Usage: lift db $command" $command --help
    db "short help of $command" 0 "Usage: lift db $command" $command -h
    expect "help db $command" 0 "Usage: lift db $command" "$lift" help db $command
done
db "merge needs sources" 2 "expected TARGET and at least one SOURCE" merge "$work/x.db"
db "export needs a format" 2 "one of --csv and --view" export
db "import needs a folder" 2 "which folder" import
db "keep-top is a number" 2 "'no'" prune --keep-top no
verdict "no database was made by mistakes" "$(ls "$work"/*.db 2>/dev/null)"

explore "$work/a.db" 1
verdict "an exploration" "$([ "$status" -eq 0 ] || cat "$work/err")"
explore "$work/b.db" 2
db "stats" 0 "4 trials" stats --db "$work/a.db"
db "doctor is content" 0 "every page is valid" doctor --db "$work/a.db"
db "a database is not merged into itself" 2 "are one file" merge "$work/a.db" "$work/a.db"
db "a missing source" 1 "none.db" merge "$work/ab.db" "$work/none.db"
db "nor there behind another one" 1 "none.db" merge "$work/ab.db" "$work/a.db" "$work/none.db"
db "a missing folder" 1 "none" import "$work/none" --db "$work/ab.db"
for command in prune "doctor --repair" stats rebuild; do
    # words
    # shellcheck disable=SC2086
    db "nothing to $command" 1 "ab.db" $command --db "$work/ab.db"
done
verdict "none of them left a database" "$(ls "$work"/ab.db* "$work"/none.db* 2>/dev/null)"
db "merge" 0 "4 new trials" merge "$work/ab.db" "$work/a.db" "$work/b.db"
db "merge again" 0 "0 new trials, 0 new rows" merge "$work/ab.db" "$work/a.db"
db "merge the other way round" 0 "4 new trials" merge "$work/ba.db" "$work/b.db" "$work/a.db"
cp "$work/a.db" "$work/half.db"
query "$work/half.db" "UPDATE device SET copy_gbs = copy_gbs / 2, copy_at = '2020-01-01T00:00:00.000Z'"
db "copy bandwidths that differ are told by a merge" 0 \
    "percentages refer to the last measurement" merge "$work/half.db" "$work/a.db"
db "copy bandwidths that do not are not" 0 "" merge "$work/half.db" "$work/a.db"
verdict "in no line" "$(grep bandwidth "$work/out")"
db "export" 0 "" export --csv "$work/ab" --db "$work/ab.db"
db "export of the other" 0 "" export --csv "$work/ba" --db "$work/ba.db"
verdict "the order of merges does not matter" "$(diff -r "$work/ab" "$work/ba" 2>&1)"
db "export does not overwrite" 1 "not empty" export --csv "$work/ab" --db "$work/ab.db"
db "import" 0 "8 new trials" import "$work/ab" --db "$work/i.db"
db "export of the import" 0 "" export --csv "$work/i" --db "$work/i.db"
verdict "nothing is lost on the way" "$(diff -r "$work/ab" "$work/i" 2>&1)"
sed -i '3s/,/,,/' "$work/i/trial.csv"
db "a malformed file" 1 "i/trial.csv:3:" import "$work/i" --db "$work/j.db"
trials_of() { # database
    "$lift" db stats --db "$1" | sed -n 's/^  trial  *\([0-9]*\) .*/\1/p'
}
verdict "leaves nothing behind" "$(ls "$work"/j.db* 2>/dev/null)"
db "a view" 0 '"device","program","sizes"' export --view best --db "$work/ab.db"
for view in best trials timings; do
    db "$view with their precision" 0 '"dtype"' export --view $view --db "$work/ab.db"
done
db "an unknown view" 2 "'nosuch'" export --view nosuch --db "$work/ab.db"
run "$lift" best --db "$work/ab.db"
cp "$work/out" "$work/before"
db "prune" 0 "before," prune --keep-top 1 --db "$work/ab.db"
run "$lift" best --db "$work/ab.db"
verdict "the best is the same after it" "$(diff "$work/before" "$work/out" 2>&1)"
db "and the file well" 0 "every packed text" doctor --repair --db "$work/ab.db"

# Damage in the middle.
cp "$work/a.db" "$work/hurt.db"
size=$(stat -c %s "$work/hurt.db")
for page in 3 5 7 9 11; do
    dd if=/dev/urandom of="$work/hurt.db" bs=1 seek=$((size / 4096 * page / 12 * 4096)) \
        count=2000 conv=notrunc 2>/dev/null
done
ends_with 1 "$lift" db doctor --db "$work/hurt.db"
verdict "doctor sees damage" "$([ "$status" -eq 1 ] &&
    grep -qE "damaged|hurt.db': .*malformed" "$work/out" "$work/err" || cat "$work/out" "$work/err")"
db "which cannot be merged" 1 "hurt.db" merge "$work/safe.db" "$work/hurt.db"
verdict "and nothing of it came over" "$(ls "$work"/safe.db* 2>/dev/null)"

# A lock that another process holds.
mkfifo "$work/hold"
sqlite3 "$work/b.db" <"$work/hold" >/dev/null 2>&1 &
holder=$!
exec 9>"$work/hold"
printf 'BEGIN IMMEDIATE;\n.output %s\nSELECT 1;\n' "$work/held" >&9
await test -s "$work/held"
"$lift_explore" "$work/tiny.lift" --trials 9 --no-final-benchmark --db "$work/b.db" >"$work/locked" 2>&1 &
explorer=$!
db "a lock is waited for, then told" 1 "b.db': locked by another process" \
    merge "$work/b.db" "$work/a.db"
status=0
wait "$explorer" || status=$?
verdict "by an exploration, too" "$([ "$status" -eq 1 ] &&
    grep -q "b.db': locked by another process" "$work/locked" || cat "$work/locked")"
db "reading needs no lock" 0 "trials" stats --db "$work/b.db"
echo "ROLLBACK;" >&9
exec 9>&-
wait "$holder"
db "when it is gone all is well" 0 "new trials" merge "$work/b.db" "$work/a.db"

# No space to write. A limit on the size of files fails like a full disk.
as_guest() { # runs as a user whom permissions hold
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
    else
        "$@"
    fi
}
chmod 755 "$work"
mkdir "$work/ro"
cp "$work/a.db" "$work/ro/a.db"
chmod 644 "$work/ro/a.db"
chmod 555 "$work/ro"
expect "a read-only folder: reading" 0 "trials" as_guest "$lift" db stats --db "$work/ro/a.db"
expect "a read-only folder: merging" 1 "ro/a.db" as_guest "$lift" db merge "$work/ro/a.db" \
    "$work/b.db"
expect "a read-only folder: exploring" 1 "ro/new.db" as_guest "$lift_explore" \
    "$work/tiny.lift" --trials 1 --db "$work/ro/new.db"
chmod 755 "$work/ro"
cp "$work/a.db" "$work/full.db"
small=$work/small
mkdir "$small"
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=700k tmpfs "$small" 2>/dev/null; then
    trap 'umount "$small"; tap_end' EXIT
    rejected "a full disk: exploring" 1 "x.db" "$lift_explore" \
        "$work/tiny.lift" --trials 1000 --no-final-benchmark --db "$small/x.db"
    before=$(trials_of "$small/x.db")
    mount -o remount,size=16m "$small"
    db "nothing is broken" 0 "every page is valid" doctor --repair --db "$small/x.db"
    expect "with more space the exploration resumes" 0 "" "$lift_explore" "$work/tiny.lift" --trials 2 --no-final-benchmark \
        --db "$small/x.db"
    verdict "where it stopped" "$([ "$(trials_of "$small/x.db")" -gt "$before" ] ||
        echo "$before before, $(trials_of "$small/x.db") now")"
    umount "$small"
    trap tap_end EXIT
else
    skip "a full disk: exploring" "no small disk can be mounted here"
fi

limited() { # runs with files of at most so many blocks of 512 bytes
    sh -c 'ulimit -f "$1"; shift; exec "$@"' sh "$@"
}
rejected "a full disk: merging" 1 "full.db" limited 72 \
    "$lift" db merge "$work/full.db" "$work/i.db"
db "nothing is lost" 0 "every page is valid" doctor --db "$work/full.db"
verdict "nothing came half" "$([ "$(trials_of "$work/full.db")" = 4 ] || trials_of "$work/full.db")"
rejected "a full disk: exporting" 1 ".csv" limited 4 \
    "$lift" db export --csv "$work/part" --db "$work/b.db"
verdict "no half of an export stays" "$(ls -d "$work"/part* 2>/dev/null)"
finish
