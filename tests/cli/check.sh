#!/bin/sh
# 'lift check', from the outside: output for programs, and error messages.
#   sh tests/cli/check.sh ROOT LIFT
. "$(dirname "$0")/cli.sh"

has() { # what, line that the last output has to have, whatever the spaces
    verdict "$1" "$(sed "s/$nbsp/ /g; s/  */ /g" "$work/out" | grep -qxF " $2" || cat "$work/out" "$work/err")"
}
nbsp=$(printf '\302\240')

run env LIFT_CC=/nonexistent/cc "$lift" check programs/acoustic.lift
verdict "a program, without any compiler" "$([ "$status" -eq 0 ] || cat "$work/err")"
has "its sizes" "sizes nx=512, ny=512, nz=404; 105,906,176 points"
has "what it reads of neighbours" "reads cur[z-1..z+1][y-1..y+1][x-1..x+1]: 7 points, star, radius 1; \
pad constant 1+1 in z, y, x"
has "and of the point" "reads prev[z][y][x]: 1 point"
has "its output" "output next [[[f32]512]512]404, 424 MB"
has "its traffic" "traffic 1.27 GB: 847 MB read, 424 MB written; 12.0 bytes a point"
has "its operations" "operations 13 flop a point (add 6, sub 2, mul 5); 22 others (comparisons, choices, \
conversions, integers)"
has "and how they compare with the traffic" "intensity 1.08 flop/byte"
has "its time loop" "time loop prev <- cur, cur <- next"
has "what may be done in place" "in place next may be stored in prev"
expect "given sizes" 0 "nx=20, ny=18, nz=16; 5,760 points" \
    "$lift" check programs/acoustic.lift --size nx=20,ny=18,nz=16
expect "a given precision" 0 "24.0 bytes a point" \
    "$lift" check programs/acoustic.lift --precision double
traffic_of() { # steps of the series
    "$lift" check tests/programs/acoustic_shot.lift --size "nx=16,ny=16,nz=16,nt=$1" | sed -n 's/^  traffic *//p'
}
verdict "of a series of all steps, the elements that a step reads count" \
    "$([ -n "$(traffic_of 8)" ] && [ "$(traffic_of 8)" = "$(traffic_of 90000)" ] || { traffic_of 8; traffic_of 90000; })"
expect "several programs" 0 "programs/heat.lift: heat, f32, relaxed" \
    "$lift" check programs/srad1.lift programs/heat.lift
has "points of a border that is kept" "sizes nx=256, ny=256, nz=256; 16,777,216 points, 16,387,064 inside \
of the border"
has "a border that is kept does not make operations fewer" "operations 15 flop a point (add 6, sub 3, mul 6)"
has "a parameter" "parameters q0sqr: f32 = 0.0537872203"

cat >"$work/odd.lift" <<'END'
size n = 100
cfun f32 half(f32 a) "return 0.5f * a;"
stencil odd(u: [[f32]64]n, v: [f32](2*n)) -> (a, b) =
  (map2(w -> w[0][0] + w[1][2], slide2((2, 3), 1, pad(1, 0, wrap, map(pad(2, 0, clamp), u)))),
   map(s -> half(s[1]) + s[0], slide(2, 2, v)))
END
# Possible decisions of a kernel.
run "$lift" check programs/acoustic.lift
has "options that do not apply" "intermediates 1 does not apply"
has "options of tiles" "tiling guarded, divisible, shifted, remainder, slabs, pencils, two_level"
has "of temporal blocking" "temporal 14 do not apply"
verdict "options in families, of one kind of device" "$(grep -q ' streaming  *register_column, planes$' "$work/out" &&
    grep -q ' async (groups)' "$work/out" && grep -q ' omp_simd (threads)' "$work/out" || cat "$work/out")"
run "$lift" check programs/heat.lift programs/elastic2d.lift --json
verdict "of several programs they are asked for" "$(! grep '"decision"' "$work/out")"
run "$lift" check programs/heat.lift programs/elastic2d.lift --json --decisions
verdict "why not" "$([ "$(query "$work/check.db" "SELECT o.value ->> '\$.threads.why'
    FROM json_each(readfile('$work/out'), '\$[0].options') o WHERE o.value ->> '\$.option' = 'stored'")" = \
    "'intermediates=stored' does not apply: no computed grid is read by windows, or by several" ] || cat "$work/out")"

run "$lift" check "$work/odd.lift"
has "an asymmetric footprint" "reads u[y-1..y][x-2..x]: 2 points; halo y 1+0, x 2+0; \
pad wrap 1+0 in y; pad clamp 2+0 in x; for a"
has "a footprint with steps" "reads v[2x..2x+1]: 2 points; for b"
has "functions in C" "C functions half (line 2): their code runs when the program runs"

