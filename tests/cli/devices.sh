#!/bin/sh
# Grids that several devices share. 'sh tests/cli/devices.sh ROOT LIFT'.
. "$(dirname "$0")/cli.sh"

root=$1
cd "$work" || exit 99
go() { # arguments of 'lift run', without what it prints
    run "$lift" run --quiet "$@"
}
same() { # what, file, file: the last command ended well, and the files are the same
    verdict "$1" "$([ "$status" -eq 0 ] || cat err; cmp "$2" "$3" 2>&1)"
}
# Kernels of an exact program give the same bits at all sizes.
for name in acoustic heat lbm_d2q9; do
    { echo exact; cat "$root/programs/$name.lift"; } >$name.lift
done

# ---- results: places in the grid, a border that is kept, a ring
pulse='(z, y, x) => exp(-0.2 * ((x - 4) * (x - 4) + (y - 5) * (y - 5) + (z - 3) * (z - 3)))'
box=nx=11,ny=9,nz=13
go acoustic.lift --size $box --in prev=0 --in "cur=$pulse" --out cur=cur.npy
go acoustic.lift --in prev=0 --in cur=cur.npy --steps 9 --out prev=p1.npy --out next=n1.npy
go acoustic.lift --in prev=0 --in cur=cur.npy --steps 9 --devices host,host=2.5,host --out prev=p2.npy \
    --out next=n2.npy --snapshot 9:s%d.npy --checkpoint ck --checkpoint-every 4
same "three unequal parts" n1.npy n2.npy
same "both fields" p1.npy p2.npy
go acoustic.lift --in prev=0 --in cur=cur.npy --steps 9 --devices host,host=2.5,host --overlap yes --out prev=p4.npy \
    --out next=n4.npy
same "three unequal parts, boundary first" n1.npy n4.npy
same "both fields, boundary first" p1.npy p4.npy
same "and a snapshot" n1.npy s9.npy
go acoustic.lift --size $box --resume ck --steps 9 --devices host,host --exchange-every 2 --out next=n3.npy
same "resumed on two devices, with an exchange after every second step" n1.npy n3.npy
go acoustic.lift --size $box --resume ck --steps 9 --devices host,host --exchange-every 2 --overlap yes --out next=n5.npy
same "and boundary first" n1.npy n5.npy
go heat.lift --in grid=cur.npy --steps 5 --out out=h1.npy
go heat.lift --in grid=cur.npy --steps 5 --devices host,host --out out=h2.npy
same "a kept boundary" h1.npy h2.npy
go heat.lift --in grid=cur.npy --steps 5 --devices host,host --overlap yes --out out=h4.npy
same "and boundary first" h1.npy h4.npy
planes=13
ring() { # arguments
    go lbm_d2q9.lift --size nx=9,ny=$planes --in 'f5=(y, x) => 0.1 + 0.01 * sin(0.7 * x + y)' --in f0=0.4 --in f1=0.1 \
        --in f2=0.1 --in f3=0.1 --in f4=0.1 --in f6=0.03 --in f7=0.03 --in f8=0.03 --steps 7 "$@"
}
ring --out g5=l1.npy
ring --devices host,host --out g5=l2.npy
same "a ring of two" l1.npy l2.npy
ring --devices host,host,host --overlap yes --out g5=l3.npy
same "a ring of three, boundary first" l1.npy l3.npy
ring --devices host,host --overlap yes --exchange-every 2 --out g5=l3.npy
same "a ring of two that exchanges after two steps, boundary first" l1.npy l3.npy
planes=25
ring --out g5=l5.npy
ring --devices host,host,host --overlap yes --exchange-every 2 --out g5=l3.npy
same "a ring of three that exchanges after two steps, boundary first" l5.npy l3.npy
planes=13
ring --devices host=1 --overlap yes --out g5=l4.npy
same "a ring of one" l1.npy l4.npy

