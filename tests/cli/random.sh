#!/bin/sh
# Terms of all programs, drawn at random: compiled for NVIDIA's and AMD's architectures; the
# same ones as OpenCL run and compared with the program; and some of them run by oclgrind, which
# finds races, accesses out of bounds and reads of uninitialised memory.
#   sh tests/cli/random.sh ROOT LIFT [COUNT [PART]]
# COUNT terms in all (46), two thirds of them under oclgrind. PART: compile, compare or watch
# alone.
. "$(dirname "$0")/cli.sh"

cd "$1" || exit 1
terms=${3:-46}
programs=$(cd programs && echo *.lift | sed 's/\.lift//g')
of=$(echo "$programs" | wc -w)
# Optimised code has instructions that oclgrind 21.10 does not know.
watch="oclgrind --data-races --uninitialized --check-api --build-options -cl-opt-disable"
ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0
export ASAN_OPTIONS

wanted() { # part
    [ "${only:-$1}" = "$1" ]
}
only=${4:-}

# ---- available tools
targets=
wanted compile && for target in cuda:sm_80 cuda:sm_90 hip:gfx90a; do
    if "$lift" derive programs/heat.lift --family gmem --build-only --device $target \
        >/dev/null 2>"$work/why"; then
        targets="$targets --device $target"
    else
        skip "terms for $target" "$(tail -n 1 "$work/why")"
    fi
done
"$lift" devices >"$work/devices"
opencl=$(sed -n 's/^\(opencl:[0-9]*\) .*/\1/p' "$work/devices" | head -n 1)
wanted compare || opencl=
[ -n "$opencl" ] || ! wanted compare || skip "terms as OpenCL" "no OpenCL device"
grind=
if wanted watch && command -v oclgrind >/dev/null 2>&1; then
    grind=$(oclgrind "$lift" devices 2>/dev/null | sed -n 's/^\(opencl:[0-9]*\) .*Oclgrind.*/\1/p')
fi
[ -n "$grind" ] || ! wanted watch || skip "terms under oclgrind" "oclgrind is not installed"

# ---- by program
hashes() { # device: what was drawn for it
    sed -n "/^on $1:/,/^on /p" "$work/out" | sed -n 's/^\([0-9a-f]\{12\}\) .*/\1/p' | sort -u
}
share() { # of so many in all, those of program number $at
    echo $(($1 * (at + 1) / of - $1 * at / of))
}

built=0 right=0 common=0 clean=0
compile() { # program, terms
    # options are words
    # shellcheck disable=SC2086
    run "$lift" explore "programs/$1.lift" $targets --build-only "$2"
    n=$(sed -n 's/^[a-z]*:[a-z0-9_]*: \([0-9]*\) built.*/\1/p' "$work/out" | awk '{ n += $1 } END { print n + 0 }')
    if [ "$status" -eq 0 ] && [ "$n" -gt 0 ]; then
        ok "$1: $2 terms, $n kernels"
    else
        not_ok "$1: kernels" "$(grep -v '^[0-9a-f]\{12\}  *[0-9]' "$work/out"; cat "$work/err")"
    fi
    hashes cuda:sm_90 >"$work/drawn"
    built=$((built + n))
}
compare() { # program, terms
    run "$lift" explore "programs/$1.lift" --device "$opencl" --check-only "$2"
    n=$(sed -n 's/^opencl:[0-9]*: \([0-9]*\) right.*/\1/p' "$work/out")
    same=$(hashes "$opencl" | comm -12 - "$work/drawn" | wc -l)
    if [ "$status" -eq 0 ]; then
        ok "$1: $n of $2 right as OpenCL, $same of them the same"
    else
        not_ok "$1 as OpenCL" "$(grep -v '^[0-9a-f]\{12\}  *[-0-9]' "$work/out"; cat "$work/err")"
    fi
    right=$((right + n)) common=$((common + same))
}

# oclgrind 21.10 reports a vector literal that is stored whole as uninitialised, and queries devices
# for properties that OpenCL 1.2 lacks.
findings() {
    awk '/data race|Invalid (read|write)|Divergence/ { n++ }
        /Uninitialized/ { n++; at = NR }
        at && NR <= at + 3 && /store <[0-9]+ x [a-z0-9]+> undef/ { n--; at = 0 }
        END { print n + 0 }' "$work/err"
}
watch() { # program, terms
    # shellcheck disable=SC2086
    run env LIFT_RUN_SECONDS="$(patient 300)" $watch "$lift" explore "programs/$1.lift" --device "$grind" --check-only "$2"
    n=$(sed -n 's/^opencl:[0-9]*: \([0-9]*\) right.*/\1/p' "$work/out")
    if [ "$status" -eq 0 ] && [ "$(findings)" -eq 0 ]; then
        ok "$1: $n of $2 clean under oclgrind"
    else
        not_ok "$1 under oclgrind" "$(findings) findings; $(grep -v '^[0-9a-f]\{12\}  *[-0-9]' \
            "$work/out"; grep -A 12 -E 'race|Invalid|Divergence|Uninit' "$work/err" | head -n 60)"
    fi
    clean=$((clean + n))
}

at=0
for program in $programs; do
    : >"$work/drawn"
    part=$(share "$terms")
    [ "$part" -eq 0 ] || [ -z "$targets" ] || compile "$program" "$part"
    [ "$part" -eq 0 ] || [ -z "$opencl" ] || compare "$program" "$part"
    part=$(share $((terms * 2 / 3)))
    [ "$part" -eq 0 ] || [ -z "$grind" ] || watch "$program" "$part"
    at=$((at + 1))
done
echo "# $terms terms: $built kernels built, $right right as OpenCL ($common of the same terms)," \
    "$clean clean under oclgrind"

# ---- planted errors are found
if [ -n "$grind" ]; then
    cat >"$work/racy.rules" <<'END'
rule racy exact
  doc "all work-items store into one element"
  0.25 * x ~> userFun("f32 racy(f32 x) { return x; }\n#define lift_fn1_racy(x) (out[100] = x, 0.25f * (x))", x)
decision fault default none after form
option racy of fault exact like racy = topdown(racy)
END
    # shellcheck disable=SC2086
    attempt $watch "$lift" derive tests/faults/planted.lift --rules "$work/racy.rules" --force-rules \
        -s nx=20,ny=12 --family gmem --decide fault=racy --verify --device "$grind"
    verdict "oclgrind finds a race" "$([ "$(findings)" -gt 0 ] || cat "$work/out" "$work/err")"
fi
finish
