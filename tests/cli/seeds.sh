#!/bin/sh
# A second exploration begins with the best kernels of the first at other sizes.
. "$(dirname "$0")/cli.sh"

if ! command -v sqlite3 >/dev/null 2>&1; then
    skip "seeds" "sqlite3 is not installed"
    finish
    exit
fi

db=$work/seeds.db
few="--jobs 1 --no-final-benchmark --no-naive --max-exprs 12 --db $db --quiet"
small="$work/small.lift"

# The seeds of the exploration at nx, in the order in which they were tried.
seeds() { # nx
    query "$db" "SELECT t.expr || ' ' || t.tunables FROM trials t
        WHERE t.phase = 'seed' AND t.sizes ->> '\$.nx' = $1 ORDER BY t.started"
}

expect "at one size" 0 "GPts/s" "$lift_explore" "$small" $few --trials 6
verdict "there was nothing to begin with" "$(seeds 40)"
expect "at another" 0 "seeds timed first" "$lift_explore" "$small" $few --trials 9 \
    --size nx=48
verdict "a share is left for the search" "$([ "$(seeds 48 | wc -l)" = 3 ] || seeds 48)"
verdict "seeds are good trials" "$(query "$db" "SELECT s.expr, s.tunables FROM trials s
    WHERE s.phase = 'seed' AND NOT EXISTS (SELECT 1 FROM trials t WHERE t.status = 'ok'
        AND t.expr = s.expr AND t.sizes ->> '\$.nx' = 40)")"
verdict "the best comes first" "$([ "$(seeds 48 | sed -n '1s/ .*//p')" = "$(query "$db" \
    "SELECT expr FROM best_kernel WHERE sizes ->> '\$.nx' = 40")" ] || seeds 48)"
verdict "they come before all else" "$(query "$db" "SELECT s.started FROM trials s, trials t
    WHERE s.phase = 'seed' AND t.phase = 'search' AND t.session = s.session
        AND t.started < s.started")"
expect "without them" 0 "GPts/s" "$lift_explore" "$small" $few --trials 2 --size nx=50 --no-seeds
verdict "none" "$(seeds 50)"

# The best expression gets another name: it is recognised by its options.
seeds_of() { # ny
    query "$db" "SELECT t.expr || ' ' || t.tunables FROM trials t
        WHERE t.phase = 'seed' AND t.sizes ->> '\$.ny' = $1"
}
best=$(query "$db" "SELECT expr FROM best_kernel WHERE sizes ->> '\$.nx' = 40")
other=f$(echo "$best" | cut -c2-31)f
sqlite3 "$db" "
    INSERT INTO expr SELECT '$other', level, size, bytes, text
        FROM expr WHERE id = '$best';
    INSERT INTO deriv SELECT '$other', parent, rule, position, args,
        depth, later FROM deriv WHERE child = '$best';
    INSERT INTO macro_use SELECT '$other', parent, macro, position,
        steps, depth FROM macro_use WHERE child = '$best';
    INSERT INTO configuration SELECT '$other', options FROM configuration WHERE expr = '$best';
    UPDATE candidate SET expr = '$other' WHERE expr = '$best';"
expect "expressions of another name" 0 "seeds timed first" "$lift_explore" "$small" \
    $few --trials 3 --size nx=40,ny=26
# The candidate, identified by its content, is still that of the other name.
verdict "are known by their options" "$([ "$(seeds_of 26 | sed 's/ .*//')" = "$other" ] ||
    seeds_of 26)"

finish
