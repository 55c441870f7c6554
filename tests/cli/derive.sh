#!/bin/sh
# Looking at rules: derive, rules show and doc, the tree of a database.
. "$(dirname "$0")/cli.sh"

hotspot=programs/hotspot2d.lift
expect "a macro, step by step" 0 "1. tiling(2) at .: " "$lift" derive $hotspot -a 'tiling(2)'
verdict "what did not change is folded" "$(grep -q '\.\.\.' "$work/out" || echo no dots)"
expect "the rules of a macro" 0 "tileZip(2) at 1.0.1.0.1.1, in tiling=guarded, in tiling(2)" \
    "$lift" derive $hotspot --family smem --device opencl --trace
expect "a rule at a described place" 0 "3. mapSeq at 1.1.0" "$lift" derive $hotspot \
    -a 'mapGlb(1)' -a 'mapGlb(0)@loop' -a 'mapSeq@nth(2, map)' --trace
"$lift" derive $hotspot -a 'mapPar@.' --emit term >"$work/term" 2>"$work/err"
verdict "the final term alone" "$(sed -n 1p "$work/term" | grep -v '^mapPar(')$(cat "$work/err")"
expect "a kernel for OpenCL" 0 "get_global_id(1)" "$lift" derive $hotspot --family gmem \
    --emit source --device opencl
expect "a kernel for the host" 0 "omp parallel for" "$lift" derive $hotspot --family omp_rows \
    --emit source --size nx=17,ny=9
expect "tunables of a kernel" 0 "[120]" "$lift" derive $hotspot --family smem --emit source \
    --device opencl --set tile_y=8,tile_x=10,block_x=16
# A block has the threads that the kernel needs, unless the user sets another number.
for family in planes_semi planes_semi_prefetch star_split_plane_first_row_vector star_split_plane_first; do
    expect "work-items for the sums of $family" 0 "get_local_id(0)" "$lift" derive programs/acoustic.lift \
        --family $family --device opencl --emit source
done
# The semi-stencil keeps R + 1 planes of 40 x 24 elements, copies of the next plane one more.
for kept in planes_semi_specialised:4800 planes_semi_prefetch_specialised:5760 planes_semi_async_specialised:5760; do
    "$lift" derive programs/acoustic_tti.lift --family ${kept%:*} --device cuda:sm_80 --emit source \
        --set tile_z=64,tile_y=16,tile_x=32,block_x=32,block_y=16 >"$work/out" 2>"$work/err"
    verdict "planes of ${kept%:*}" "$([ "$(grep -c "__shared__.*\[${kept#*:}\];" "$work/out")" = 2 ] ||
        grep __shared__ "$work/out" "$work/err")"
done
for program in acoustic_vd fd_xyz; do
    expect "planes of $program" 0 "[4800];" "$lift" derive programs/$program.lift --family planes_semi --device cuda \
        --emit source --set tile_z=64,tile_y=16,tile_x=32,block_x=32,block_y=16
done
expect "valid values" 1 "these values are valid: --set " "$lift" derive programs/acoustic.lift --family planes_semi \
    --device opencl --emit source --set tile_y=8,tile_x=8,block_x=2,block_y=2
serve=$(sed 's/.*--set //' "$work/err")
expect "they do" 0 "get_local_id(0)" "$lift" derive programs/acoustic.lift --family planes_semi \
    --device opencl --emit source --set "$serve"
expect "two reasons, where none serve" 1 "; with other tunables: no code: a stored" "$lift" derive \
    programs/srad.lift --family star_split_shift_tma --device cuda --emit source
expect "tunables as 'lift best' prints them" 0 "__launch_bounds__(128 * 2 * 1, 2)" "$lift" derive $hotspot \
    --family gmem --device cuda --emit source --set '{"fast_math":1,"index_bits":32,"block_x":128,"block_y":2,"min_blocks":2}'
expect "and those of the host" 0 "omp parallel for" "$lift" derive $hotspot --family omp_rows --emit source \
    --set '{"compiler":1,"simd_bits":512}'
rejected "an unknown tunable of a block" 1 "'local3'" "$lift" derive $hotspot --family gmem \
    --device cuda --emit source --set local3=4
rejected "an unknown tunable" 1 "'k7'" "$lift" derive $hotspot --family smem \
    --emit source --device opencl --set k7=8
