#!/bin/sh
# Regions of the domain: for every kind of boundary, in one to three dimensions and over two
# windows of different widths, the kernel of the interior has no test of the boundary, and all
# kernels together compute the program.
. "$(dirname "$0")/cli.sh"
"$lift" devices >"$work/devices"

# The value of the program at a point, by dimensions.
body() {
    case $1 in
        1) echo "w[0] - 2.0 * w[4] + v[2] + q" ;;
        2) echo "w[0][2] - 2.0 * w[4][3] + w[2][0] + v[2][1] + q" ;;
        3) echo "w[0][2][1] - 2.0 * w[4][3][0] + w[2][0][4] + v[2][1][0] + q" ;;
    esac
}

# Two arrays padded by two and by one, and an unpadded one.
program() { { # dimensions, kind
    case $1 in
        1) sizes="nx = 19" grid="[f32]nx" ;;
        2) sizes="nx = 19, ny = 11" grid="[[f32]nx]ny" ;;
        3) sizes="nx = 19, ny = 11, nz = 9" grid="[[[f32]nx]ny]nz" ;;
    esac
    x="pad$1(2, 2, $2, x)" y="pad$1(1, 1, $2, y)"
    case $1$2 in
        1value*) x="pad(2, 2, $2, x)" y="pad(1, 1, $2, y)" ;;
        2value*) x="map(pad(2, 2, $2), pad(2, 2, mirror, x))" y="map(pad(1, 1, $2), pad(1, 1, wrap, y))" ;;
        3value*) x="map2(pad(2, 2, $2), pad2(2, 2, mirror, x))" y="map2(pad(1, 1, $2), pad2(1, 1, wrap, y))" ;;
    esac
    echo "size $sizes"
    echo "stencil padded(x: $grid, y: $grid, z: $grid) -> out ="
    echo "    map$1(fun((w, v, q) => $(body "$1")),"
    echo "        zip$1(slide$1(5, 1, $x), slide$1(3, 1, $y), z))"
    } | sed 's/\(map\|zip\|slide\|pad\)1/\1/g'
}

# Remaining boundary checks in a kernel.
tests_in() {
    grep -nE 'if \(|\?|MIN\(|MAX\(|%' | head -n 3
}

# The regions of d dimensions come in the order low faces, interior, high faces.
interior() { # file, dimensions
    awk -v wanted="$2" '/__kernel/ { n++ } n == wanted + 1' "$1"
}

verified() { # what, device, family
    if ! grep -q "^$2 " "$work/devices"; then
        skip "$1" "no such device"
    else
        expect "$1" 0 "ok {" "$lift" derive "$work/padded.lift" --family "$3" --verify --device "$2"
    fi
}

for d in 1 2 3; do
    for kind in clamp mirror wrap "constant 0.5" "value fun(i, n => f32(i) + 0.5 * f32(n))"; do
        case="$d dimensions, $kind"
        program $d "$kind" >"$work/padded.lift"
        "$lift" derive "$work/padded.lift" --family gmem_faces --emit source --device opencl \
            >"$work/source" 2>"$work/err"
        verdict "$case: a kernel for each region" \
            "$([ "$(grep -c __kernel "$work/source")" -eq $((2 * d + 1)) ] || cat "$work/err" "$work/source")"
        verdict "$case: the interior tests nothing" "$(interior "$work/source" $d | tests_in)"
        [ $d -eq 1 ] || verdict "$case: the first face does" \
            "$(awk '/__kernel/ { n++ } n == 1' "$work/source" | tests_in | grep -q . || echo no test)"
        # Each kind in two of three numbers of dimensions.
        turn=$((${turn:-0} + 1))
        [ $((turn % 3)) -eq 0 ] || verified "$case: opencl" opencl:0 gmem_faces
        verified "$case: host" host omp_faces
    done
done

for d in 2 3; do
    program $d "constant 0.5" >"$work/padded.lift"
    "$lift" derive "$work/padded.lift" --family gmem_per_dimension --emit source --device opencl \
        >"$work/source" 2>"$work/err"
    verdict "$d dimensions, opposite faces together: kernels" \
        "$([ "$(grep -c __kernel "$work/source")" -eq $((d + 1)) ] || cat "$work/err" "$work/source")"
    verdict "$d dimensions, opposite faces together: the interior tests nothing" \
        "$(interior "$work/source" $d | tests_in)"
    verdict "$d dimensions, opposite faces together: the others leave it out" \
        "$([ "$(grep -c 'if (' "$work/source")" -eq $d ] || cat "$work/source")"
