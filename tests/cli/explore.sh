#!/bin/sh
# A whole exploration on the host, and the output of the commands on it.
. "$(dirname "$0")/cli.sh"

db=$work/lift.db
small="$work/small.lift"
expect "explore" 0 "GPts/s" "$lift_explore" "$small" --trials 6 --max-exprs 20 --db "$db"
verdict "the summary says where the database is" \
    "$(grep -q "$db" "$work/out" || echo "not in: $(cat "$work/out")")"
expect "a second session, as JSON" 0 '"verified"' "$lift" explore "$small" --trials 4 --no-final-benchmark \
    --max-exprs 20 --db "$db" --json --quiet
cp "$work/out" "$work/result.json"
verdict "quiet is quiet" "$(cat "$work/err")"
# The search chooses expressions by measured times.
tiled=$("$lift_explore" "$small" --print-space --max-exprs 20 |
    sed -n 's/^\([0-9a-f]*\) .* boundary=copied,tiling=guarded,parallel=omp_static$/\1/p')
expect "one expression" 0 "" "$lift_explore" "$small" --expr "$tiled" --trials 1 --no-final-benchmark --db "$db" --quiet
verdict "is the one that was tried last" "$([ "$(query "$db" "SELECT c.expr LIKE '$tiled%' FROM trial t
    JOIN candidate c ON c.id = t.candidate WHERE phase <> 'recheck' ORDER BY t.started DESC LIMIT 1")" = 1 ] || echo "$tiled")"
expect "best: the next commands" 0 "  next: lift best small" "$lift" best small --db "$db"
# on a busy machine, one more says how to time the kernel again
verdict "in six lines" "$([ "$(grep -vc '^ *time it again' "$work/out")" -eq 6 ] || cat "$work/out")"
expect "best, with all details" 0 "derivation" "$lift" best small --db "$db" --verbose
expect "best by file and size" 0 "GPts/s" "$lift" best "$small" --db "$db" --size nx=40
expect "best of other sizes" 0 "nearest size" "$lift" best small --db "$db" --size nx=41
expect "best on another device" 1 "no verified kernel" "$lift" best small --db "$db" \
    --device nosuch
expect "best as JSON" 0 '"derivation"' "$lift" best small --db "$db" --json
cp "$work/out" "$work/best.json"
expect "the kernel's source" 0 "for (" "$lift" best small --db "$db" --emit source
expect "the expression" 0 "map" "$lift" best small --db "$db" --emit expr
expect "show" 0 "verified" "$lift" show small --db "$db"
expect "which kernels no final benchmark timed" 0 " ms  unconfirmed  " "$lift" show small --db "$db"
expect "show failures" 0 "small" "$lift" show "$small" --failures --db "$db"
expect "show of none" 1 "'nosuch'" "$lift" show nosuch --db "$db"
hash=$("$lift" best small --db "$db" --verbose | sed -n 's/^  expression *//p')
expect "show an expression" 0 "derivation" "$lift" show --expr "$hash" --db "$db"
"$lift" show small --tree --db "$db" >"$work/tree"
verdict "points that begin alike share a branch" "$([ "$(grep -c '^+- boundary=copied' "$work/tree")" -eq 1 ] &&
    grep -q '^[| ] .*+- parallel=' "$work/tree" || cat "$work/tree")"
cat >"$work/wide.lift" <<'END'
size nx = 40, ny = 34, nz = 30
stencil wide(grid: [[[f32]nx]ny]nz) -> out =
    inset3(4, 4, grid, map3(w => reduce(add, 0.0, w[4][4]), slide3(9, 1, grid)))
END
expect "windows longer than the smallest sizes" 0 "GPts/s" "$lift_explore" "$work/wide.lift" \
    --trials 2 --no-final-benchmark --max-exprs 4 --db "$work/wide.db"
cat >"$work/forced.rules" <<'END'
rule forgetful exact
  take(m, drop(n, x)) ~> take(m, x)
decision forgetful default not after boundary
option yes of forgetful exact like forgetful
  = topdown(forgetful)
END
expect "a forced rule" 0 "wrong: differs" "$lift_explore" "$small" --trials 2 --no-final-benchmark --decide omp_rows,forgetful=yes \
    --force-rules --rules "$work/forced.rules" --db "$work/forced.db"
# Options of a user's own: of an equation that matches somewhere within the sum, and of one with a tunable.
cat >"$work/own.rules" <<'END'
rule foldQuarter exact
  a * (b + c) ~> a * (c + b)
decision folded default not after division
option yes of folded exact like foldQuarter
  = topdown(foldQuarter)
rule ownTile exact
  tunable k in 2 .. 8
  map(f, x) ~> take(len(x), join(map(fun(c => map(f, c)),
                   split(k, pad(0, k * ceil(len(x) / k) - len(x), clamp, x)))))
option own of tile exact like ownTile
  = at(point, ownTile)
END
expect "a user's rules" 0 "GPts/s" "$lift_explore" "$small" --trials 60 --no-final-benchmark --verbose --rules "$work/own.rules" \
    --db "$work/own.db"