expect "tunables that violate a constraint" 1 "; these values are valid: --set tile_x=4,tile_y=4" "$lift" derive $hotspot \
    -a 'tileExact(2)' -a 'tilesToInputs(2)' -a simdInner --emit source --set tile_y=3,tile_x=4
expect "no code of a high-level term" 1 "no code" "$lift" derive $hotspot --emit source
expect "where a rule applies instead" 1 "'mapPar' does not apply at 0.0.0; it does at ., 0.0, 1" \
    "$lift" derive $hotspot -a mapPar@0.0.0
# Barriers are decided before the folding and unrolling of streams, which preserve them.
for more in register_rotation=unrolled planes_per_step=several_planes planes_per_step=divisible_planes planes_per_step=several_planes,register_rotation=unrolled; do
    expect "boxes that readers count, with $more" 0 "lift_await_readers(" "$lift" derive programs/heat.lift \
        --family star_split_shift --decide buffering=triple,copy=tma,barrier=slot_counter,halo=allocated,pitch=aligned,$more --device cuda \
        --emit source --size nx=64,ny=32,nz=16 --set tile_z=4,tile_y=8,tile_x=32,block_x=32,block_y=4
done
rejected "a rule that applies nowhere" 1 "'stream(3)' 'hotspot2d'" \
    "$lift" derive $hotspot -a 'stream(3)'
rejected "a strategy that fails" 1 "'one(mapUnroll)'" "$lift" derive $hotspot \
    -a mapSeq -a 'one(mapUnroll)' -a 'one(mapUnroll)'
rejected "unknown rule" 2 "--apply:1:1: 'nosuch'" "$lift" derive $hotspot -a nosuch
rejected "a misspelt rule" 2 \
    "--apply:1:1: 'tilling(2)' 'tiling(2)'?" \
    "$lift" derive $hotspot -a 'tilling(2)'
verdict "is shown as it was written" "$(printf 'tilling(2)\n^~~~~~~~~~\n' | diff - "$work/err" | grep '^<')"
rejected "at a place" 2 "--apply:1:1: 'tiel(2)' tile(2) 'tile(2)'?" \
    "$lift" derive $hotspot -a 'tiel(2)@loop(2)'
rejected "an unknown place" 2 "--apply:1:9: 'slied'" \
    "$lift" derive $hotspot -a 'tile(2)@slied'
rejected "a malformed path" 2 "--apply:1:9:" \
    "$lift" derive $hotspot -a 'tile(2)@0.x'
rejected "more than the rule" 2 "--apply:1:8: ')'" "$lift" derive $hotspot -a 'tile(2))'
rejected "no place" 2 "--apply:1:9:" "$lift" derive $hotspot -a 'tile(2)@'
rejected "no rule" 2 "--apply:1:1:" "$lift" derive $hotspot -a '@loop'
rejected "within a strategy" 2 "--apply:1:14: 'tilimg(2)' 'tiling(2)'?" \
    "$lift" derive $hotspot -a 'seq(tile(2), tilimg(2))'
rejected "a name without its number" 2 "--apply:1:1: 'tile' tile(1) tile(2) tile(3)" \
    "$lift" derive $hotspot -a tile
rejected "an invalid instance" 2 "--apply:1:1: 'tile(9)' 'tile'" \
    "$lift" derive $hotspot -a 'tile(9)@loop(1)'
run "$lift" derive $hotspot -a tile2
verdict "a former name of a rule works, and the output names the new one" "$([ "$status" -eq 0 ] &&
    grep -q "note: 'tile2' is called 'tile(2)' now" "$work/err" || cat "$work/err")"
run "$lift" derive $hotspot --decide tile=guarded,level=threads --decide hostBlocked,tile=guarded \
    --each --build-only --device host
verdict "and so do options and families, each said once" "$([ "$status" -eq 0 ] &&
    [ "$(grep -c "note: 'tile=guarded' is called 'tiling=guarded' now" "$work/err")" -eq 1 ] &&
    grep -q "'hostBlocked' is called 'omp_blocked' now" "$work/err" || cat "$work/err")"
expect "two numbers, as they come" 0 "1. turn(1, 2) at" "$lift" derive $hotspot -a 'turn(1,2)'
rejected "a misspelt combinator" 2 "--apply:1:1: 'sequ' 'seq'?" \
    "$lift" derive $hotspot -a 'sequ(tile(2))'
