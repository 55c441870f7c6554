#!/bin/sh
# The space of an exploration: its size, parts of it, all of it.
. "$(dirname "$0")/cli.sh"

LIFT_CC=${CC:-gcc} # one compiler: no tunable says which
export LIFT_CC
db=$work/space.db
small="$work/small.lift"
# Processors with registers of 512 bits have a tunable of two values more: the preferred width.
widths=1
"$lift" devices | grep -q 'x86_64 avx512' && widths=2
expect "the size of the space" 0 \
    "host: 8 expressions, $((4712 * widths)) configurations, of which $((2356 * widths)) are valid" \
    "$lift_explore" "$small" --print-space --max-exprs 8 --db "$db"
verdict "no database is made for it" "$(ls "$db" 2>/dev/null)"
hash=$(sed -n 's/^\([0-9a-f]\{12\}\) .* boundary=copied,tiling=guarded,parallel=omp_static$/\1/p' "$work/out")
verdict "expressions are listed with their derivations" \
    "$([ -n "$hash" ] || cat "$work/out")"
expect "as JSON" 0 '"derivation": "boundary=copied,tiling=guarded,parallel=omp_static"' "$lift_explore" "$small" --print-space \
    --max-exprs 8 --json --db "$db"

# ---- combinations of options
expect "combinations of options come first" 0 \
    " combinations of options fit each other, the device and the contract" \
    "$lift_explore" "$small" --print-space --max-exprs 8 --sample 60
verdict "as a number" "$(sed -n 1,2p "$work/out" | tr '\n' ' ' |
    grep -v '^on host: [0-9]* combinations ')"
cp "$work/out" "$work/first"
verdict "each of a sample is made, or there is a reason" "$(awk '/^of 60 combinations drawn evenly, / { sum = $6; on = 1; next }
    on && !NF { on = 0 } on { if (last && $1 > last) print "not in order: " $0; last = $1; sum += $1 }
    END { if (sum != 60) print sum " of 60" }' "$work/first")"
verdict "the share has an interval, which has a width" "$(sed -n 's/^of 60 .*(\([0-9.]*\) %, 95 % interval \([0-9.]*\) to \([0-9.]*\) %.*/\1 \2 \3/p' \
    "$work/first" | awk '{ found = 1; if ($2 >= $3 || $1 < $2 || $1 > $3) print } END { if (!found) print "none" }')"
run "$lift_explore" "$small" --print-space --max-exprs 8 --sample 60
verdict "the sample is that of the seed" "$(diff "$work/first" "$work/out")"
run "$lift_explore" "$small" --print-space --max-exprs 8 --sample 400
verdict "expressions do not depend on it" "$(for out in first out; do
    sed '1,/^expression /d' "$work/$out" >"$work/$out.list"; done; diff "$work/first.list" "$work/out.list")"
run "$lift_explore" "$small" --print-space --max-exprs 8 --sample 60 --json
verdict "as JSON, too" "$(sqlite3 :memory: "SELECT CASE WHEN j ->> 'drawn' <> 60 OR j ->> 'exact' <> 1 OR
        (j ->> 'made') + (SELECT sum(value ->> 'count') FROM json_each(j, '\$.reasons')) <> 60
        OR (j ->> 'count') <> $(sed -n '2s/ .*//p' "$work/first") THEN j END
    FROM (SELECT json_extract(CAST(readfile('$work/out') AS TEXT), '\$.devices[0].combinations') AS j)")"
rejected "--sample of nothing" 2 "--sample --print-space" "$lift_explore" "$small" --sample 5
rejected "an invalid sample" 2 "--sample '0'" "$lift_explore" "$small" \
    --print-space --sample 0
# A user's decisions, more of them than can be counted.
for i in 1 2 3 4 5 6; do
    echo "decision own$i default no"
    for k in 1 2 3 4 5 6 7; do echo "option o$k of own$i"; done
done >"$work/many.rules"
echo "decision all default no" >>"$work/many.rules"
for i in 1 2 3 4 5 6; do echo "option o$i of all needs own$i = o1"; done >>"$work/many.rules"
expect "the output marks an estimate" 0 ", by random draws) combinations of options" "$lift_explore" \
    "$small" --print-space --max-exprs 8 --sample 5 --rules "$work/many.rules"

