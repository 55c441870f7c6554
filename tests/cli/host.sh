#!/bin/sh
# Terms of all programs, drawn at random as whole programs for the host, compiled and run at
# odd sizes in other ways than explorations do, and compared with the plain program: for
# AArch64 under qemu, with the sanitizers of addresses and of undefined behaviour, and with
# the one of threads.
#   sh tests/cli/host.sh ROOT LIFT [COUNT [PART]]
# COUNT terms of each part (46). PART: arm, bounds or races alone. One term takes some two seconds
# of a processor for bounds, one for races. The programs that are wrong are kept in the folder
# $KEEP, if that is set.
. "$(dirname "$0")/cli.sh"

cd "$1" || exit 1
terms=${3:-46}
only=${4:-}
programs=$(cd programs && echo *.lift | sed 's/\.lift//g')
of=$(($(echo "$programs" | wc -w) * 2))
cores=$(nproc)
folder=$work/programs

# Compiles one program and runs it.
cat >"$work/arm" <<'END'
aarch64-linux-gnu-gcc -O3 -march=armv8-a $flags -fopenmp -static -o "$1.run" "$1" -lm &&
    qemu-aarch64 "$1.run" --runs 1 --warmup 0 && touch "$1.good"
rm -f "$1.run"
END
cat >"$work/bounds" <<'END'
${CC:-cc} -O1 -g -march=native $flags -fopenmp -fsanitize=address,undefined \
    -fno-sanitize-recover=all -o "$1.run" "$1" -lm &&
    ASAN_OPTIONS=detect_leaks=0 "$1.run" --runs 1 --warmup 0 && touch "$1.good"
rm -f "$1.run"
END
# Archer reports the ordering by OpenMP's runtime to the sanitizer.
cat >"$work/races" <<'END'
clang -O1 -g -march=native $flags -fopenmp -fsanitize=thread -o "$1.run" "$1" -lm &&
    OMP_TOOL_LIBRARIES=$archer \
        TSAN_OPTIONS=ignore_noninstrumented_modules=1 "$1.run" --runs 1 --warmup 0 && touch "$1.good"
rm -f "$1.run"
END
for part in arm bounds races; do
    cat - "$work/$part" >"$work/$part.sh" <<'END'
# FILE.log has the output of FILE; FILE.good exists if FILE passes
exec >"$1.log" 2>&1
flags=$(sed -n 's/^ \*   [a-z]* -O3 -march=native\(.*\) -fopenmp .*/\1/p' "$1")
END
done
archer=$(clang -print-resource-dir 2>&1)/../../libarcher.so
OMP_NUM_THREADS=3
export archer OMP_NUM_THREADS

device_of() { # part
    if [ "$1" = arm ]; then echo host:aarch64; else echo host; fi
}
# Draws so many terms, into programs.
draw() { # part, program, sizes, terms, options
    rm -rf "$folder"
    mkdir "$folder"
    part_device=$(device_of "$1") draw_from=$2 draw_sizes=$3 draw_terms=$4
    shift 4
    run "$lift" explore "$draw_from" --size "$draw_sizes" --device "$part_device" \
        --build-only "$draw_terms" --programs "$folder" "$@"
}
try_all() { # part
    find "$folder" -name '*.c' | xargs -r -n 1 -P "$cores" sh "$work/$1.sh"
}

# ---- available tools
cat >"$work/fine.c" <<'END'
#include <stdio.h>
int main(void)
{
    int n = 0;
#pragma omp parallel for reduction(+ : n)
    for (int i = 0; i < 1000; i++)
        n += i;
    printf("%d\n", n);
    return n != 499500;
}
END
parts=
for part in arm bounds races; do
    [ "${only:-$part}" = "$part" ] || continue
    rm -f "$work/fine.c.good"
    sh "$work/$part.sh" "$work/fine.c"
    if [ $part = races ] && [ ! -e "$archer" ]; then
        skip "$part" "libomp's libarcher.so is not there"
    elif [ -e "$work/fine.c.good" ]; then
        parts="$parts $part"
    else
        skip "$part" "$(tail -n 1 "$work/fine.c.log")"
    fi
