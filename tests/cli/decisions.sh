#!/bin/sh
# Options of decisions: the options in a database, and their best times.
#   sh tests/cli/decisions.sh ROOT LIFT
. "$(dirname "$0")/cli.sh"

small="$work/small.lift"
db=$work/own.db
cat >"$work/own.rules" <<'END'
decision mine default not after tiling
option yes of mine exact like tile(2)
  = try(topdown(copyViews))
END
expect "an exploration" 0 "" "$lift_explore" "$small" --jobs 1 --trials 8 --no-final-benchmark --no-seeds \
    --quiet --rules "$work/own.rules" --max-exprs 200 --db "$db"

# ---- stored options
verdict "expressions of configurations are stored" \
    "$([ "$(query "$db" 'SELECT count(*) FROM configuration')" -gt 2 ] || query "$db" 'SELECT * FROM configuration')"
# A point made by hand is the expression that has it.
query "$db" "SELECT expr, options FROM configuration WHERE options <> ''" >"$work/points"
while IFS='|' read -r expr options; do
    query "$db" "SELECT sqlar_uncompress(text, bytes) FROM expr WHERE id = '$expr'" |
        sed '/^$/d; /^\(size\|input\|tunable\|param\) .*;$/d' >"$work/stored"
    "$lift" derive "$small" --rules "$work/own.rules" --decide "$options" --emit term >"$work/made"
    cmp -s "$work/stored" "$work/made" || echo "$expr is not $options"
done <"$work/points" >"$work/others"
verdict "with the options that make them" "$(cat "$work/others")"
verdict "and each is tried, and low-level" "$(query "$db" \
    "SELECT p.expr FROM configuration p JOIN expr e ON e.id = p.expr WHERE e.level <> 'low'
     OR p.expr NOT IN (SELECT expr FROM candidate)")"

# ---- shown options
expect "options, as a table" 0 "decision           option                       exprs  trials verified  speed   best" \
    "$lift" show --decisions --db "$db"
verdict "of a user, too" "$(grep -q '^mine .*not built in$' "$work/out" || cat "$work/out")"
verdict "and what no best kernel has" "$(awk '/^tried, and in no best kernel:/ { on = 1; next }
    !NF { on = 0 } on' "$work/out" | tr -d ' ' | tr ',' '\n' | grep . | sort >"$work/lost"
    query "$db" "SELECT decision || '=' || option FROM option_result WHERE option <> '(default)'
        GROUP BY decision, option HAVING max(best) = 0" | sort | comm -23 - "$work/lost")"
verdict "rules that no derivation has" "$(awk '/^rules that are in no derivation/ { on = 1; next }
    !NF { on = 0 } on' "$work/out" | sed 's/^ *//; s/,$//; s/, \([a-zA-Z]\)/\n\1/g' | grep . | sort >"$work/unused"
    query "$db" "SELECT DISTINCT rule FROM deriv" | sort | comm -12 - "$work/unused"
    grep -qx "circularCopy(tensor)" "$work/unused" || echo "circularCopy(tensor) is not among them")"
# A database of before has former names of some.
"$lift" show --decisions --db "$db" >"$work/today"
cp "$db" "$work/before.db"
query "$work/before.db" "UPDATE configuration SET options = replace(options,
    'boundary=copied', 'border=parts')"
"$lift" show --decisions --db "$work/before.db" >"$work/before"
verdict "options have today's names" "$(query "$work/before.db" 'SELECT options FROM configuration' |
    grep -q 'border=parts' || echo "no former name"; diff "$work/today" "$work/before")"
query "$work/before.db" "UPDATE macro_use SET macro = 'border=parts' WHERE macro = 'boundary=copied';
    UPDATE deriv SET rule = 'ringPlanes' WHERE rule = 'circularPlanes'"
"$lift" show small --tree --db "$db" >"$work/today"
"$lift" show small --tree --db "$work/before.db" >"$work/before"
verdict "and so have derivations" "$(grep -q 'boundary=copied' "$work/today" || echo "none"; diff "$work/today" "$work/before")"
expect "as JSON" 0 '"in_no_best_kernel": [' "$lift" show small --decisions --json --db "$db"
json() { # SQL of one column, with J for the answer
    query :memory: "$(echo "$1" | sed "s|J|CAST(readfile('$work/out') AS TEXT)|g")"
}
verdict "the trials of each decision are those of all points" "$(
    all=$(query "$db" 'SELECT sum(trials) FROM configuration_result')
    json "SELECT d.value ->> 'decision' FROM json_each(J, '\$.decisions') d WHERE $all <>
        (SELECT sum(value ->> 'trials') FROM json_each(d.value, '\$.options'))
        AND d.value ->> 'decision' <> 'mine'")"
verdict "the best kernel's options have its speed" "$(
    json "SELECT o.key || '=' || o.value FROM json_each(J, '\$.problems[0].best.options') o
        WHERE o.key || '=' || o.value NOT IN (SELECT (d.value ->> 'decision') || '=' ||
            (p.value ->> 'option') FROM json_each(J, '\$.decisions') d,
            json_each(d.value, '\$.options') p WHERE p.value ->> 'speed' >= 1
            AND p.value ->> 'best' = 1)")"
expect "of another device" 1 "no trials" "$lift" show --decisions --device none --db "$db"
expect "--json of other answers" 2 "--json needs --decisions" "$lift" show --json --db "$db"

# ---- databases older than stored options
query "$db" "DELETE FROM configuration"
expect "no options are stored" 0 "no options are stored of these expressions" \
    "$lift" show --decisions --db "$db"
verdict "and none seems to be tried" "$(awk '/^decision / { on = 1; next } !NF { on = 0 }
    on && / [0-9]+ +[0-9]+ +[0-9]+ /' "$work/out")"
finish