# ---- along two dimensions: planes, and rows of them
square() { # what to call: a cut, and the rest
    cut=$1
    shift
    go acoustic.lift --in prev=0 --in cur=cur.npy --steps 9 --cut "$cut" --out prev=p6.npy --out next=n6.npy "$@"
    same "$cut parts: $*" n1.npy n6.npy
    same "both fields of them" p1.npy p6.npy
}
square 2x2 --devices host,host=2,host=1.5,host --exchange peer
square 2x2 --devices host,host,host,host --exchange host --exchange-every 2
square 2x3 --devices host,host,host,host,host,host --snapshot 9:t%d.npy --checkpoint ck6 --checkpoint-every 4
same "and a snapshot of six parts" n1.npy t9.npy
square 1x3 --devices host,host,host --exchange-every 2
go acoustic.lift --size $box --resume ck6 --steps 9 --out next=n7.npy
same "resumed on one device" n1.npy n7.npy
go acoustic.lift --size $box --resume ck --steps 9 --devices host,host,host,host,host,host --cut 3x2 --out next=n7.npy
same "and on six devices" n1.npy n7.npy
go heat.lift --in grid=cur.npy --steps 5 --devices host,host,host,host --cut 2x2 --out out=h6.npy
same "a kept boundary, of both" h1.npy h6.npy
for cut in 2x2 1x4 4x1; do
    for every in 1 2; do
        ring --devices host,host=2,host,host --cut $cut --exchange-every $every --out g5=l6.npy
        same "a ring of both dimensions, $cut, exchanged after $every" l1.npy l6.npy
    done
done

# ---- a mirror reads inwards at the end, farther than the halo that parts exchange there
cat >mirror.lift <<'END'
exact
size nz = 26
stencil one(u: [f32]nz) -> v = map(w => 0.5 * w[2] + 0.25 * w[0] - 0.125 * w[1], slide(3, 1, pad(2, 0, mirror, u)))
time (u) <- (v)
END
go mirror.lift --in 'u=(z) => sin(0.7 * z)' --steps 5 --out u=m1.npy
go mirror.lift --in 'u=(z) => sin(0.7 * z)' --steps 5 --devices host,host --out u=m2.npy
same "a mirror" m1.npy m2.npy

# ---- kernels of the database that have planes otherwise in memory, at other numbers of planes
# Those of two compilers bring two libraries of OpenMP, over which the leak sanitizer ends by a signal.
kept=$ASAN_OPTIONS
export ASAN_OPTIONS="$kept:detect_leaks=0"
cat >box.lift <<'END'
exact
size nx = 16, nz = 24
fun point(w) = 0.25 * w[0][1] + 0.125 * w[1][0] + 0.5 * w[1][1] - 0.25 * w[2][2]
stencil box(u: [[f32]nx]nz) -> v = map2(point, slide2(3, 1, pad2(1, 1, constant 0.5, u)))
time (u) <- (v)
END
best() { # planes, configuration
    run "$lift" explore box.lift --size "nz=$1" --decide "$2" --trials 2 --no-naive --no-final-benchmark --db box.db
}
best 11 naive_halo
best 13 naive_halo,halo=none,pitch=default,update=out_of_place,stores=default,plane_pitch=default
best 1 naive_halo,halo=none,pitch=default,update=out_of_place,stores=default,plane_pitch=default
# Times of microseconds differ by chance so much that a kernel of other sizes would be preferred.
! command -v sqlite3 >/dev/null 2>&1 || query box.db "DROP TRIGGER trial_ended; UPDATE trial SET median_ns =
    (SELECT points FROM problem WHERE problem.id = trial.problem) WHERE median_ns IS NOT NULL"
box() { # arguments
    run "$lift" run box.lift --in 'u=(z, x) => sin(0.3 * z * x)' --steps 9 --db box.db "$@"
}
box --out v=v1.npy
for every in 1 2 4; do
    box --devices host,host --overlap yes --exchange-every $every --out v=v2.npy
    same "planes lie alike in all windows, exchanged after $every" v1.npy v2.npy
    [ $every -ne 1 ] ||
        verdict "by the kernel of the planes between" "$(grep -q 'kernel      exact' out &&
            grep -q 'overlapped with the computation' out || cat out err)"
done
box --devices host=11,host=13 --exchange peer --out v=v2.npy
same "planes lie alike in parts of which the best kernels differ" v1.npy v2.npy
ASAN_OPTIONS=$kept

# Another runtime computes the same within rounding; planes go through the host.
opencl=$("$lift" devices | sed -n 's/^\(opencl:[0-9]*\) .*/\1/p' | head -n 1)
if [ -n "$opencl" ]; then
    near() { # what; the status and h3.raw are those of the last command
        tail -c +129 h1.npy >h1.raw
        for f in h1 h3; do
            od -An -v -t f4 -w4 $f.raw >$f.txt
        done
        verdict "$1" "$([ "$status" -eq 0 ] || cat err; paste h1.txt h3.txt | awk '
            { d = $1 - $2; if (d > 1e-5 || d < -1e-5) print "element " NR ": " $2 " instead of " $1 }
            END { if (NR != 1287) print NR " elements" }' | head -n 5)"
    }
    go heat.lift --in grid=cur.npy --steps 5 --devices "$opencl,host" --out out=h3.raw
    near "a device of OpenCL and the host"
    go heat.lift --in grid=cur.npy --steps 5 --devices "$opencl,host,host,$opencl" --cut 2x2 --out out=h3.raw
    near "rows of a device of OpenCL and the host"
    expect "why planes go through the host" 0 "through the host (not from device to device: they are devices of several kinds)" \
        "$lift" run heat.lift --in grid=cur.npy --devices "$opencl,host"
    expect "kernels of two parts are explored before a device is opened" 0 "exact: explored at these sizes" \
        "$lift" run heat.lift --in grid=cur.npy --devices "$opencl,$opencl" --explore-seconds 1 --db new.db
