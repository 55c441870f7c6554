#!/bin/sh
# The fused kernel of Chang and O'Reilly (AMD 2024, part 3), by its source and its results:
#   sh tests/cli/fused_star.sh ROOT LIFT
. "$(dirname "$0")/cli.sh"

cd "$1" || exit 1

# The loop over planes: 64 steps, and the size of the shared array in elements.
step() { # vector width, options
    case $1 in
    1) family=star_rows ;;
    2) family=star_rows_pair ;;
    4) family=star_rows_vector4 ;;
    esac
    run "$lift" derive programs/star3d4r.lift --family $family ${2:+--decide "$2"} --device cuda \
        --emit source --set "tile_x=64,tile_y=8,tile_z=64,block_x=$((64 / $1)),block_y=8"
    sed -n '/^    for (.*< 64; /,/^    }/p' "$work/out" >"$work/step"
    shared=$(sed -n 's/^ *__shared__.* float [a-z_0-9]*\[\([0-9]*\)\];.*/\1/p' "$work/out")
}

has() { # what, number of lines, pattern
    verdict "$1" "$(n=$(grep -c "$3" "$work/step")
        [ "$n" -eq "$2" ] || echo "$n lines have '$3', not $2")"
}

# Loads of a step: the own row (9, 5 or 3 vectors), and one row above and below the tile. Each
# plane is read once: the window along z and shared memory get the own elements from registers.
for at in "1 11" "2 7" "4 5"; do
    width=${at% *}
    step "$width"
    has "$width: loads of the plane" "${at#* }" '= .*grid\['
    has "$width: one store" 1 '^ *lift_store_once('
    has "$width: shared memory has values of registers only" 0 'ring_[0-9]*\[[^=]*\] = .*grid'
    has "$width: it is filled by own, upper and lower elements" "$((3 * width))" \
        '^ *ring_[0-9]*\[[^=]*\] = win_[0-9]*;'
    has "$width: two barriers" 2 '__syncthreads'
    verdict "$width: shared memory of a plane without columns outside the tile" \
        "$([ "$shared" -eq $((64 * 16)) ] || echo "$shared elements")"
done
step 4 buffering=double
has "two slots need one barrier" 1 '__syncthreads'
verdict "two slots" "$([ "$shared" -eq $((2 * 64 * 16)) ] || echo "$shared elements")"

expect "a star only" 1 "" "$lift" derive programs/box3d1r.lift --family star_rows --device cuda \
    --emit source

if "$lift" devices 2>/dev/null | grep -q '^opencl:0'; then
    while read -r program family size set more; do
        expect "$program, $family $more" 0 "ok {" "$lift" derive "programs/$program.lift" --family "$family" \
            --decide "stores=default${more:+,$more}" --device opencl:0 --verify --fixed-sizes \
            --size "$size" --set "$set"
    done <<'EOF'
star3d1r star_rows nx=11,ny=9,nz=7 tile_x=4,tile_y=4,tile_z=4,block_x=4,block_y=4
star3d2r star_rows_pair nx=13,ny=11,nz=9 tile_x=4,tile_y=4,tile_z=4,block_x=2,block_y=4
star3d4r star_rows_vector4 nx=23,ny=19,nz=17 tile_x=8,tile_y=4,tile_z=8,block_x=2,block_y=4 buffering=double
acoustic_iso star_rows_vector4 nx=23,ny=19,nz=17 tile_x=8,tile_y=3,tile_z=5,block_x=2,block_y=4
acoustic_iso star_rows_pair nx=23,ny=19,nz=17 tile_x=8,tile_y=3,tile_z=5,block_x=4,block_y=4 register_rotation=unrolled
fd_xyz star_rows_vector4 nx=13,ny=11,nz=19 tile_x=8,tile_y=4,tile_z=4,block_x=2,block_y=4
EOF
else
    skip "results" "no OpenCL device"
fi
if command -v oclgrind >/dev/null 2>&1; then
    ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0
    export ASAN_OPTIONS
    under="oclgrind --data-races --check-api --build-options -cl-opt-disable"
    # shellcheck disable=SC2086
    grind=$($under "$lift" devices 2>/dev/null | sed -n 's/^\(opencl:[0-9]*\) .*Oclgrind.*/\1/p')
    for slots in none double; do
        # shellcheck disable=SC2086
        expect "oclgrind, buffering=$slots" 0 "ok {" $under "$lift" derive programs/star3d2r.lift \
            --family star_rows_pair --decide stores=default,buffering=$slots --verify \
            --device "$grind" --fixed-sizes --size nx=9,ny=7,nz=6 \
            --set tile_x=4,tile_y=3,tile_z=3,block_x=2,block_y=4
        verdict "no races" "$(grep -E 'data race|Invalid (read|write)|Divergence' "$work/err" |
            head -n 5)"
    done
else
    skip "races" "oclgrind is not installed"
fi
finish