rejected "unknown place" 2 "--apply:1:8: 'nosuch'" "$lift" derive $hotspot -a mapSeq@nosuch
expect "derive needs a program" 2 "which program?" "$lift" derive
expect "unknown device" 2 "'gpu'" "$lift" derive $hotspot --device gpu
expect "an unknown kind of output" 2 "'all'" "$lift" derive $hotspot --emit all

# Kernels between the passes of the code generator.
expect "the passes" 0 "barriers  cuda,hip,opencl" "$lift" derive --dump-after help
passes=$(sed 's/ .*//' "$work/out")
# shellcheck disable=SC2016
verdict "docs/internals.md lists them in their order" "$(
    grep -o '^| `[a-z]*` |' docs/internals.md | tr -d '|` ' >"$work/listed"
    for pass in $passes; do echo "$pass"; done | grep -v '^generate$' >"$work/passes"
    grep -Fx -f "$work/passes" "$work/listed" | diff - "$work/passes")"
smem="$hotspot --family smem --device opencl --emit source"
# names and options are words
# shellcheck disable=SC2086
{
    "$lift" derive $smem >"$work/whole"
    for pass in $passes; do
        "$lift" derive $smem --dump-after "$pass" >"$work/after-$pass" 2>"$work/err" ||
            echo "$pass: $(cat "$work/err")"
    done >"$work/refused"
    verdict "a text behind each" "$(cat "$work/refused"; [ -n "$passes" ] || echo none)"
    verdict "the last one's is the source" "$(diff "$work/whole" "$work/after-meet")"
    verdict "barriers come with their pass" "$(grep -l 'barrier(' "$work"/after-* |
        grep -v 'after-\(barriers\|meet\)$'; grep -q 'barrier(' "$work/after-barriers" || echo none)"
    chunks="programs/jacobi2d5.lift --steps 2 --decide intermediates=stored,temporal=overlapped_slabs,parallel=blocks"
    run "$lift" derive $chunks --device opencl --emit source --dump-after barriers
    verdict "some are under a test" "$(grep -q '^     .*barrier(' "$work/out" || cat "$work/out")"
    run "$lift" derive $chunks --device opencl --emit source
    verdict "and come out of it" "$(grep '^     .*barrier(' "$work/out"
        grep -q '^    barrier(' "$work/out" || cat "$work/out" "$work/err")"
    async="programs/acoustic_iso.lift --family star_split_plane_first_quadruple --set tile_z=6,tile_y=4,tile_x=16,block_x=4,block_y=4"
    expect "a text of no dialect, where that has none" 0 " async" "$lift" derive $async \
        --device cuda --emit source --dump-after scalars
    verdict "with its loops" "$(grep -q 'lcl(0) l' "$work/out" || echo none)"
    expect "and that of the dialect later" 0 "lift_copy<" "$lift" derive $async --device cuda \
        --emit source --dump-after copies
    expect "loops over lanes, before they are vectors" 0 "#pragma omp simd" "$lift" derive $hotspot \
        --family omp_vector_rows --emit source --dump-after held
    rejected "a misspelt pass" 2 "'scalar' 'scalars'? --dump-after" \
        "$lift" derive $smem --dump-after scalar
    rejected "a pass of no source" 2 "--dump-after --emit" "$lift" derive $hotspot \
        --dump-after scalars
}
cat >"$work/own.rules" <<'END2'
macro twoSeq exact like mapSeq = seq(mapSeq, at("0", one(mapSeq)))
  doc "the two outer loops"
END2
expect "a user's strategy" 0 "1. twoSeq at .: 2 steps" "$lift" derive $hotspot \
    --rules "$work/own.rules" --force-rules -a twoSeq

sizes=nx=17,ny=9
expect "a verified kernel" 0 "ok {" "$lift" derive $hotspot --family omp_blocked --verify --size $sizes
verdict "with both checks" "$(grep -q 'at small sizes largest.*at nx=17,ny=9 largest' "$work/out" ||
    cat "$work/out")"
expect "a tunable by its short name" 0 "reqd_work_group_size(4, 2, 1)" "$lift" derive $hotspot \
    --family smem --emit source --device opencl --size nx=61,ny=47 --set tile_y=8,tile_x=10,block_x=4,block_y=2

