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

derive() { # program, device, sizes, options
    program=$1 device=$2 at=$3
    shift 3
    case $device in opencl) device=opencl:0 ;; esac
    run "$lift" derive "programs/$program.lift" --verify --device "$device" --size "$at" \
        --points $points "$@"
}

# The largest error and the time are those of a kernel's last line.
right() { # what, its lines
    ok "$1: $(printf '%s\n' "$2" | sed 's/^.*; at .*; at [^ ]* //' | sort -u | tail -n 1)"
}

verify() { # program, device, sizes, rule, options
    what="$1 $4 $2 $3"
    with=$4
    program=$1 device=$2 at=$3
    shift 4
    derive "$program" "$device" "$at" -a "$with" "$@"
    if [ "$status" -eq 0 ]; then
        right "$what" "$(cat "$work/out")"
    else
        not_ok "$what" "$(grep -v '^ok ' "$work/out"; head -n 20 "$work/err")"
    fi
}

# Lines of a program and a device without options: one process verifies all, against the same
# results of the program. If something is wrong there, each is looked at on its own.
verify_each() { # program, device, sizes; rules in $work/rules
    # names are words
    # shellcheck disable=SC2046
    derive "$@" --each $(sed 's/^/-a /' "$work/rules")
    each=$status
    cp "$work/out" "$work/each"
    while read -r rule; do
        lines=$(grep "^$rule: " "$work/each")
        if [ "$each" -eq 0 ] && [ -n "$lines" ]; then
            right "$1 $rule $2 $3" "$lines"
        else
            verify "$1" "$2" "$3" "$rule" </dev/null
        fi
    done <"$work/rules"
}

# Lines of a program and a device, on one grid.
take() { # program, device, nx, ny, nz
    at=$(sizes "$1" "$3" "$4" "$5")
    awk -v p="$1" -v d="$2" '$1 == p && $3 == d' "$work/lines" >"$work/these"
    if ! grep -q "^$2[: ]" "$work/devices"; then
        while read -r _ rule _; do
            skip "$1 $rule $2 $at" "no such device"
        done <"$work/these"
        return
    fi
    awk 'NF == 3 { print $2 }' "$work/these" >"$work/rules"
    [ ! -s "$work/rules" ] || verify_each "$1" "$2" "$at"
    awk 'NF > 3' "$work/these" >"$work/apart"
    while read -r _ rule _ options; do
        # options are words
        # shellcheck disable=SC2086
        verify "$1" "$2" "$at" "$rule" $options </dev/null
    done <"$work/apart"
}

grep '^[^#]' tests/cli/families.txt | grep -F -- "${1:-}" >"$work/lines"
awk '!seen[$1, $3]++ { print $1, $3 }' "$work/lines" >"$work/groups"
while read -r group_program group_device; do
    while read -r nx ny nz; do
        take "$group_program" "$group_device" "$nx" "$ny" "$nz"
    done <<END
$grids
END
done <"$work/groups"
verdict "every line was looked at" "$([ "$tap_count" -ge "$(($(wc -l <"$work/lines") * \
    $(printf '%s\n' "$grids" | wc -l)))" ] || echo "only $tap_count were")"
finish
