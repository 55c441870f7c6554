#!/bin/sh
# Every line of families.txt, compiled, run and compared with its program:
#   sh tests/cli/families.sh ROOT LIFT DEVICE [--part K/N] [--optimised] [--full] [TEXT]
# Families of the host run at 61 x 47 x 33, with layers of 5, and at sizes too small to tile, the
# others at small odd sizes; with --full all run at these sizes and 128^3, with several choices of
# the tunables each. DEVICE: host, or opencl, which also compiles the families of GPUs for
# cuda:sm_90. TEXT: only the lines that contain it.
# Of N parts of the lines only the K-th: the suite and continuous integration have samples, and
# tests/long.sh has all. PoCL optimises kernels with --optimised and --full only.
. "$(dirname "$0")/cli.sh"

kind=$3
shift 3
least=17x1x5
points=1
full=
optimised=
part=1/1
if [ "${1:-}" = --part ]; then
    part=$2
    shift 2
fi
if [ "${1:-}" = --optimised ]; then
    optimised=yes
    shift
fi
if [ "${1:-}" = --full ]; then
    full=" 37x23x19x5 128x128x128x16"
    points=4
    optimised=yes
    shift
fi
"$lift" devices >"$work/devices"

grids() { # device
    if [ -n "$full" ] || [ "$1" = host ]; then echo "61x47x33x5 $least$full"; else echo 37x23x19x5; fi
}

derive() { # program, device, sizes, options
    program=$1 device=$2 at=$3
    shift 3
    does=--verify
    case $device in opencl) device=opencl:0 ;; cuda:*) does=--build-only ;; esac
    how=
    [ -n "$optimised" ] || how=-cl-opt-disable
    attempt env POCL_EXTRA_BUILD_FLAGS=$how "$lift" derive "$(file_of "$program")" $does --device "$device" --size "$at" \
        --draws $points "$@"
}

# The largest error and the time come from a kernel's last line.
right() { # what, its lines
    ok "$1: $(printf '%s\n' "$2" | sed 's/^.*; at .*; at [^ ]* //' | sort -u | tail -n 1)"
}

verify() { # program, device, sizes, point, options
    what="$1 $4 $2 $3"
    with=$4
    program=$1 device=$2 at=$3
    shift 4
    derive "$program" "$device" "$at" --decide "$with" "$@"
    if [ "$status" -eq 0 ]; then
        right "$what" "$(cat "$work/out")"
    else
        not_ok "$what" "$(grep -v '^ok ' "$work/out"; head -n 20 "$work/err")"
    fi
}

# The sizes of the run: those of the options, if any.
sizes_of() { # sizes, options
    case $2 in *--size*) set -- "${2##*--size }" ;; esac
    echo "${1%% *}"
}

# Lines of a program and a device with the same options: one process verifies all, against the same
# results of the program. A failed line is checked again alone; but at sizes too small to tile some
# families have no values of their tunables.
verify_each() { # program, device, sizes, lengths, options; points in $work/points
    set -- "$1" "$2" "$(sizes_of "$3" "$5")" "$4" "$5"
    # names and options are words
    # shellcheck disable=SC2046,SC2086
    derive "$1" "$2" "$3" $5 --each $(sed 's/^/--decide /' "$work/points")
    cp "$work/out" "$work/each"
    while read -r point; do
        lines=$(awk -v of="$point: " 'index($0, of) == 1 { print substr($0, length(of) + 1) }' \
            "$work/each")
        if [ -n "$lines" ] && ! printf '%s\n' "$lines" | grep -qv '^ok '; then
            right "$1 $point $2 $3" "$lines"
        elif [ "$4" = $least ] && [ "${lines%%:*}" = constraint ]; then
            ok "$1 $point $2 $3: $lines"
        else
            # shellcheck disable=SC2086
            verify "$1" "$2" "$3" "$point" $5 </dev/null
        fi
    done <"$work/points"
}

# The part of a line after the device.
options_of='function options_of(line) { options = line; sub(/^[^ ]+ +[^ ]+ +[^ ]+ */, "", options) }'

# Lines of a program and a device, on one grid; those with options are for larger ones only.
take() { # program, device, lengths
    at=$(sizes "$1" "$3")
    awk -v p="$1" -v d="$2" -v all="$([ "$3" = $least ] || echo 1)" \
        '$1 == p && $3 == d && (all || NF == 3)' "$work/lines" >"$work/these"
    wanted=$((wanted + $(wc -l <"$work/these")))
    if ! grep -q "^$2[: ]" "$work/devices" &&
        ! grep -q "^ .* ${2#cuda:}\( \|$\)" "$work/devices"; then
        while read -r _ point _; do
            skip "$1 $point $2 $at" "no such device"
        done <"$work/these"
        return
    fi
    awk '{ options_of($0) } !seen[options]++ { print options }
        '"$options_of" "$work/these" >"$work/options"
    while read -r options; do
        awk -v wanted="$options" '{ options_of($0) } options == wanted { print $2 }
            '"$options_of" "$work/these" >"$work/points"
        verify_each "$1" "$2" "$at" "$3" "$options" </dev/null
    done <"$work/options"
}

wanted=0
grep '^[^#]' tests/cli/families.txt | awk -v d="$kind" '$3 == d || (d == "opencl" && $3 ~ /^cuda:/)' |
    grep -F -- "${1:-}" >"$work/all"
awk -v k="${part%/*}" -v n="${part#*/}" 'NR % n == k % n' "$work/all" >"$work/lines"
awk '!seen[$1]++ { print $1 }' "$work/lines" >"$work/groups"
while read -r group; do
    for grid in $(grids "$kind"); do
        take "$group" "$kind" "$grid" </dev/null
        [ "$kind" = host ] || take "$group" cuda:sm_90 "$grid" </dev/null
    done
done <"$work/groups"
verdict "every line was looked at" "$([ "$tap_count" -ge $wanted ] ||
    echo "only $tap_count were, of $wanted")"
if [ -z "${1:-}" ]; then
    case $kind in host) devices=threads ;; *) devices=groups ;; esac
    verdict "every family for $kind has a line" "$("$lift" rules list |
        awk -v devices=$devices '/^families$/ { on = 1 } on && $2 == devices { print $1 }' |
        while read -r family; do
            awk -v family="$family" '{ sub(/,.*/, "", $2) } $2 == family { found = 1 }
                END { exit !found }' "$work/all" || echo "$family"
        done)"
fi
finish
