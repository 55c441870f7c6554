#!/bin/sh
# Loops of derived kernels: their order, their ends where tiles do not divide, and along which
# dimension windows move. That the kernels are right is the matter of families.sh.
. "$(dirname "$0")/cli.sh"

sizes=nx=40,ny=30,nz=20
tiles=tile_z=5,tile_y=5,tile_x=4

# The source of a kernel with these tiles; only the kernel, without the term above it.
source_of() { # what makes it, options
    made=$1
    shift
    # options are words
    # shellcheck disable=SC2086
    "$lift" derive programs/hotspot3d.lift $made --emit source "$@" 2>"$work/err" |
        sed '1,/^#include/d'
    cat "$work/err"
}

tiled() { # what makes it, device
    source_of "$1" --device "$2" --size $sizes --set $tiles
}

# "4 6 10 5 5 4": how often loops run, outermost first.
ends() {
    sed -n 's/.*for (.* < \([^;]*\);.*/\1/p' | tr '\n' ' '
}

same() { # what, wanted, text
    verdict "$1" "$([ "$2" = "$3" ] || echo "'$3' instead of '$2'")"
}

same "blocks of z, y and x" "4 6 10 5 5 4 " "$(tiled "--family omp_blocked" host | ends)"
same "blocks of y outside" "6 4 10 5 5 4 " "$(tiled "--family omp_blocked_y_outer" host | ends)"
same "points of z around blocks of x" "4 6 5 10 5 4 " "$(tiled "--family omp_blocked_plane_by_plane" host | ends)"
same "x outside in a block" "4 6 10 4 5 5 " "$(tiled \
    '-a prepare(3) -a at(loop(2),tiling(3)) -a at(loop(2),turn(2,3)) -a simdInner' host | ends)"
same "blocks of z and y" "4 6 5 5 40 " "$(source_of \
    '-a prepare(3) -a at(loop(2),tilingOuter(2,3)) -a simdInner' --size $sizes \
    --set tile_z=5,tile_y=5 | ends)"
same "chunks of planes" "4 5 30 40 " "$(source_of \
    '-a prepare(3) -a at(loop(2),tilingOuter(1,3)) -a simdInner' --size $sizes --set slab_z=5 | ends)"

# 7 does not divide 40: the last tile is of 5.
tiles=tile_z=5,tile_y=5,tile_x=7
verdict "a guarded tail ends loops early" "$(tiled "--family omp_blocked" host | grep -q '_end' ||
    tiled "--family omp_blocked" host)"
verdict "a tail shifted inward does not" "$(tiled "--family omp_blocked_shifted" host | grep -e _end -e 'if (')"
same "and has as many loops" "4 6 6 5 5 7 " "$(tiled "--family omp_blocked_shifted" host | ends)"
tiles=tile_z=7,tile_y=7,tile_x=7
inward='if (\(.*\) \* 7 <= i[0-9]* + LIFT_MIN(\1 \* 7, [0-9]*))'
same "but for tiles of several threads" "1 0 2 " "$(for made in "--family omp_blocked_shifted" \
    '-a parts(3) -a at(loop(2),tilingShift(3)) -a simdInner' \
    '-a parts(3) -a at(loop(2),tilingShift(3)) -a at(loop(5),mapParCollapsed) -a simdInner'; do
    tiled "$made" host | grep -c "$inward"
done | tr '\n' ' ')"
tiles=tile_z=5,tile_y=5,tile_x=7
verdict "nor a tail cut off" "$(tiled "--family omp_blocked_remainder" host | grep -e _end -e 'if (')"
verdict "the tail has separate kernels" "$([ "$(tiled "--family omp_blocked_remainder" host |
    grep -c '^void hotspot3d_[0-9](')" -eq 4 ] || tiled "--family omp_blocked_remainder" host)"
rejected "tiles that divide the grid evenly" 1 "tile_z --set" "$lift" derive \
    programs/hotspot3d.lift --family omp_blocked_remainder --emit source --size $sizes --set tile_z=20

# A window that moves along y reloads the next row, 40 elements ahead.
moves() { # family, distance
    source_of "--family $1" --device opencl --size $sizes --set block_x=8 >"$work/kernel"
    grep -q "win_[0-9]* = temp\[.*i[0-9]* \* $2 [^*]*\]" "$work/kernel" ||
        cat "$work/kernel"
}
verdict "a window that moves along z" "$(moves shift 1200)"
verdict "along y" "$(moves shift_along_y 40)"

expect "the interior of regions" 0 "mapSeq at 1.0.1.0.1.0.1.0.1" "$lift" derive \
    programs/hotspot3d.lift -a 'prepare(3)' -a 'regions(3)' -a mapSeq@interior --trace
rejected "an index beyond the only place" 1 "at(nth(2, interior), mapSeq) hotspot3d" "$lift" derive programs/hotspot3d.lift \
    -a 'at(nth(2, interior), mapSeq)'
cat >"$work/strided.lift" <<'END'
size n = 40
stencil strided(x: [f32](2 * n + 2)) -> y = map(fun(w => w[0] + w[3]), slide(4, 2, x))
END
rejected "no shifted tiles of windows that skip elements" 1 "at(slideShift, shiftSlide(1))" "$lift" derive \
    "$work/strided.lift" -a 'tileShift(1)' -a 'at(slideShift, shiftSlide(1))'
rejected "no regions without a pad" 1 "faces(0, 1)" "$lift" derive \
    "$work/strided.lift" -a 'faces(0, 1)'
finish
