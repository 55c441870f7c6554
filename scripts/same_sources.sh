#!/bin/sh
# Whether two builds generate the same sources:
#   sh scripts/same_sources.sh BEFORE AFTER [EVERY [POINTS]]
# BEFORE and AFTER are two programs 'lift'. The script prints the configurations of
# tests/cli/families.txt, and every kernel family on some programs of programs/, for the host, OpenCL,
# CUDA and HIP (of EVERY configurations one), and compares the sources byte for byte. AFTER has to
# reject what BEFORE rejects. POINTS is the families.txt of BEFORE, where names have changed since:
# AFTER reads former names. Status 1 if a source differs, or if there is none.
set -eu

[ $# -ge 2 ] || {
    sed -n '2,9s/^# //p' "$0" >&2
    exit 2
}
before=$(realpath "$1")
after=$(realpath "$2")
every=${3:-1}
points=$(realpath "${4:-"$(dirname "$0")/../tests/cli/families.txt"}")
aligned=halo=allocated,pitch=aligned
"$before" rules show pitch >/dev/null 2>&1 || aligned=layout=aligned
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

devices_of() { # host, or opencl for all devices with groups
    if [ "$1" = host ]; then echo host; else echo opencl cuda hip; fi
}

listed() {
    grep '^[^#]' "$points" | while read -r program point device options; do
        case $program in */*) file=$program.lift ;; *) file=programs/$program.lift ;; esac
        for to in $(devices_of "$device"); do
            echo "$file --decide $point --device $to $options"
        done
    done
}

families() {
    "$before" rules list | awk '/^families$/ { on = 1; next } on && NF > 1 { print $1, $2 }' |
        while read -r family kind; do
            set -- --set k0=6,k1=4,k2=16,local0=4,local1=4
            case $kind in threads) kind=host && shift 2 ;; esac
            for to in $(devices_of "$kind"); do
                for program in acoustic hotspot2d srad1 star3d2r heat gaussian jacobi2d9; do
                    echo "programs/$program.lift --decide $family --device $to"
                    echo "programs/$program.lift --decide $family,$aligned --device $to"
                    echo "programs/$program.lift --decide $family,$aligned --device $to $*"
                done
            done
        done
}

{
    listed
    families
} | awk -v n="$every" 'NR % n == 0' >"$work/points"
differ=0
refused=0
while read -r point; do
    # points are words
    # shellcheck disable=SC2086
    {
        "$before" derive $point --emit source >"$work/before" 2>/dev/null </dev/null || refused=$((refused + 1))
        "$after" derive $point --emit source >"$work/after" 2>/dev/null </dev/null || true
    }
    cmp -s "$work/before" "$work/after" || {
        echo "differs: lift derive $point --emit source"
        differ=$((differ + 1))
    }
done <"$work/points"
compared=$(wc -l <"$work/points")
echo "$compared compared, $refused of them refused, $differ differ"
[ "$differ" -eq 0 ] && [ "$compared" -gt "$refused" ]