# ---- a part of the space
expect "one expression, some values" 0 \
    "host: 1 expressions, $((2 * widths)) configurations, of which $((2 * widths)) are valid" \
    "$lift_explore" "$small" --print-space --expr "$hash" --tunable tile_y=8,16 --tunable tile_x=6 \
    --db "$db"
expect "families, and other forms of a program's expression" 0 division=combined,boundary=copied,parallel=omp_static \
    "$lift_explore" "$1/programs/srad.lift" --print-space --max-exprs 80
expect "an invalid tunable" 1 "no expression of 'small' has a tunable 'k7'" \
    "$lift_explore" "$small" --print-space --max-exprs 8 --tunable k7=1
rejected "values that are none" 2 "--tunable 'tile_x'" "$lift_explore" "$small" --tunable tile_x
rejected "an invalid hash" 2 "--expr 'xyz'" "$lift_explore" "$small" --expr xyz
rejected "an invalid expression" 1 "'small' '0000000000' --print-space" \
    "$lift_explore" "$small" --print-space --expr 0000000000
expect "nor together with an existing expression" 1 "no expression begins with '0000000000'" "$lift_explore" \
    "$small" --print-space --max-exprs 8 --expr "$hash" --expr 0000000000
# Of enough expressions, two begin with the same digits.
"$lift_explore" "$1/programs/jacobi2d5.lift" --print-space --json --max-exprs 1000 >"$work/many"
sed -n 's/.*"expr": "\(....\).*/\1/p' "$work/many" | sort | uniq -d | head -n 1 >"$work/shared"
if [ -s "$work/shared" ]; then
    expect "a hash that is short for two" 1 "more than one expression begins with '$(cat "$work/shared")': " \
        "$lift_explore" "$1/programs/jacobi2d5.lift" --print-space --max-exprs 1000 --expr "$(cat "$work/shared")"
else
    skip "a hash that is short for two" "all hashes differ in their first four digits"
fi
expect "all of a small space" 0 "every candidate was tried" "$lift_explore" "$small" --exhaustive \
    --expr "$hash" --tunable tile_y=8,16 --tunable tile_x=6 --db "$db" --quiet --no-final-benchmark --table "$work/t"
verdict "its table has every point" \
    "$([ "$(grep -c '^point ' "$work/t")" = $((2 * widths)) ] || cat "$work/t")"
expect "a small space is exhausted by any search" 0 "every candidate was tried" "$lift_explore" \
    "$small" --expr "$hash" --tunable tile_y=8,16 --tunable tile_x=6,8 --trials 50 --no-final-benchmark --db "$db" --quiet --no-final-benchmark
verdict "known trials are not repeated" \
    "$(grep -q "^host: $((2 * widths)) trials" "$work/out" || cat "$work/out")"
expect "a space too large for a table" 1 "too many for a table" "$lift_explore" \
    "$1/programs/acoustic.lift" --trials 1 --no-final-benchmark --table "$work/t" --db "$db"
expect "techniques are listed" 0 "exhaustive" "$lift_explore" --technique help
rejected "an invalid technique" 2 "'guess'" "$lift_explore" "$small" \
    --technique guess

# ---- databases whose candidates have the former names of tunables
former() { # exploration of a few configurations
    run "$lift_explore" "$small" --decide boundary=copied,tiling=guarded,parallel=omp_static --exhaustive \
        --tunable tile_y=4,8 --tunable tile_x=8 --tunable compiler=gcc --db "$work/former.db" --quiet \
        --no-final-benchmark --no-naive --no-seeds
}
former
before=$(query "$work/former.db" "SELECT count(*) FROM trial")
verdict "several were tried" "$([ "$before" -ge 2 ] || echo "$before")"
query "$work/former.db" "UPDATE candidate SET tunables =
    replace(replace(replace(tunables, 'tile_y', 'k0'), 'tile_x', 'k1'), 'simd_bits', 'width')"
former
verdict "they are known by their former names" "$(query "$work/former.db" "SELECT count(*) FROM trial HAVING count(*) <> $before")"
expect "and so is the best one" 0 "k1=8" "$lift" best small --db "$work/former.db"
expect "whose kernel is made again" 0 "k1=8" "$lift" db rebuild --db "$work/former.db"

finish