# Terms are equal whatever their variables are called, and so are their sources.
cat >"$work/named.lift" <<'END2'
size nx = 64, ny = 48
stencil named(grid: [[f32]nx]ny) -> out =
    map2(fun(w => { let mean = reduce((sum, x) => sum + 0.3 * x, 0.0, w[1]) / 3.0; mean * mean + w[0][1] }),
        slide2(3, 1, pad2(1, 1, clamp, grid)))
END2
sed 's/(w /(area /; s/w\[/area[/g; s/mean/c/g; s/sum/acc/g; s/\([(, ]\)x\([ ),]\)/\1item\2/g' "$work/named.lift" \
    >"$work/renamed.lift"
verdict "a program with other names" "$(cmp -s "$work/named.lift" "$work/renamed.lift" && echo "the same")"
for kernel in "omp_rows --device host" "gmem --device opencl" "smem --device cuda"; do
    for file in named renamed; do
        # options are words
        # shellcheck disable=SC2086
        "$lift" derive "$work/$file.lift" --emit source --size nx=64,ny=48 --family $kernel >"$work/$file.source" 2>&1
    done
    verdict "one source: $kernel" "$(grep -q 'acc_' "$work/named.source" || cat "$work/named.source"
        diff "$work/named.source" "$work/renamed.source")"
done
expect "CUDA: room for three groups, in the text" 0 "__launch_bounds__(16 * 8 * 1, 3)" "$lift" derive \
    $hotspot --family gmem --emit source --device cuda --size nx=61,ny=47 --set block_x=16,block_y=8,min_blocks=3
expect "HIP: their waves on each of four units" 0 "__launch_bounds__(16 * 8 * 1, 2)" "$lift" derive \
    $hotspot --family gmem --emit source --device hip --size nx=61,ny=47 --set block_x=16,block_y=8,min_blocks=3
expect "as many as the compiler likes" 0 "__launch_bounds__(16 * 8 * 1) " "$lift" derive $hotspot \
    --family gmem --emit source --device cuda --size nx=61,ny=47 --set block_x=16,block_y=8
expect "given tunables" 0 '"tile_x":7,"tile_y":5' "$lift" derive $hotspot --family omp_blocked --verify \
    --size $sizes --set tile_y=5,tile_x=7
expect "several choices" 0 "ok {" "$lift" derive $hotspot --family omp_blocked --verify --size $sizes \
    --draws 3 --seed 4
verdict "each of them its line" "$([ "$(grep -c '^ok {' "$work/out")" -eq 3 ] || cat "$work/out")"
expect "several kernels" 0 "omp_rows: ok {" "$lift" derive $hotspot --family omp_blocked --family omp_rows \
    --each --verify --size $sizes
verdict "each of them" "$(grep -q '^omp_blocked: ok {[^;]*"tile_x"' "$work/out" || cat "$work/out")"
expect "a family without tunables for the sizes" 1 "omp_faces: constraint: no values of the tunables fit" \
    "$lift" derive $hotspot --family omp_faces --family omp_rows --each --verify --size nx=17,ny=1
verdict "keeps no other" "$(grep -q '^omp_rows: ok {' "$work/out" || cat "$work/out")"
expect "an inapplicable family has a line" 1 "shift: not derived: parallel=threads is for another kind" \
    "$lift" derive $hotspot --family shift -a mapPar@0.0.0 --family omp_rows --each --verify --size $sizes
verdict "and so has a rule, and all others are verified" "$(grep -q '^omp_rows: ok {' "$work/out" &&
    grep -q "^mapPar@0.0.0: not derived: 'mapPar' does not apply at 0.0.0; it does" "$work/out" || cat "$work/out")"
expect "inapplicable families only" 1 "not derived" "$lift" derive $hotspot --family shift --each --verify --size $sizes
expect "an unknown family" 2 "'nosuch'" "$lift" derive $hotspot --family nosuch --family omp_rows \
    --each --verify --size $sizes
cat >"$work/one.lift" <<'END2'
size n = 64
stencil one(x: [f32]n) -> out =
    map(fun(w => 0.25 * w[0] + 0.5 * w[1] + 0.25 * w[2]), slide(3, 1, pad(1, 1, clamp, x)))
END2
# Most draws have no code, so the first seed with a kernel serves.
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    "$lift" derive "$work/one.lift" --random 100 --build-only --device host --seed $seed >"$work/out" 2>&1 && break
done
expect "fewer random points than requested" 0 "1000 draws found no further configuration" "$lift" derive \
    "$work/one.lift" --random 100 --build-only --device host --seed $seed
