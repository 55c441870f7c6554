#!/bin/sh
# Groups that wait for each other, as threads of the host under a checker of races: kernels in CUDA
# C of 'tile=shares', compared with the host's kernel of the program; and wrong ones.
#   sh tests/cli/groups.sh ROOT LIFT
. "$(dirname "$0")/cli.sh"

cd "$1" || exit 1

# The parameters of the kernel, with their types.
params_in() { # file, name of the kernel
    sed -n "s/^.*void $2(\(.*\))\$/\1/p" "$1" | tr ',' '\n'
}
names_of() {
    sed 's/.*[ *]//'
}

# A program that runs both kernels. What is stored is one of the outputs, or shared by groups.
write_main() { # kernel, points, grid
    echo '#include "groups_on_host.hpp"'
    sed '/^#ifndef INFINITY/,/^#endif/d; /^#ifdef __HIP__/,/^#endif/d' "$work/kernel.cu"
    echo 'extern "C" void on_host_call(void *const *);'
    echo "int main() { const size_t n = $2;"
    params_in "$work/host.c" on_host | while read -r param; do
        what=$(echo "$param" | names_of)
        case $param in
            const*\**) echo "float *$what = random_data(n);" ;;
            *\**) echo "float *$what = room(n), *wanted_$what = room(n);" ;;
            *) echo "float $what = 0.3f;" ;;
        esac
    done
    params_in "$work/kernel.cu" "$1" | grep ring_ | names_of | while read -r what; do
        echo "float *$what = room(1 << 18);"
    done
    echo "void *args[] = {"
    params_in "$work/host.c" on_host | while read -r param; do
        what=$(echo "$param" | names_of)
        case $param in
            const*\**) echo "$what," ;;
            *\**) echo "wanted_$what," ;;
            *) echo "&$what," ;;
        esac
    done
    echo "}; on_host_call(args);"
    block=$(sed -n 's/.*__launch_bounds__(\([0-9]*\) \* \([0-9]*\) \* \([0-9]*\).*/\1, \2, \3/p' "$work/kernel.cu")
    echo "for (int i = 0; i < 2; i++) { launch({$3}, {$block}, [&] { $1("
    params_in "$work/kernel.cu" "$1" | names_of | paste -sd, -
    echo "); });"
    params_in "$work/host.c" on_host | grep -v const | grep -F '*' | names_of | while read -r what; do
        echo "compare(n, $what, wanted_$what); for (size_t k = 0; k < n; k++) $what[k] = -7;"
    done
    echo "} }"
}

# The kernel of a point, and the host's.
derive() { # program, options, decisions, tunables
    # options are words
    # shellcheck disable=SC2086
    "$lift" derive "$work/$1.lift" $2 --decide stages=stored,tile=stages,level=threads --emit source |
        sed "s/\\<$1_1(/on_host(/; s/\\<$1_1_call(/on_host_call(/" >"$work/host.c"
    ${CC:-cc} -O1 -w -c -o "$work/host.o" "$work/host.c"
    # shellcheck disable=SC2086
    run "$lift" derive "$work/$1.lift" $2 --device cuda --emit source --set "$4" \
        --decide "stages=stored,$3,level=resident"
    mv "$work/out" "$work/kernel.cu"
}

# Whether it is right: the status of the program. What kernels call is compiled once.
go() { # program, points, grid
    write_main "$1_1" "$2" "$3" >"$work/main.cpp"
    [ -e "$work/runtime.o" ] ||
        c++ -O1 -w -fsanitize=thread -c -o "$work/runtime.o" tests/cli/groups_on_host.cpp
    run c++ -O1 -w -fsanitize=thread -pthread -Itests/cli -o "$work/groups" \
        "$work/main.cpp" "$work/runtime.o" "$work/host.o"
    [ "$status" -ne 0 ] || TSAN_OPTIONS="halt_on_error=1" attempt "$work/groups"
}
agree() { # program, options, decisions, tunables, points, grid
    derive "$1" "$2" "$3" "$4"
    go "$1" "$5" "$6"
    verdict "$1 $2 $3 $4" "$([ "$status" -eq 0 ] || head -40 "$work/out" "$work/err" "$work/kernel.cu")"
}
wrong() { # what, change of the kernel's text: the program of the call before
    cp "$work/kernel.cu" "$work/right.cu"
    sed "$2" "$work/right.cu" >"$work/kernel.cu"
    cmp -s "$work/right.cu" "$work/kernel.cu" && not_ok "$1" "nothing has changed" && return
    go "$program" "$points" "$grid"
    mv "$work/right.cu" "$work/kernel.cu"
    verdict "$1 is found" "$(grep -qE 'data race|a wrong result' "$work/out" "$work/err" || cat "$work/out" "$work/err")"
}

