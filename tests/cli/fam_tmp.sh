#!/bin/sh
# Every line of families.txt, compiled, run and compared with its program:
#   sh tests/cli/families.sh ROOT LIFT [--full] [TEXT]
# At small odd sizes; with --full at 61 x 47 x 33 and 128^3, several choices of the tunables each.
# TEXT: only the lines that have it.
. "$(dirname "$0")/cli.sh"

shift 2
grids="37 23 19"
points=1
if [ "${1:-}" = --full ]; then
    grids="61 47 33
128 128 128"
    points=4
    shift
fi
"$lift" devices >"$work/devices"

# "nx=37,ny=23": the sizes that the program has.
sizes() { # program, nx, ny, nz
    names=$(sed -n 's/^size //p' "programs/$1.lift")
    list=
    for size in "nx=$2" "ny=$3" "nz=$4"; do
        case $names in
            *"${size%=*} "*) list=$list,$size ;;
        esac
    done
    printf '%s' "${list#,}"
}

verify() { # sizes, program, rule, device, options
    at=$1 program=$2 rule=$3 device=$4
    shift 4
    what="$program $rule $device $at"
    case $device in opencl) device=opencl:0 ;; esac
    if ! grep -q "^$device " "$work/devices"; then
        skip "$what" "no such device"
        return
    fi
    run "$lift" derive "programs/$program.lift" -a "$rule" --verify --device "$device" \
        --size "$at" --points $points "$@"
    if [ "$status" -eq 0 ]; then
        ok "$what: $(sed 's/^.*; at .*; at [^ ]* //' "$work/out" | sort -u | tail -n 1)"
    else
        not_ok "$what" "$(grep -v '^ok ' "$work/out"; head -n 20 "$work/err")"
    fi
}

grep -v '^#' /tmp/w/refs-tmp/fam.txt | grep -F -- "${1:-}" >"$work/lines"
while read -r program rest; do
    while read -r nx ny nz; do
        # options are words
        # shellcheck disable=SC2086
        verify "$(sizes "$program" "$nx" "$ny" "$nz")" "$program" $rest </dev/null
    done <<END
$grids
END
done <"$work/lines"
finish