# Against the table of the documents.
run "$lift" check --json programs/*.lift
verdict "all programs" "$([ "$status" -eq 0 ] || cat "$work/err")"
query "$work/check.db" "CREATE TABLE f AS SELECT value AS j FROM json_each(readfile('$work/out'));
    SELECT '| \`' || json_extract(j, '\$.program') || '\` | ' ||
        json_array_length(json_extract(j, '\$.outputs[0].shape')) || ' | ' ||
        (SELECT max(json_extract(r.value, '\$.points'))
         FROM json_each(json_extract(j, '\$.inputs')) i,
              json_each(json_extract(i.value, '\$.reads')) r) || ' | ' ||
        ((json_extract(j, '\$.traffic.read') + json_extract(j, '\$.traffic.written')) /
            json_extract(j, '\$.points'))
    FROM f" | sort >"$work/said"
awk -F' [|] ' '/^\| `/ && NF == 6 { sub(/-/, "_", $1); sub(/ \|$/, "", $6)
    print $1 " | " gsub("x", "", $5) + 1 " | " $2 " | " $6 }' docs/programs.md |
    sort >"$work/table"
verdict "dimensions, points and bytes are those of docs/programs.md" \
    "$(diff "$work/table" "$work/said" 2>&1)"

# ---- mistakes
ends_with 2 "$lift" check tests/errors/*.lift
verdict "malformed programs: status 2" "$([ "$status" -eq 2 ] || echo "$status")"
set -- tests/errors/*.lift
verdict "each is looked at and has a caret" "$(grep -c '\^' "$work/err" | grep -qx $# || cat "$work/err")"
complaints=$(for program; do
    head -n 1 "${program%.lift}.expected" | grep -qFf - "$work/err" || echo "$program"
done)
verdict "with the message of the other commands" "$complaints"
ends_with 2 "$lift" check "$1" programs/heat.lift "$work/nosuch.lift"
verdict "a wrong one first: the others follow" "$([ "$status" -eq 2 ] &&
    grep -q '^programs/heat.lift: heat' "$work/out" && grep -q nosuch.lift "$work/err" ||
    cat "$work/out" "$work/err")"
ends_with 2 "$lift" check --json programs/heat.lift "$1"
verdict "JSON says where" "$([ "$status" -eq 2 ] && [ "$(query "$work/check.db" "SELECT
    json_extract(readfile('$work/out'), '\$[0].valid', '\$[1].valid', '\$[1].errors[0].line')")" = \
    '[true,false,3]' ] || cat "$work/out")"
expect "no program" 2 "which programs?" "$lift" check
rejected "an unknown size" 2 "'heat' 'nw'" "$lift" check programs/heat.lift --size nw=3
expect "a malformed size" 2 "'nx'" "$lift" check programs/heat.lift --size nx
expect "no precision" 2 "'half'" "$lift" check programs/heat.lift --precision half
rejected "arrays too large" 2 "heat.lift:11:21:" "$lift" check programs/heat.lift --size nx=2147483647,ny=2147483647
rejected "a folder" 2 "'programs'" "$lift" check programs

# Work that does not end: an error or an answer comes after a few seconds.
cat >"$work/endless.lift" <<'END'
size n = 64
stencil endless(x: [f32]n) -> y = map(fun(v => iterate(1000000000, fun(a => a * 0.5 + v), v)), x)
END
expect "a thousand million steps" 2 "more than 200 million steps of the interpreter" \
    timeout "$(patient 100)" "$lift" check "$work/endless.lift"
awk 'BEGIN { t = "f32"; while (n++ < 130) t = "[" t "]1"; print "stencil deep(x: " t ") -> y = x" }' >"$work/deep.lift"
expect "a hundred and thirty dimensions" 0 "1 points" timeout "$(patient 100)" "$lift" check "$work/deep.lift"
verdict "nothing was written" "$(find "$work" -name '*.db' ! -name check.db)"

# Programs that no family was written for have a kernel on each kind of device, and one format.
for program in bench/unseen/*.lift; do
    run "$lift" fmt "$program"
    verdict "$program is in the one format" "$(diff "$program" "$work/out")"
    for device in host cuda:sm_90; do
        run "$lift" explore "$program" --device $device --print-space --sample 1 --max-exprs 2
        verdict "$program for $device" "$([ "$status" -eq 0 ] || cat "$work/err")"
    done
done
finish