done

# Regions with separate equations. Only kernels of the layer read its fields.
layer_fields() { grep -o 'restrict \(eta\|phi\)' | sort -u | wc -l; }
one_of() { awk -v wanted="$2" '/__kernel/ { n++ } n == wanted' "$1"; }
pml="programs/acoustic_pml.lift --device opencl --emit source"
for option in faces_specialised:7:4 per_dimension_specialised:4:4 shell_specialised:2:2; do
    rest=${option#*:} option=${option%%:*}
    count=${rest%:*} inner=${rest#*:}
    # shellcheck disable=SC2086
    "$lift" derive $pml --decide boundary=$option --size nx=100,ny=90,nz=80 >"$work/source" 2>"$work/err"
    verdict "acoustic_pml, $option: kernels" \
        "$([ "$(grep -c __kernel "$work/source")" -eq "$count" ] || cat "$work/err" "$work/source")"
    for n in $(seq "$count"); do
        one_of "$work/source" "$n" >"$work/kernel"
        if [ "$n" -eq "$inner" ]; then
            verdict "acoustic_pml, $option: the interior tests nothing" "$(tests_in <"$work/kernel")"
            verdict "acoustic_pml, $option: and reads nothing of the layer" \
                "$([ "$(layer_fields <"$work/kernel")" -eq 0 ] || cat "$work/kernel")"
        else
            verdict "acoustic_pml, $option: region $n has the layer's equations alone" \
                "$([ "$(layer_fields <"$work/kernel")" -eq 2 ] || cat "$work/kernel"
                    grep -nE '\? 2\.0f \*|\? 0\.0f : \(' "$work/kernel")"
        fi
    done
done
# shellcheck disable=SC2086
"$lift" derive $pml --decide boundary=predicated --size nx=100,ny=90,nz=80 >"$work/source" 2>"$work/err"
verdict "acoustic_pml, choose: one kernel, with the test" \
    "$([ "$(grep -c '__kernel\|? 0.0f : (' "$work/source")" -eq 2 ] || cat "$work/err" "$work/source")"

# The width of the layer is in lengths of inputs, too, and is no length of the grid.
"$lift" derive examples/seismic/acoustic_pml_layer.lift --device opencl --emit source --decide boundary=faces_specialised \
    --size nx=100,ny=90,nz=80,w=8 >"$work/source" 2>"$work/err"
one_of "$work/source" 4 >"$work/kernel"
verdict "acoustic_pml_layer: the interior tests nothing, and reads nothing of the layer" \
    "$([ -s "$work/kernel" ] && [ "$(layer_fields <"$work/kernel")" -eq 0 ] || cat "$work/err" "$work/kernel"
        tests_in <"$work/kernel")"

# Results of the layer over the same points: six faces by one kernel each, and the interior.
"$lift" derive examples/seismic/acoustic_pml_layer.lift --device opencl --emit source --size nx=100,ny=90,nz=80,w=8 \
    --decide boundary=faces,outputs=same_kernel >"$work/source" 2>"$work/err"
verdict "acoustic_pml_layer: results over the same points share a kernel" \
    "$([ "$(grep -c '__kernel' "$work/source")" -eq 7 ] || cat "$work/err" "$work/source")"
for n in $(seq 7); do
    one_of "$work/source" "$n" | tr -d ' ' | grep -o '^\(next\|psi_[zyx]\)\[[^]]*\]=' | sed 's/\[.*//' | paste -sd ' '
done >"$work/stored"
verdict "acoustic_pml_layer: each face stores the layer's results, the interior one" \
    "$([ "$(sort "$work/stored" | uniq -c | tr -s ' ' | paste -sd ,)" = " 1 next, 2 next psi_x, 2 next psi_y, 2 next psi_z" ] ||
        cat "$work/stored")"