points=$(sed -n 's/ random configurations; .*//p' "$work/out")
verdict "each of them once" "$(sed -n 's/: ok {.*//p' "$work/out" | sort | uniq | wc -l |
    awk -v n="$points" '$1 == 0 || $1 > n' ; grep ': ok' "$work/out" | sed 's/: ok.*//' | sort | uniq -d)"
rejected "each of nothing" 2 "--apply --each --verify" "$lift" derive $hotspot --each --verify
expect "sizes as numbers" 0 "ok {" "$lift" derive $hotspot --family omp_rows --verify --size $sizes --fixed-sizes
# Inputs lie on both sides of the program's thresholds, so that a lost comparison shows.
compared() { # name, rule, body
    printf 'rule %s reassociates\n  %s\n' "$1" "$2" >"$work/$1.rules"
    printf 'relaxed stencil %s(x: [[f32]48]40) -> out =\n    map2(fun(w => %s), slide2(3, 1, pad2(1, 1, clamp, x)))\n' \
        "$1" "$3" >"$work/$1.lift"
    expect "$1 verifies" 0 "ok {" "$lift" derive "$work/$1.lift" --family omp_rows --verify
    expect "$1 without its comparison does not" 1 "wrong {" "$lift" derive "$work/$1.lift" \
        --rules "$work/$1.rules" --force-rules -a "$1" -a 'each(outer, mapPar)' -a simdInner --verify
    expect "and the check refutes the rule" 1 " refuted " "$lift" rules check "$work/$1.rules"
}
mean='0.25 * (w[0][1] + w[1][0] + w[1][2] + w[2][1])'
compared clampAtTwo 'min(x, 2.0) ~> x' "min($mean, 2.0)"
compared clampAtHundred 'min(x, 100.0) ~> x' "min($mean, 100.0)"
compared clampBelow 'max(-100.0, x) ~> x' "max(-100.0, $mean)"
compared choice 'if x < 100.0 then y else z ~> y' "if w[1][1] < 100.0 then w[0][1] else 2.0 * w[1][1]"
cat >"$work/wrong.rules" <<'END2'
rule wrong exact
  a + b ~> a - b
END2
expect "a wrong kernel" 1 "wrong {" "$lift" derive $hotspot --rules "$work/wrong.rules" \
    --force-rules -a wrong --family omp_rows --verify --size $sizes
verdict "and how the result differs" "$(grep -q 'differs.* values wrong, first at' "$work/out" ||
    cat "$work/out")"
rejected "unknown tunables" 1 "'k7'" "$lift" derive $hotspot --family omp_rows \
    --verify --size $sizes --set k7=2
expect "nothing to verify" 1 "codegen" "$lift" derive $hotspot --verify --size $sizes
rejected "verify on an unknown device" 1 "'nosuch'" "$lift" derive $hotspot --family omp_rows \
    --verify --size $sizes --device nosuch
rejected "verify or emit" 2 "--emit --verify" "$lift" derive $hotspot --verify --emit term

expect "where a rule applies in a program" 0 "'tile(2)' applies at 1 position of 'hotspot2d'" \
    "$lift" rules show 'tile(2)' $hotspot
expect "a rule of a user's file" 0 "at(\"0\", one(mapSeq))" "$lift" rules show twoSeq \
    --rules "$work/own.rules"
expect "rules as a document" 0 "### smem" "$lift" rules doc
verdict "with all rules, instances together" "$("$lift" rules list | sed -n 's/^  //; s/  .*//p' |
    while read -r name; do
        grep -qE "^### (.*, )?$(echo "$name" | sed 's/[()]/\\&/g')(,|$)" "$work/out" || echo "no $name"
    done)"
expect "a declaration once" 0 "### tile(1), tile(2), tile(3)" "$lift" rules doc
verdict "and no word twice" "$(grep -niE '\<(after after|the the|of of)\>' "$work/out")"
expect "the families as tables" 0 "| \`smem\` |" "$lift" rules doc --families
verdict "one row for each" "$(test "$(grep -c '^| `' "$work/out")" -eq \
    "$("$lift" rules list | awk '/^families$/ { on = 1 } on && /^  / { n++ } END { print n }')" ||
    echo the numbers differ)"