verdict "without a warning" "$(grep 'in no option' "$work/err")"
verdict "the output reports the size of the space" "$(grep -q '^[0-9]* low-level expressions were derived; [0-9]* of them tried' \
    "$work/out" || cat "$work/out")"
verdict "options of a user's own are tried first" "$([ "$(query "$work/own.db" "SELECT count(*) FROM (SELECT c.expr
    FROM trial t JOIN candidate c ON c.id = t.candidate ORDER BY t.started, t.rowid LIMIT 12)
    WHERE expr IN (SELECT expr FROM derivation WHERE rule IN ('foldQuarter', 'ownTile'))")" -ge 10 ] ||
    query "$work/own.db" "SELECT expr, rule FROM derivation")"
expect "and kept" 0 "not tried: the budget ended before" "$lift" show small --failures --db "$work/own.db"
cat >"$work/alone.rules" <<'END'
rule foldQuarter exact
  a * (b + c) ~> a * (c + b)
macro folding_ exact like foldQuarter
  = topdown(foldQuarter)
END
expect "rules of no option" 0 \
    "rules 'foldQuarter', 'folding_' are in no option of a decision: explorations do not use them" \
    "$lift_explore" "$small" --trials 1 --no-final-benchmark --rules "$work/alone.rules" --db "$work/own.db" --quiet
verdict "are named once" "$([ "$(grep -c foldQuarter "$work/err")" -eq 1 ] || cat "$work/err")"
# Points of the decisions in place of all families.
expect "a point" 0 "GPts/s" "$lift_explore" "$small" --trials 2 --no-final-benchmark --decide omp_blocked,halo=allocated,pitch=aligned --no-naive \
    --db "$work/point.db"
verdict "is all that is tried" "$([ "$(query "$work/point.db" 'SELECT count(DISTINCT expr) FROM candidate')" = 1 ] ||
    query "$work/point.db" 'SELECT * FROM candidate')"
expect "two points" 0 "host: 2 expressions" "$lift_explore" "$small" --print-space --decide omp_rows \
    --decide omp_rows,tiling=guarded
verdict "are listed as they are written" "$(grep -q ' boundary=copied,tiling=guarded,parallel=omp_static$' "$work/out" ||
    cat "$work/out")"
expect "an unknown option" 2 "--decide 'tiling=half': no option 'half' of 'tiling'" "$lift_explore" "$small" \
    --print-space --decide tiling=half
expect "an unknown family" 2 "--decide 'hostRoes': " "$lift_explore" "$small" --print-space --decide hostRoes
expect "incompatible options" 1 "'small' as 'omp_shift,window=circular' on 'host': window=circular needs streaming=planes" \
    "$lift_explore" "$small" --print-space --decide omp_shift,window=circular
cat >"$work/line.lift" <<'END'
size n = 100
stencil line(x: [f32]n) -> y = map(w -> w[0] + w[2], slide(3, 1, pad(1, 1, clamp, x)))
END
expect "an inapplicable option" 1 "'line' as 'omp_rows,tiling=slabs' on 'host': 'tiling=slabs' does not apply" \
    "$lift_explore" "$work/line.lift" --trials 1 --decide omp_rows,tiling=slabs --db "$work/point.db"
sed 's/line/twice/; s/= map.*/= map(e -> e + e, x)/' "$work/line.lift" >"$work/twice.lift"
expect "an option that would overwrite an array that is read later" 1 \
    "'update=in_place' does not apply: it overwrites an input that is needed again" \
    "$lift_explore" "$work/twice.lift" --trials 1 --decide omp_rows,update=in_place --db "$work/point.db"
cat >"$work/mixed.lift" <<'END'
exact
size n = 100
param a : f64 = 0.25
stencil mixed(x: [f64]n, k: [i32]n) -> (y, z) =
    (map(t -> reduce((p, q) -> p + q, 0.0d, t.0) * a, zip(slide(3, 1, pad(1, 1, mirror, x)), k)),
     map(t -> t.1[0] + t.0, zip(k, slide(2, 1, pad(0, 1, wrap, k)))))
END
expect "several outputs and types, a parameter" 0 " 5 verified" "$lift_explore" \
    "$work/mixed.lift" --trials 5 --no-final-benchmark --db "$work/mixed.db"
expect "devices" 0 "host" "$lift" devices
expect "devices as JSON" 0 '"device"' "$lift" devices --json
cp "$work/out" "$work/devices.json"

# Three failures of the only expression: the others of its points, some millions, are put off.
attempt timeout 300 "$lift_explore" "$1/programs/acoustic_pml.lift" --size nx=48,ny=40,nz=36,w=4 --seconds 3 \
    --no-final-benchmark --db "$work/strike.db" \
    --decide tiling=guarded,points_per_thread=vector_block,simd=explicit_shuffle,parallel=omp_static,halo=allocated,pitch=aligned,update=in_place
verdict "an expression that fails again and again" "$([ "$status" -le 1 ] || echo "status $status")"