else
    skip "a device of OpenCL and the host" "no OpenCL device"
fi

# ---- output
expect "how planes are shared out" 0 "4 + 9 planes (nz), 1 and 1 ghost planes, exchanged after each launch, from device to device" \
    "$lift" run heat.lift --in grid=cur.npy --devices host,host=2

expect "overlap of the exchange" 0 "from device to device, overlapped with the computation" \
    "$lift" run heat.lift --in grid=cur.npy --devices host,host --overlap yes
expect "kernels of an edge are explored, too" 0 "overlapped with the computation" "$lift" run heat.lift \
    --size nx=13,ny=11,nz=8 --in grid=1 --devices host,host --overlap yes --explore-seconds 1 --db edges.db
expect "boundary kernels, with their planes and ghost planes" 0 '"nz":3}' "$lift" show heat --db edges.db
expect "no overlap, with the reason" 0 "not overlapped with the computation: 'host' cannot copy while a kernel runs" \
    "$lift" run heat.lift --in grid=cur.npy --devices host,host --overlap auto

# ---- a device that hangs: its kernel has no end where a value is large, in the last planes
cat >hang.lift <<'EOF'
exact
size nx = 8, nz = 12

cfun f32 point(f32 n, f32 c, f32 s) "
    float next = 0.5f * c + 0.25f * (n + s) + 1.0f;
    volatile int stays = next > 105.0f;
    while (stays)
        continue;
    return next;
"

stencil hang(u: [[f32]nx]nz) -> v =
    map(fun(w => map(fun((a, b, c) => point(a, b, c)), zip(w[0], w[1], w[2]))), slide(3, 1, pad(1, 1, clamp, u)))

time (u) <- (v)
EOF
u='(z, x) => (if z > 10 then 103.0 else 0.0)'
go hang.lift --in "u=$u" --steps 92 --out u=v1.npy
for overlap in no yes; do
    rm -f ck
    expect "an unresponsive device, --overlap $overlap" 1 \
        "on 'host': no answer for 2 s, in the launch after step 92" \
        "$lift" run hang.lift --in "u=$u" --steps 200 --devices host,host --overlap $overlap --exchange-timeout 2 \
        --checkpoint ck --checkpoint-every 1
    go hang.lift --size nx=8,nz=12 --resume ck --steps 92 --out u=v2.npy
    same "the checkpoint before, --overlap $overlap" v1.npy v2.npy
done

# ---- temporal blocking
if command -v sqlite3 >/dev/null 2>&1; then
    two_depths deep.db heat.lift nx=11,ny=9,nz=9
    go heat.lift --in grid=cur.npy --steps 11 --out out=d1.npy
    deep() { # what, launches or parts that 'lift run' reports, arguments
        what=$1 launches=$2
        shift 2
        expect "$what" 0 "$launches" "$lift" run heat.lift --in grid=cur.npy --steps 11 --db deep.db --out out=d2.npy "$@"
        verdict "$what: the same bits" "$(cmp d1.npy d2.npy 2>&1)"
    }
    two="5 launches of 2 time steps, 1 single step"
    deep "two devices" "$two" --devices host,host
    verdict "with the ghost planes of two steps" "$(grep -qF '7 + 6 planes (nz), 2 and 2 ghost planes, exchanged after each launch of 2 time steps' \
        out || cat out)"
    deep "three devices, through the host" "$two" --devices host,host=2,host --exchange host
    deep "an exchange after two launches" "exchanged after 2 launches of 2 time steps" --devices host,host --exchange-every 2
    deep "rows as well" "$two" --devices host,host,host,host --cut 2x2
    deep "intervals of four and three steps" "4 launches of 2 time steps, 3 single steps" --devices host,host --snapshot 4:u%d.npy --checkpoint ckd --checkpoint-every 8
    go heat.lift --size $box --resume ckd --steps 11 --devices host,host --out out=d3.npy
    same "resumed without temporal blocking" d1.npy d3.npy
    deep "boundary planes first" "1 and 1 ghost planes, exchanged after each launch, " --devices host,host --overlap yes
    deep "parts of fewer planes than two steps read" "1 and 1 ghost planes, exchanged after each launch, " \
        --devices host=6,host=1,host=6
    deep "a state after each step" "1 and 1 ghost planes, exchanged after each launch, " --devices host,host --snapshot 1:u%d.npy
    # A kernel of two steps that cannot be derived again: single steps use the wider ghost planes.
    cp deep.db false.db
    query false.db "DELETE FROM deriv WHERE child IN (SELECT candidate.expr FROM candidate JOIN trial ON
        trial.candidate = candidate.id JOIN problem ON problem.id = trial.problem WHERE steps = 2)"
    deep "a kernel that cannot be derived again" "a kernel of 2 time steps a launch is not used" --devices host,host --db false.db
    verdict "single steps replace it" "$(grep -q 'launches *11 single steps; ' out || cat out)"
