#!/bin/sh
# Untrusted input: endless files in every place where a file is read, malformed folders of CSV and
# malformed databases, and names with terminal escape sequences.
. "$(dirname "$0")/cli.sh"

# A second is meant; the machine may be busy.
soon=$(patient 20)
soon() { # what, status, text, command
    name=$1 want=$2 text=$3
    shift 3
    expect "$name" "$want" "$text" timeout "$soon" "$@"
}

mkfifo "$work/pipe"
mkdir "$work/folder"
truncate -s 1T "$work/huge"
for path in "$work/pipe" /dev/zero "$work/folder"; do
    kind=$(stat -L -c %F "$path" |
        sed 's/^fifo/pipe/; s/character special file/device/; s/directory/folder/')
    text="it is a $kind, not a file"
    soon "$kind: best" 1 "$text" "$lift" best --db "$path"
    soon "$kind: best of a file" 1 "$text" "$lift" best "$work/small.lift" --db "$path" --emit host
    soon "$kind: show" 1 "$text" "$lift" show --db "$path"
    soon "$kind: report" 1 "$text" "$lift" report "$path" -o "$work/page.html"
    soon "$kind: explore" 1 "$text" "$lift_explore" "$work/small.lift" --trials 1 --db "$path"
    soon "$kind: merge from" 1 "$text" "$lift" db merge "$work/m.db" "$path"
    soon "$kind: merge into" 1 "$text" "$lift" db merge "$path" "$work/m.db"
    for command in stats doctor prune rebuild "export --view best" "export --csv $work/csv"; do
        # shellcheck disable=SC2086
        soon "$kind: $command" 1 "$text" "$lift" db $command --db "$path"
    done
    soon "$kind: import into" 1 "$text" "$lift" db import programs/tuned --db "$path"
    ln -sf "$path" "$work/other.lift"
    for command in "$lift_explore" "$lift best" "$lift derive" "$lift fmt"; do
        # shellcheck disable=SC2086
        soon "$kind: program of ${command##*/}" 2 "$text" $command "$work/other.lift"
    done
    soon "$kind: rules" 2 "$text" "$lift" rules check "$path"
    soon "$kind: rules of a derivation" 2 "$text" "$lift" derive "$work/small.lift" --rules "$path"
done
soon "a huge program" 2 "more than 1048576 bytes" "$lift" fmt "$work/huge"
soon "a huge file as database" 1 "it is not an SQLite database" "$lift" best --db "$work/huge"

# Imports, all or nothing.
db=$work/lift.db
expect "an import" 0 "new trials" "$lift" db import programs/tuned --db "$db"
spoiled() { # table, sed command: into $work/csv
    rm -rf "$work/csv"
    cp -r programs/tuned "$work/csv"
    sed -i "$2" "$work/csv/$1.csv"
}
refused() { # what, text; of $work/csv
    soon "$1" 1 "$2" "$lift" db import "$work/csv" --db "$work/new.db"
    verdict "$1: no database is made" "$(ls "$work"/new.db* 2>/dev/null)"
    rm -f "$work"/new.db*
}
for path in "$work/pipe" /dev/zero "$work/folder"; do
    spoiled expr ''
    rm "$work/csv/expr.csv"
    ln -s "$path" "$work/csv/expr.csv"
    refused "expr.csv is $path" "expr.csv': it is a"
done
spoiled program '2s/,"/,"\xe9/'
refused "no UTF-8" "program.csv:2:37: unexpected byte 0xe9"
spoiled device '3s/,132,/,-132,/'
refused "a number out of range" "device.csv:3:86: '-132' of column 'compute_units' is negative"
spoiled device '3s/NVIDIA H200/NVIDIA \x1b[31mH200/'
refused "an escape sequence" "unexpected byte 0x1b"
query "$db" "SELECT count(*) FROM trial" >"$work/before"
soon "into an existing database" 1 "unexpected byte 0x1b" "$lift" db import "$work/csv" --db "$db"
query "$db" "SELECT count(*) FROM trial" >"$work/after"
verdict "which stays as it is" "$(diff "$work/before" "$work/after")"

# A database with names that a terminal, a shell or a C compiler would interpret.
cp "$db" "$work/bad.db"
query "$work/bad.db" "UPDATE program SET name = char(27) || ']0;x' || char(7) || 'acoustic'
        WHERE name = 'acoustic';
    UPDATE device SET name = 'H200 */ ' || char(155) || '31m \$(touch $work/OWNED) \"''';
    UPDATE deriv SET rule = rule || char(13) || char(27) || '[1A';"
for command in "best" "show" "show --tree" "show --failures" "show --families" "show --decisions" "db stats" \
    "db export --view best" "best --json" "report --json"; do
    # shellcheck disable=SC2086
    run timeout "$(patient 60)" "$lift" $command --db "$work/bad.db"
    verdict "$command: nothing for the terminal" "$(LC_ALL=C grep -aP \
        '[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]' "$work/out" "$work/err" | cat -v)"
done
# A shell runs the commands of a report; a C compiler reads the emitted source.
query "$work/bad.db" "UPDATE program SET name = '\$(touch $work/OWNED)\`touch $work/OWNED\`; ''|'"
run "$lift" report "$work/bad.db" --json -o "$work/report.json"
report_commands "$work/report.json" | sed 's,^lift ,: ,' >"$work/commands"
verdict "a report proposes commands" "$([ -s "$work/commands" ] || echo none)"
run sh "$work/commands"
verdict "a shell reads nothing else in them" "$(ls "$work/OWNED" 2>/dev/null)"
expect "an exploration" 0 "" "$lift_explore" "$work/small.lift" --trials 2 --max-exprs 4 --no-final-benchmark \
    --db "$work/host.db"
query "$work/host.db" "UPDATE device SET name = name || ' */' || char(10) || '#error */'"
expect "emitted as C" 0 "" "$lift" best "$work/small.lift" --db "$work/host.db" --emit host -o "$work/small.c"
verdict "which says where it was explored" "$(grep -q '#error' "$work/small.c" || cat "$work/small.c")"
expect "in a comment" 0 "" cc -fsyntax-only -fopenmp "$work/small.c"
soon "a merge of invalid UTF-8" 1 "table 'device' has a 'name' that is not UTF-8" "$lift" db merge "$work/new.db" "$work/bad.db"
finish