# One Ctrl-C ends the exploration after the current trial.
: >"$work/err" # of the command before
"$lift_explore" "$small" --seconds 3600 --no-final-benchmark --max-exprs 20 --db "$db" >"$work/out" 2>"$work/err" &
pid=$!
await has_begun $pid
kill -INT $pid
status=0
wait $pid || status=$?
verdict "interrupted: status 0" "$([ $status -eq 0 ] || echo "status $status")"

if ! command -v sqlite3 >/dev/null 2>&1; then
    skip "contents of the database" "sqlite3 is not installed"
else
    for name in result best devices; do
        verdict "$name.json is JSON" "$(query :memory: \
            "SELECT 'not JSON' WHERE NOT json_valid(readfile('$work/$name.json'))")"
    done
    verdict "one best kernel" "$([ "$(query "$db" 'SELECT count(*) FROM best_kernel')" = 1 ] ||
        echo "$(query "$db" 'SELECT count(*) FROM best_kernel') rows")"
    verdict "no candidate was searched twice" "$(query "$db" \
        "SELECT candidate FROM trial WHERE phase IN ('search', 'seed') GROUP BY candidate
            HAVING count(*) > 1")"
    verdict "sessions say how they ended" "$([ "$(query "$db" \
        'SELECT group_concat(end_reason) FROM (SELECT * FROM session ORDER BY started)')" = \
        budget,budget,budget,interrupted ] || query "$db" 'SELECT end_reason FROM session')"
    verdict "good trials have their checks" "$(query "$db" "SELECT t.id FROM trial t
        WHERE t.status = 'ok' AND (SELECT count(*) FROM check_result WHERE trial = t.id) < 3")"
    for rule in foldQuarter ownTile; do
        verdict "$rule is in derivations of verified kernels" "$([ "$(query "$work/own.db" "SELECT
            count(*) > 0 FROM trials t JOIN derivation d ON d.expr = t.expr
            WHERE t.status = 'ok' AND d.rule = '$rule'")" = 1 ] || echo "it is not")"
    done
    verdict "not every expression has it" "$([ "$(query "$work/own.db" "SELECT count(DISTINCT t.expr)
        FROM trials t WHERE NOT EXISTS (SELECT 1 FROM derivation d WHERE d.expr = t.expr
            AND d.rule = 'foldQuarter')")" -gt 5 ] || echo "it has")"
    verdict "every pruned expression has a reason" "$(query "$work/own.db" "SELECT * FROM (SELECT
        sum(count) FILTER (WHERE what = 'expressions') AS all_of_them,
        sum(count) FILTER (WHERE what IN ('tried', 'not tried')) AS told FROM reach)
        WHERE all_of_them <> told")"
    verdict "macros are kept with their steps" "$([ "$(query "$db" "SELECT count(*) > 0 FROM derivation
        WHERE macros LIKE '%tiling(%' AND rule LIKE 'tile(%'")" = 1 ] || query "$db" 'SELECT * FROM macro_use')"
    verdict "a macro leads where its steps lead" "$(query "$db" "SELECT m.macro, m.steps,
        (SELECT count(*) FROM derivation d WHERE d.expr = m.child AND (d.macros = m.macro OR
            d.macros LIKE '%' || m.macro || '%')) AS n
        FROM macro_use m WHERE m.depth = 0 AND n < m.steps")"
    # A finalist of a far place had luck in the search, and so had one of another search later.
    cp "$db" "$work/luck.db"
    query "$work/luck.db" "DROP TRIGGER trial_ended;
        CREATE TEMP TABLE f AS SELECT f.place, t.candidate FROM finalist f JOIN trial t ON t.id = f.trial;
        UPDATE finalist SET low_ns = 100, median_ns = 100 + place, high_ns = 200;
        UPDATE trial SET median_ns = 1000;
        UPDATE trial SET median_ns = 1 WHERE phase = 'search' AND candidate = (SELECT candidate FROM f
            ORDER BY place DESC LIMIT 1);
        UPDATE trial SET median_ns = 2 WHERE id = (SELECT id FROM trial WHERE status = 'ok'
            AND candidate NOT IN (SELECT candidate FROM f) LIMIT 1)"
    "$lift" show small --db "$work/luck.db" | sed -n 's/^ *\([0-9]*\)\. .* ms  [a-z]* *\([0-9a-f]*\)  .*/\1 \2/p' \
        >"$work/listed"
    query "$work/luck.db" "SELECT f.place || ' ' || substr(c.expr, 1, 12) FROM finalist f JOIN trial t
        ON t.id = f.trial JOIN candidate c ON c.id = t.candidate ORDER BY f.place" >"$work/placed"
    verdict "the list begins with the final benchmark, in its order" "$(head -n "$(wc -l <"$work/placed")" \
        "$work/listed" | diff "$work/placed" -)"
    verdict "as does the best kernel" "$([ "$(query "$work/luck.db" "SELECT substr(expr, 1, 12)
        FROM best_kernel")" = "$(sed -n '1s/.* //p' "$work/listed")" ] || cat "$work/listed")"
    verdict "trials on the device do not fail" \
        "$(query "$db" "SELECT status, reason FROM trial WHERE status NOT IN ('ok', 'slow')")"
fi
finish