# The reference has a section for each decision, and in it a row for each option.
page=docs/schedule-decisions.md
awk '$1 == "decision" { print $2 "=" $4 }
    $1 == "option" {
        for (of = 2; $of != "of"; of++)
            ;
        for (i = 2; i < of; i++)
            print $(of + 1) "=" $i
    }' src/rules/decisions*.rules | tr -d , | sort -u >"$work/options"
awk '/^###? / { decision = ""; if (/^### `/) { decision = $2; gsub(/`/, "", decision) } }
    decision && /^\| `/ {
        split($0, cell, " [|] ")
        n = split(cell[1], word, "`")
        for (i = 2; i <= n; i += 2)
            print decision "=" word[i]
    }' $page | sort >"$work/documented"
verdict "$page has every option, and no other" "$(diff "$work/options" "$work/documented")"
verdict "and names only families that there are" "$(sed -n '/^## Kernel families/,$p' $page | grep '^|' |
    grep -o '`[a-z0-9_]*`' | tr -d '`' | while read -r family; do
        grep -q "^| \`$family\`" "$work/out" || echo "no family $family"
    done)"
rejected "tables of nothing else" 2 "--families" "$lift" rules list --families
expect "the meaning of each tunable" 0 "| \`block_x\` |" "$lift" rules doc --tunables
sed -n '/^## Tunables/,/^## /p' $page | grep '^| `' | cut -d'|' -f2 | grep -o '`[a-z_]*`' >"$work/documented"
verdict "$page explains each, and no other" "$(grep '^| `' "$work/out" | cut -d'|' -f2 |
    while read -r names; do
        echo "$names" | grep -qFf "$work/documented" || echo "lacks $names"
    done
    while read -r name; do
        grep -qF "$name" "$work/out" || echo "no tunable $name"
    done <"$work/documented")"
expect "a tunable by a former name" 0 "tunable 'k1' is now called 'tile_x'" "$lift" derive $hotspot \
    --family omp_blocked --emit source --size nx=61,ny=47 --set k1=8
expect "one of a launch" 0 "tunable 'local0' is now called 'block_x'" "$lift" derive $hotspot \
    --family gmem --emit source --device cuda --size nx=61,ny=47 --set local0=16

run "$lift" explore "$work/small.lift" --trials 8 --max-exprs 8 --no-final-benchmark --db "$work/t.db" --quiet
expect "the tree of tried expressions" 0 "+- " "$lift" show small --tree --db "$work/t.db"
verdict "names every expression once" "$(query "$work/t.db" \
    'SELECT DISTINCT c.expr FROM trial t JOIN candidate c ON c.id = t.candidate' | cut -c1-12 |
    while read -r id; do
        [ "$(grep -c "$id" "$work/out")" -eq 1 ] || echo "$id"
    done)"
expect "the tree for Graphviz" 0 "n0 -> " "$lift" show small --dot --db "$work/t.db"
verdict "is one graph" "$(sed -n '$p' "$work/out" | grep -vx '}')"
# Points of the decisions.
expect "a family" 0 "omp parallel for" "$lift" derive $hotspot --family omp_rows --emit source
expect "families for comparisons" 0 "ok {" "$lift" derive programs/box3d1r.lift \
    --family naive_faces --verify --size nx=61,ny=47,nz=33
expect "with halos" 0 "naive_halo: ok {" "$lift" derive programs/acoustic_iso.lift --each \
    --family naive_halo --family sequential --verify --size nx=25,ny=17,nz=19
expect "a family with other options" 0 "ok {" "$lift" derive $hotspot --family omp_blocked \
    --decide parallel=omp_tasks,halo=allocated,pitch=aligned --verify --size $sizes
expect "a point" 0 "toLocal" "$lift" derive $hotspot --decide tiling=guarded,tile_cache=shared,parallel=blocks \
    --device opencl --emit term
expect "points, each a kernel" 0 "simd=omp_simd,parallel=omp_static: ok {" "$lift" derive $hotspot \
    --decide simd=omp_simd,parallel=omp_static --family omp_rows --each --verify --size $sizes
expect "families, some with other options" 0 "omp_rows,halo=allocated,pitch=aligned: ok {" "$lift" derive $hotspot \
    --family omp_rows --decide halo=allocated,pitch=aligned --family omp_blocked --each --verify --size $sizes
