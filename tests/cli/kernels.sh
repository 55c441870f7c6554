#!/bin/sh
# The kernels of a launch: the traffic of each in 'lift best', intermediates stored in the memory of
# results, and temporaries that share memory. 'sh tests/cli/kernels.sh ROOT LIFT'.
. "$(dirname "$0")/cli.sh"
cd "$root" || exit 1
"$lift" devices >"$work/devices"
elastic=programs/elastic2d.lift
stored=intermediates=stored,parallel=omp_static

cat >"$work/chain.lift" <<'END'
size nx = 61, ny = 47
fun step(u) = map2(w => 0.25 * (w[0][1] + w[2][1] + w[1][0] + w[1][2]), slide2(3, 1, pad2(1, 1, clamp, u)))
stencil chain(u: [[f32]nx]ny) -> v = iterate(6, step, u)
END
# A result that is a stage, one that is a part of it, moved, and one that is more than it.
cat >"$work/passed.lift" <<'END'
size nx = 61, ny = 47
fun around(u) = slide2(3, 1, pad2(1, 1, clamp, u))
stencil passed(u: [[f32]nx]ny) -> (same, moved, more, sum) {
    val s = map2(w => w[0][1] + w[2][1] - 2.0 * w[1][1], around(u))
    return map2(fun((w, x) => (w[1][1], w[1][2], 2.0 * w[1][1], x + w[0][0] + w[2][2])), zip2(around(s), u))
}
END
# Of other lengths: nothing is shared.
cat >"$work/halves.lift" <<'END'
size n = 62
stencil halves(x: [f32](2*n)) -> y {
    val s = map(w => w[0] + w[1], slide(2, 2, x))
    val t = map(w => w[0] - w[1], slide(2, 2, pad(0, n, clamp, s)))
    return map(w => w[0] * w[1], slide(2, 2, pad(0, n, mirror, t)))
}
END

# ---- memory
temps() { # program, options: temporaries of its kernels
    # shellcheck disable=SC2086
    "$lift" derive $1 --decide "$2" --emit source | grep -v '^ \*' | grep -o 'temp_[0-9_]*' | sort -u | grep -c .
}
has() { # what, wanted number of temporaries, program, options
    got=$(temps "$3" "$4")
    verdict "$1" "$([ "$got" -eq "$2" ] || echo "$got temporaries instead of $2")"
}
has "stages that are results need no memory" 0 $elastic $stored
verdict "nor a kernel" "$([ "$("$lift" derive $elastic --decide $stored --emit source |
    grep -c '^void elastic2d_[0-9]*(')" -eq 2 ] || echo "more than two")"
verdict "what a kernel only reads is constant there" "$("$lift" derive $elastic --decide $stored --emit source |
    grep '^void elastic2d_2(' | grep -q 'const float \*restrict wx' || echo "not wx")"
has "six steps take turns in the result and one more" 1 "$work/chain.lift" $stored
has "a time loop of five steps" 1 "programs/acoustic.lift --steps 5" $stored
has "a stage that is one result of four" 0 "$work/passed.lift" $stored
has "buffers of other lengths are not shared" 1 "$work/halves.lift" $stored
has "vectors pass on what they loaded" 0 "$elastic --device opencl" intermediates=stored,points_per_thread=vector4,parallel=threads

right() { # program, device, options
    # shellcheck disable=SC2086
    expect "$1 on $2: $3" 0 "ok" "$lift" derive $1 --decide intermediates=stored,$3 --verify --device "$2"
}
small="--size nx=37,ny=23"
for program in "$work/chain.lift" "$work/passed.lift" "$elastic $small" "$elastic $small --steps 2"; do
    for options in parallel=omp_static halo=allocated,pitch=aligned,parallel=omp_static boundary=faces,parallel=omp_static; do
        right "$program" host $options
    done
    grep -q '^opencl:0' "$work/devices" || continue
    right "$program" opencl:0 parallel=threads
    right "$program" opencl:0 halo=allocated,pitch=aligned,points_per_thread=vector4,parallel=threads