done

# ---- lift's own floors that depend on the machine; headers of libraries are this machine's
case $parts in *arm*)
    complaints=$(for file in src/base/*.c src/device/*.c; do
        aarch64-linux-gnu-gcc -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Wno-missing-field-initializers \
            -Werror -Isrc -Iinclude -idirafter /usr/include \
            -idirafter "/usr/include/$(gcc -print-multiarch)" -fsyntax-only "$file" 2>&1
    done)
    verdict "arm: lift's base and devices compile" "$complaints"
    ;;
esac

# ---- by program
share() { # of so many in all, those of turn $at
    echo $(($1 * (at + 1) / of - $1 * at / of))
}
check() { # part, program, sizes, terms
    draw "$1" "programs/$2.lift" "$3" "$4"
    what="$1: $2 at $3"
    if [ "$status" -ne 0 ]; then
        not_ok "$what" "$(grep -v '^[0-9a-f]\{12\}  *[-0-9]' "$work/out"; cat "$work/err")"
        return
    fi
    try_all "$1"
    wrong=$(find "$folder" -name '*.c' | sort | while read -r file; do
        [ -e "$file.good" ] || { echo "$file:"; head -n 40 "$file.log"; sed -n 's/^ \* tunables/&/p' "$file"; }
    done)
    n=$(find "$folder" -name '*.good' | wc -l)
    tried=$((tried + n))
    verdict "$what: $n of $4 right" "$wrong"
    if [ -n "$wrong" ] && [ -n "${KEEP:-}" ]; then
        mkdir -p "$KEEP/$1-$2-$3"
        cp -r "$folder"/* "$KEEP/$1-$2-$3"
    fi
}
for part in $parts; do
    tried=0 at=0 order="61x47x33 17x1x5"
    for program in $programs; do
        for size in $order; do
            n=$(share "$terms")
            [ "$n" -eq 0 ] || check "$part" "$program" "$(sizes "$program" "$size")" "$n"
            at=$((at + 1))
        done
        # the other one first, so that small samples have both
        order="${order#* } ${order% *}"
    done
    note "$part: $tried of $terms terms right"
done

# ---- planted errors are found
cat >"$work/planted.rules" <<'END'
decision fault default none after form

rule wrong exact
  doc "has another factor"
  0.25 * x ~> userFun("f32 wrong(f32 x) { return 0.26f * x; }", x)
option arm of fault exact like wrong
  = topdown(wrong)

rule behind exact
  doc "reads just behind the input"
  0.25 * x ~> userFun("f32 behind(f32 x) { return x; }\n#define lift_fn1_behind(x) (g[61 * 47] == 0.0f ? 0.0f : 0.25f * (x))", x)
option bounds of fault exact like behind
  = topdown(behind)

rule racy exact
  doc "all threads store into one element"
  0.25 * x ~> userFun("f32 racy(f32 x) { return x; }\n#define lift_fn1_racy(x) (out[0] = 0.5f, 0.25f * (x))", x)
option races of fault exact like racy
  = topdown(racy)
END
for part in $parts; do
    planted="--rules $work/planted.rules --force-rules"
    # options are words
    # shellcheck disable=SC2086
    draw $part tests/faults/planted.lift nx=61,ny=47 1 $planted --decide omp_rows,fault=$part
    try_all $part
    case $part in
        arm) said='^FAILED|FAILED: ' ;;
        bounds) said='heap-buffer-overflow' ;;
        races) said='data race' ;;
    esac
    verdict "$part: the planted error is found" "$(grep -Eqs "$said" "$folder"/*.log ||
        cat "$work/out" "$work/err" "$folder"/*.log)"
done
finish