verdict "each begins with the program" "$(grep -q '^omp_blocked: ok {' "$work/out" || cat "$work/out")"
expect "a family in one word with its options" 0 "omp_rows,halo=allocated,pitch=aligned: ok {" "$lift" derive $hotspot \
    --decide omp_rows,halo=allocated,pitch=aligned --each --verify --size $sizes --draws 2
expect "families, built only" 0 "omp_rows: ok {" "$lift" derive $hotspot --family omp_blocked \
    --family omp_rows --each --build-only --size $sizes
expect "the steps of a family" 0 "mapSimd at 0.0, in parallel=omp_static, in simdInner" "$lift" derive $hotspot --family omp_rows \
    --trace
expect "random points" 0 "4 random configurations" "$lift" derive $hotspot --random 4 --build-only --seed 3
rejected "an unknown decision" 2 "'tyling' 'tiling'?" "$lift" derive $hotspot \
    --decide tyling=guarded
rejected "an option that was removed" 2 "'tile=mountains' removed temporal=paired_slabs" "$lift" derive $hotspot \
    --decide tile=mountains,parallel=omp_static
rejected "an option of a decision that was removed" 2 "'devices=two' removed --devices" "$lift" derive $hotspot \
    --decide devices=two
rejected "a family that was removed" 2 "'hostMountains' removed omp_paired_slabs" "$lift" derive $hotspot \
    --family hostMountains
rejected "an instance that was removed" 2 "'ringCopy(bulk)' removed circularCopy(tensor)" "$lift" rules show 'ringCopy(bulk)'
rejected "a rule that was removed" 2 "'stageWavesLag(1, 3)' removed wavefrontTiles" "$lift" rules show 'stageWavesLag(1, 3)'
rejected "an unknown option" 2 "'half' 'tiling' none guarded" "$lift" derive $hotspot \
    --decide tiling=half
rejected "an unknown family, misspelt" 2 "'localShyft'" "$lift" derive $hotspot --family localShyft
expect "options that exclude each other" 1 "window=circular needs streaming=planes" "$lift" derive $hotspot \
    --device cuda --decide window=circular,parallel=blocks,tiling=guarded
expect "an option for another device" 1 "parallel=blocks is for another kind of device" "$lift" derive $hotspot \
    --decide tiling=guarded,parallel=blocks
expect "an inapplicable option" 1 "'window=star_split' does not apply after 'tiling=guarded,streaming=planes'" \
    "$lift" derive programs/box2d1r.lift --device cuda --decide tiling=guarded,streaming=planes,window=star_split,parallel=blocks
cat >"$work/own.rules" <<'END'
decision pairs default apart after item
  doc "loops of pairs"

option joined of pairs exact like tile(2)
  = seq(at(loop(0), splitPadded), repeat(8, at(loop(0), mapUnroll)))
  doc "the innermost loop by twos"
  needs stream = none
  device threads

option four of points_per_thread exact like tile(2)
  = seq(at(loop(0), splitVector4), repeat(8, at(loop(0), mapUnroll)))
  doc "four of a row"
  device threads

family hostPairs = border parts, pairs joined, level threads
END
expect "a decision of a user's" 0 "ok {" "$lift" derive $hotspot --rules "$work/own.rules" --family hostPairs \
    --verify --size $sizes
expect "takes part in explorations" 0 "pairs=joined,parallel=omp_static" "$lift" explore $hotspot --print-space \
    --device host --rules "$work/own.rules" --size $sizes
verdict "as does an option of a user's" "$(grep -q 'points_per_thread=four' "$work/out" || cat "$work/out")"
expect "a family is shown" 0 "= tiling guarded, streaming planes" "$lift" rules show star_split_shift
expect "and its base family" 0 "family star_split_shift_async of star_split_shift = buffering triple, copy async" \
    "$lift" rules show star_split_shift_async
expect "and a decision" 0 "option tma of copy exact" "$lift" rules show copy

# Eight sizes, most of them no lengths of the grid: small ones for the interpreter are found all the same.
expect "small sizes where the tunables are large" 0 "ok {" "$lift" derive \
    examples/seismic/acoustic_pml_shot.lift --decide tiling=guarded,streaming=planes,parallel=omp_static \
    --set tile_z=1,tile_y=1000,tile_x=192 --verify --size nx=50,ny=50,nz=50

finish