else
    skip "temporal blocking on several devices" "sqlite3 is not installed"
fi

# ---- errors before any launch
rejected "a halo wider than a part" 2 "1 2 'host' 6 13 'nz' 7" \
    "$lift" run heat.lift --in grid=cur.npy --devices host=6,host=7 --exchange-every 7
rejected "more devices than planes" 2 "0 4 'host' 'nz'" "$lift" run heat.lift --size nx=5,ny=5,nz=4 --in grid=1 \
    --devices host,host,host,host,host
expect "a missing database" 1 "cannot open 'nosuch.db'" "$lift" run heat.lift --in grid=cur.npy --devices host,host --db nosuch.db
rejected "an unknown device" 1 "'nosuch:0'" "$lift" run heat.lift --in grid=cur.npy --devices host,nosuch:0
rejected "no device" 2 "NAME=WEIGHT --devices" "$lift" run heat.lift --in grid=cur.npy --devices host,
rejected "an invalid weight" 2 "'host=0' --devices" "$lift" run heat.lift --in grid=cur.npy --devices host,host=0
rejected "one device or several" 2 "--device --devices" "$lift" run heat.lift --device host --devices host,host
rejected "nothing to exchange" 2 "--devices --exchange-every" "$lift" run heat.lift --exchange-every 2
rejected "nothing to overlap" 2 "--devices --overlap" "$lift" run heat.lift --overlap yes
rejected "no way to overlap" 2 "--overlap 'maybe'" "$lift" run heat.lift --devices host,host --overlap maybe
rejected "nothing to wait for" 2 "--devices --exchange-timeout" "$lift" run heat.lift --exchange-timeout 3
expect "parts with nothing between their ends" 2 "--overlap yes: part 1 has 1 planes" "$lift" run heat.lift \
    --in grid=cur.npy --devices host=1,host=12 --overlap yes
four="--devices host,host,host,host --cut 2x2"
rejected "a halo wider than the rows of a part" 2 \
    "1 4 'host' 5 9 'ny' 6" \
    "$lift" run heat.lift --in grid=cur.npy $four --exchange-every 6
rejected "other numbers of devices" 2 "--cut 2x3 6 2" \
    "$lift" run heat.lift --in grid=cur.npy --devices host,host --cut 2x3
rejected "parts of one device" 2 "--cut 2x2 4 1" \
    "$lift" run heat.lift --in grid=cur.npy --devices host --cut 2x2
rejected "an invalid cut" 2 "--cut '2x'" "$lift" run heat.lift --devices host,host --cut 2x
rejected "nothing to cut" 2 "--cut --devices" "$lift" run heat.lift --cut 2x2
expect "a program without rows" 2 "along its rows: the second length of the result is no size of the program" \
    "$lift" run mirror.lift --in u=1 $four
expect "rows by NCCL" 2 "--exchange nccl: rows of a grid that is cut along two dimensions are not contiguous in memory" \
    "$lift" run heat.lift --in grid=cur.npy $four --exchange nccl
expect "rows overlapped with the computation" 2 "--overlap yes: parts with neighbours along two dimensions cannot compute boundary planes first" \
    "$lift" run heat.lift --in grid=cur.npy $four --overlap yes
expect "the summary names rows" 0 "7 + 6 planes (nz) by 5 + 4 rows (ny), 1 and 1 ghost planes, 1 and 1 ghost rows, exchanged" \
    "$lift" run heat.lift --in grid=cur.npy $four --overlap auto
cat >square.lift <<'EOF'
size n = 8
stencil square(u: [[f32]n]n) -> v = map2(a => 2.0 * a, u)
time (u) <- (v)
EOF
rejected "a size of two dimensions" 2 \
    "'square' 'u' 'n'" \
    "$lift" run square.lift --in u=1 --devices host,host
finish