# Halos in buffers serve the regions as well: no part of the grid has boundary checks.
"$lift" derive programs/acoustic_iso.lift --decide boundary=faces,parallel=omp_static,halo=allocated --device host \
    --emit source 2>"$work/err" | sed '1,/#include/d' >"$work/kernel"
verdict "acoustic_iso, regions with a halo: no tests" \
    "$([ -s "$work/kernel" ] || cat "$work/err"; grep -n ' ? ' "$work/kernel")"

# Of the layer only eta has small windows, and its tiles have one shape.
# shellcheck disable=SC2086
"$lift" derive $pml --family gmem_specialised_tiled_shared --size nx=100,ny=90,nz=80 --set face_tile_z=4,face_tile_y=8,face_tile_x=16 \
    >"$work/source" 2>"$work/err"
for n in $(seq 7); do
    one_of "$work/source" "$n" >"$work/kernel"
    has=$(tr -d ' ' <"$work/kernel" | grep -o '__local[^(;]*\[[^;]*;' | sed 's/float[a-z_0-9]*\[/[/' | paste -sd ' ')
    [ "$n" -eq 4 ] && wanted='' || wanted='__local[1080];'
    verdict "acoustic_pml, gmem_specialised_tiled_shared: local memory of region $n" \
        "$([ -s "$work/kernel" ] && [ "$has" = "$wanted" ] || echo "'$has' in place of '$wanted'")"
done

cat >"$work/layer.lift" <<'END'
size nx = 40, ny = 30, w = 5
type grid = [[f32]nx]ny
fun free((u, eta)) = (u[1][1] + 0.25 * u[0][1], 0.0)
fun damped((u, eta)) = ((u[1][1] + 0.25 * u[0][1]) / (2.0 + eta), eta)
stencil layer(u, eta: grid) -> (out, phi) =
    regions2((w, 1), (0, w), free, damped, zip2(slide2(3, 1, pad2(1, 1, clamp, u)), eta))
END
# Also where the layer is wider than half of the domain, or than all of it.
for at in nx=23,ny=17,w=4 nx=9,ny=31,w=7 nx=5,ny=4,w=9; do
    for option in predicated faces_specialised per_dimension_specialised shell shell_specialised; do
        for where in opencl:0:threads host:omp_static; do
            if ! grep -q "^${where%:*} " "$work/devices"; then
                skip "layer, $option, $at, ${where%:*}" "no such device"
                continue
            fi
            run "$lift" derive "$work/layer.lift" --decide "boundary=$option,parallel=${where##*:}" \
                --verify --fixed-sizes --device "${where%:*}" --size $at
            # There may be nothing to cut, or no interior.
            verdict "layer, $option, $at, ${where%:*}" "$(grep -q '^ok {' "$work/out" ||
                { [ $option != predicated ] && grep 'does not apply' "$work/err" >/dev/null; } ||
                cat "$work/out" "$work/err")"
        done
    done
done

# A face of one point is no group of many without work; a row that is shorter, either.
"$lift" derive programs/jacobi2d5.lift --family gmem_faces_unrolled --size nx=100,ny=50 --set block_x=128 \
    --emit source --device opencl >"$work/source" 2>"$work/err"
verdict "groups are as long as the loop at most" "$(tr -d ' ' <"$work/source" |
    sed -n 's/.*work_group_size(\([0-9]*\),.*/\1/p' | sort -n | paste -sd ' ' |
    grep -vx '1 1 98 100 100')"

rejected "no regions where they would be empty" 1 "faces(0, 3) acoustic_iso" "$lift" derive \
    programs/acoustic_iso.lift -a 'faces(0, 3)' --size nx=8,ny=8,nz=8
expect "sizes without an interior" 1 "constraint:" "$lift" derive \
    programs/acoustic_iso.lift --family omp_faces --verify --size nx=40,ny=7,nz=40
rejected "nothing to cut" 1 "regions(3) heat" "$lift" derive programs/heat.lift -a 'parts(3)' \
    -a 'regions(3)'

# A boundary that is kept in some dimensions only is no separate kernel, either.
for family in gmem vector4_box; do
    verdict "$family: points choose" "$("$lift" derive tests/programs/kept_beside.lift --family $family --emit source \
        --device cuda 2>&1 | grep -c __global__ | grep -vx 1)"
done
finish
