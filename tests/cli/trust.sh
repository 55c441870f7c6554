#!/bin/sh
# Databases of strangers: lift verifies their content and runs none of their code. And two
# explorations that create one database concurrently.
. "$(dirname "$0")/cli.sh"

program() { # name, body
    printf 'size n = 4096\nstencil %s(x: [f32]n) -> y = map(v -> %s, x)\n' "$1" "$2" >"$work/$1.lift"
}
program twice 'v * 2.0f'
program more 'v + 3.0f'
query() { # database, SQL
    sqlite3 "$1" "$2" 2>&1
}

# ---- two concurrent explorations: both have a trial, however long the start takes.
# The lock of measurements is in TMPDIR; others measure meanwhile.
for i in 1 2; do
    env TMPDIR="$work" "$lift_explore" "$work/twice.lift" --seconds 0.1 --no-final-benchmark --verbose --db "$work/t.db" \
        >"$work/said$i" 2>&1 &
    eval "explorer$i=$!"
done
for i in 1 2; do
    status=0
    eval "wait \$explorer$i" || status=$?
    verdict "exploration $i of two concurrent ones" "$([ "$status" -eq 0 ] || cat "$work/said$i")"
done
verdict "both have tried something" "$(query "$work/t.db" "SELECT id FROM session WHERE id NOT IN
    (SELECT session FROM trial WHERE status = 'ok')")"
verdict "one of them has measured the bandwidth" "$(
    [ "$(cat "$work/said1" "$work/said2" | grep -c ', measuring the copy bandwidth')" -eq 1 ] ||
        cat "$work/said1" "$work/said2")"

# ---- candidates of another program, by way of a folder of CSV files
expect "another program" 0 "" "$lift_explore" "$work/more.lift" --trials 1 --no-final-benchmark --db "$work/t.db"
expect "export" 0 "" "$lift" db export --csv "$work/csv" --best 1 --db "$work/t.db"
candidate() { # program
    query "$work/t.db" "SELECT t.candidate FROM best_kernel b JOIN trial t ON t.id = b.trial
        WHERE program = '$1'"
}
one=$(candidate twice) other=$(candidate more)
sed -i "s/$one/@/; s/$other/$one/; s/@/$other/" "$work/csv/trial.csv"
expect "import" 0 "2 new trials" "$lift" db import "$work/csv" --db "$work/s.db"
for emit in expr source json host; do
    expect "--emit $emit passes a kernel of another program over" 0 \
        "1 of the database's expressions is passed over, the first" \
        "$lift" best "$work/twice.lift" --db "$work/s.db" --emit $emit -o "$work/kernel.c"
done
verdict "and says why" "$(grep -q 'no derivation leads to it from this program' "$work/err" ||
    cat "$work/err")"
cc=${LIFT_CC:-cc}
verdict "the substituted kernel is correct" "$("$cc" -O1 -fopenmp -o "$work/kernel" "$work/kernel.c" -lm \
    2>&1 && "$work/kernel" --runs 1 --warmup 0 >"$work/out" 2>&1 || cat "$work/out")"
expect "rebuild rejects the kernel, too" 1 " lost " \
    "$lift" db rebuild twice --db "$work/s.db"
expect "doctor finds the error" 1 "2 trials are of expressions of another program" \
    "$lift" db doctor --db "$work/s.db"
expect "and repairs the database" 0 "2 trials are of expressions of another program: repaired" \
    "$lift" db doctor --repair --db "$work/s.db"
rejected "so that the kernel is not listed as best" 1 "twice" "$lift" best twice --db "$work/s.db"

# ---- names of macros, which are text: the rules of now need not have them
cp "$work/t.db" "$work/m.db"
query "$work/m.db" "UPDATE OR IGNORE macro_use SET macro = 'formerMacro3'"
expect "a former macro is named" 0 "formerMacro3:" \
    "$lift" best "$work/twice.lift" --db "$work/m.db" --emit host
query "$work/m.db" "UPDATE OR IGNORE macro_use SET macro = '*/ evil'"
run "$lift" best "$work/twice.lift" --db "$work/m.db" --emit host
verdict "an invalid name is omitted" "$([ "$status" -eq 0 ] || cat "$work/err"
    grep evil "$work/out")"

# ---- characters that a terminal obeys
cp "$work/t.db" "$work/return.db"
query "$work/return.db" "DROP TRIGGER trial_ended;
    UPDATE program SET name = 'twi' || char(13) || 'ce' WHERE name = 'twice';
    UPDATE device SET name = 'a' || char(13) || 'b', arch = char(13);
    INSERT INTO trial SELECT 'f' || substr(id, 2), candidate, problem, device, session, 'crash',
        'x' || char(13) || 'y', NULL, NULL, started, ended, phase, env, NULL, NULL, NULL, NULL
        FROM trial LIMIT 1"
for command in best show "show --failures" "show --decisions" "show --families" "db stats" "db doctor"; do
    # words
    # shellcheck disable=SC2086
    attempt "$lift" $command --db "$work/return.db"
    verdict "$command prints no carriage return" "$([ "$status" -le 1 ] || echo "status $status"; cat "$work/out" "$work/err" | tr '\r' '@' | grep @
        [ -s "$work/out" ] || echo "it prints nothing")"
done

# ---- functions in C, in the text of a stored program
cp "$work/t.db" "$work/c.db"
query "$work/c.db" "UPDATE program SET text = 'size n = 4096
stencil twice(x: [f32]n) -> y = map(v -> userFun(\"f32 h(f32 a) { return 2.0f * a; }\", v), x)'
    WHERE name = 'twice'"
expect "C code of a database is rejected" 2 "give the program's file" \
    "$lift" best "$work/c.db" twice --emit host
expect "nor compiled by a rebuild" 1 " lost " "$lift" db rebuild twice --db "$work/c.db"
expect "unless the file is given" 0 "1 compiled" "$lift" db rebuild "$work/twice.lift" --db "$work/c.db"

# ---- code in a database
cp "$work/t.db" "$work/code.db"
query "$work/code.db" "CREATE TRIGGER evil AFTER INSERT ON session BEGIN DELETE FROM trial; END;
    DROP VIEW verified; CREATE VIEW verified AS SELECT id AS trial FROM trial" >/dev/null
trials=$(query "$work/code.db" "SELECT count(*) FROM trial")
rejected "an exploration rejects a trigger" 1 "evil" \
    "$lift_explore" "$work/twice.lift" --trials 1 --db "$work/code.db"
rejected "a reader rejects the database" 1 "--repair" "$lift" best --db "$work/code.db"
rejected "a merge rejects the database" 1 "--repair" "$lift" db merge "$work/m.db" "$work/code.db"
expect "doctor names foreign views and triggers" 1 "not of the schema: view 'verified', trigger 'evil'" \
    "$lift" db doctor --db "$work/code.db"
expect "and drops them" 0 "repaired" "$lift" db doctor --repair --db "$work/code.db"
expect "then the database opens" 0 "twice" "$lift" best --db "$work/code.db"
verdict "nothing has run" "$([ "$trials" -gt 0 ] &&
    [ "$(query "$work/code.db" "SELECT count(*) FROM trial")" = "$trials" ] || echo "trials are gone")"
finish