done
right "$work/halves.lift" host parallel=omp_static
right "$elastic $small" host halo=allocated,parallel=omp_static
grep -q '^opencl:0' "$work/devices" || skip "shared memory with work-groups" "no OpenCL device"

expect "an inapplicable option is reported" 1 "'halo=required' does not apply" "$lift" derive "$work/chain.lift" \
    --decide intermediates=stored,halo=required,parallel=omp_static --verify

# ---- traffic of a kernel
explore() { # database, program, options
    # shellcheck disable=SC2086
    run "$lift_explore" $2 --decide "$3" --trials 1 --max-exprs 1 --no-naive --no-final-benchmark --no-seeds --quiet \
        --jobs 1 --db "$1"
    [ "$status" -eq 0 ] || not_ok "an exploration of $2" "$(cat "$work/err")"
}
moved() { # database, program: "read written" of each kernel
    "$lift" best "$2" --db "$1" --json | awk -F'[:,]' '/"bytes_read"/ { read = $2 }
        /"bytes_written"/ { print read + 0, $2 + 0 }'
}
# 64 x 32 points of four bytes: 8192 bytes an array.
explore "$work/e.db" "$elastic --size nx=64,ny=32" $stored
verdict "velocities read six arrays and write two, stresses read seven and write three" "$(moved "$work/e.db" elastic2d |
    tr '\n' ' ' | grep -qx '49152 16384 57344 24576 ' || moved "$work/e.db" elastic2d)"
expect "in words" 0 "  kernels     elastic2d_1 reads 49.2" "$lift" best --verbose elastic2d --db "$work/e.db"
verdict "in the order of the launch" "$(grep -A1 'elastic2d_1 reads' "$work/out" | grep -q \
    'elastic2d_2 reads 57.3.*kB, writes 24.6.*kB' || cat "$work/out")"
verdict "the copy bandwidth is that of the whole step: eight arrays read, five written" "$(grep -q \
    'moved .*147.*kB, 1.38 times the compulsory traffic of the launch, 106.*kB' "$work/out" || cat "$work/out")"
expect "GB/s are of these, too" 0 "" "$lift" best elastic2d --db "$work/e.db" --json
verdict "52 bytes a point" "$(awk -F'[:,]' '/"gpts"/ { gpts = $2 } /"gbs"/ { gbs = $2 }
    END { exit !(gbs / gpts > 51.9 && gbs / gpts < 52.1) }' "$work/out" || cat "$work/out")"
expect "all traffic, as JSON" 0 '"bytes_read": 49152' "$lift" best elastic2d --db "$work/e.db" --emit json
expect "an unexplored kernel" 0 "moved " "$lift" best --verbose elastic2d --db "$work/e.db" --size nx=32,ny=32 \
    --device host
expect "and as JSON" 0 '"bytes": 53248' "$lift" best elastic2d --db "$work/e.db" --size nx=32,ny=32 --device host --json
expect "without a name they are not made again" 0 "GPts/s" "$lift" best --verbose --db "$work/e.db"
verdict "so no kernels are shown" "$(grep 'kernels' "$work/out")"

# Regions write each point once.
explore "$work/r.db" "programs/hotspot2d.lift --size nx=64,ny=32" boundary=faces,parallel=omp_static
verdict "parts of a grid are all of it" "$(moved "$work/r.db" hotspot2d | awk '{ n++; sum += $2 }
    END { if (n < 2 || sum != 8192) print n " kernels write " sum " bytes" }')"
verdict "and a side reads no more than a part" "$(moved "$work/r.db" hotspot2d | awk '$1 > 4 * $2 { print }')"

# A kernel without its derivation.
if command -v sqlite3 >/dev/null 2>&1; then
    query "$work/r.db" "DELETE FROM deriv; DELETE FROM configuration"
    expect "a kernel that cannot be rebuilt has a reason" 0 "are not shown: " "$lift" best --verbose hotspot2d --db "$work/r.db"
    expect "and is null in JSON" 0 '"kernels": null' "$lift" best hotspot2d --db "$work/r.db" --json
else
    skip "what cannot be made again says why" "sqlite3 is not installed"
fi
finish