star() { # name, boundary
    echo "size nx = 19, ny = 13, nz = 9
fun update(w) = 0.4 * w[1][1][1] + 0.2 * w[0][1][1] + 0.1 * (w[2][1][1] + w[1][0][1] + w[1][2][1]) +
    0.05 * w[1][1][0] + 0.15 * w[1][1][2]
stencil $1(u: [[[f32]nx]ny]nz) -> v = map3(update, slide3(3, 1, pad3(1, 1, $2, u)))
time (u) <- (v)" >"$work/$1.lift"
}
star clamped clamp
star wrapped wrap
star mirrored mirror
star constant 'constant(0.5)'
cat >"$work/wave.lift" <<'END'
size nx = 18, ny = 14, nz = 8
fun update(w, q) = 1.6 * w[1][1][1] - 0.9 * q + 0.05 * (w[0][1][1] + w[2][1][1] + w[1][0][1] +
    w[1][2][1] + w[1][1][0] + w[1][1][2])
stencil wave(u: [[[f32]nx]ny]nz, p: [[[f32]nx]ny]nz) -> v =
    map3(fun((w, q) => update(w, q)), zip3(slide3(3, 1, pad3(1, 1, clamp, u)), p))
time (u, p) <- (v, u)
END
cat >"$work/box.lift" <<'END'
size nx = 23, ny = 17
fun update(w) = 0.2 * w[0][0] + 0.1 * w[4][4] + 0.3 * w[2][2] + 0.1 * w[2][0] + 0.1 * w[0][4] +
    0.1 * w[4][1] + 0.1 * w[1][3]
stencil box(u: [[f32]nx]ny) -> v = map2(update, slide2(5, 1, pad2(2, 2, clamp, u)))
time (u) <- (v)
END

# ---- what has no code

derived() { # program, options
    program=$1
    shift
    "$lift" derive "$work/$program.lift" --device cuda --family shares --emit source "$@"
}
expect "shares reach as far as is read" 1 "not 'min(nx, 2) <= k0' (shares that reach)" \
    derived box --steps 2 --set k0=1
expect "ends that meet" 1 "planes are read around their ends ('wrap')" derived wrapped --steps 2
expect "OpenCL cannot promise that groups run at once" 1 "which CUDA and HIP have" "$lift" derive \
    "$work/clamped.lift" --steps 2 --device opencl --family shares --emit source
for k in 1 2; do # the term as a program, where nobody asks how long a share is
    { echo 'stencil far(u: [[f32]8]6) -> v ='
        "$lift" derive "$work/box.lift" --steps 2 --size nx=8,ny=6 --device cuda --family shares --emit term |
            sed "s/k0_1_8/$k/g"; } >"$work/far.lift"
    expect "a share of $k where 2 are read beside it" $((2 - k)) \
        "$([ $k = 2 ] && echo lift_meet || echo "groups read more of what they share than those beside them store")" \
        "$lift" derive "$work/far.lift" --device cuda --emit source --set local0=4
done

"$lift" devices >"$work/devices" 2>"$work/err"
for target in cuda:sm_80 cuda:sm_90 hip:gfx90a; do
    if grep -q "${target#*:}" "$work/devices"; then
        expect "compilers take it for $target" 0 "ok " "$lift" derive "$work/wave.lift" --steps 3 \
            --family sharesLate --build-only --device $target --set k0=5,k1=8,local0=4,local1=2
    else
        skip "compilers take it for $target" "there is none for it here"
    fi
done

# ---- what is right, and what is found wrong

echo 'int x; int main() { return x; }' >"$work/t.cpp"
if ! c++ -fsanitize=thread -o "$work/t" "$work/t.cpp" 2>"$work/err" || ! "$work/t" 2>"$work/err"; then
    skip "groups as threads" "no thread sanitizer here"
    finish
fi

three="k0=5,k1=8,local0=4,local1=2"
for tile in shares sharesLate; do
    for name in clamped mirrored constant; do
        agree $name "--steps 2" "tile=$tile" "$three" 2223 "3, 3, 1"
    done
    agree clamped "--steps 3" "tile=$tile" "k0=1,k1=7,local0=2,local1=1" 2223 "3, 13, 1"
    agree wave "--steps 2" "tile=$tile" "$three" 2016 "3, 3, 1"
    agree box "--steps 3" "tile=$tile" "k0=6,local0=4" 391 "4, 1, 1"
done

program=clamped points=2223 grid="3, 3, 1"
agree clamped "--steps 3" tile=shares "$three" $points "$grid"
wrong "a group that waits for itself alone" 's/x < 0 || y < 0/i != 13 || y < 0/'
wrong "a group that waits for those beside it in a row alone" 's/x < 0 || y < 0/i < 12 || i > 14 || x < 0/'
wrong "a ring that is one plane too short" 's/% 4 \* /% 3 * /g; s/, 4) \* /, 3) * /g'
wrong "a group a step apart" 's/++lift_turn, 0/++lift_turn, 1/'
wrong "a turn that is told before all have stored" '/__syncthreads();/{N; /release\|item == 0/s/.*__syncthreads();//}'
wrong "turns that are not told apart from those of the launch before" 's/unsigned lift_turn = .*/unsigned lift_turn = 0;/'
agree clamped "--steps 3" tile=sharesLate "$three" $points "$grid"
wrong "a ring that is one plane too short for groups a step apart" 's/% 6 \* /% 5 * /g; s/, 6) \* /, 5) * /g'
finish
