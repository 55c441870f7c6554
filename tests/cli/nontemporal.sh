#!/bin/sh
# Non-temporal stores and loads of GPU kernels, in the source, the results and the PTX:
#   sh tests/cli/nontemporal.sh ROOT LIFT
. "$(dirname "$0")/cli.sh"

cd "$1" || exit 1

kernel() { # program, family, option, device
    run "$lift" derive "programs/$1.lift" --family "$2" --decide "stores=$3" --device "$4" \
        --emit source
    sed '1,/^#/d' "$work/out" >"$work/kernel"
}

has() { # what, number of lines, pattern
    verdict "$1" "$(n=$(grep -c "$3" "$work/kernel")
        [ "$n" -eq "$2" ] || echo "$n lines have '$3', not $2")"
}

# Four planes a thread: each stores one vector, and loads one of v and one of vp.
for device in cuda hip opencl; do
    store='__builtin_nontemporal_store(' load='__builtin_nontemporal_load('
    [ $device != cuda ] || store='^ *lift_store_once(' load='lift_load_once((const'
    [ $device != opencl ] || store='^ *__builtin_nontemporal_store('
    kernel acoustic_iso unroll_vector4_slabs evict_first $device
    has "$device: stores are non-temporal" 4 "$store"
    has "$device: loads are cached" 0 "$load"
    has "$device: no store is cached" 0 'next\[.*= '
    kernel acoustic_iso unroll_vector4_slabs evict_first_loads $device
    has "$device: stores remain non-temporal" 4 "$store"
    has "$device: so are loads at the written grid point" 8 "$load"
    has "$device: neighbours are cached" 0 "$load.*&u\["
done

kernel jacobi2d5 gmem evict_first cuda
has "scalars are stored so, too" 1 '^ *lift_store_once('
expect "no input is read at one grid point only" 1 "no load can be non-temporal" "$lift" derive \
    programs/jacobi2d5.lift --family gmem --decide stores=evict_first_loads --device cuda --emit source
expect "CPUs have another option" 1 "stores=evict_first is for another kind of device" "$lift" derive \
    programs/jacobi2d5.lift --decide omp_rows,stores=evict_first --device host --emit source

# The CUDA compiler's PTX has the hint.
kernel acoustic_iso unroll_vector4_slabs evict_first_loads cuda:sm_90
cp "$work/out" "$work/k.cu"
cat >"$work/ptx.py" <<'EOF'
import ctypes, sys
for name in ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
             "/usr/local/cuda-13.0/lib/libnvrtc.so.13"):
    try:
        rtc = ctypes.CDLL(name)
        break
    except OSError:
        continue
else:
    sys.exit(77)
program, size = ctypes.c_void_p(), ctypes.c_size_t()
with open(sys.argv[1], "rb") as f:
    rtc.nvrtcCreateProgram(ctypes.byref(program), f.read(), b"k.cu", 0, None, None)
if rtc.nvrtcCompileProgram(program, 1, (ctypes.c_char_p * 1)(b"--gpu-architecture=sm_90")):
    sys.exit("NVRTC rejects the source")
rtc.nvrtcGetPTXSize(program, ctypes.byref(size))
text = ctypes.create_string_buffer(size.value)
rtc.nvrtcGetPTX(program, text)
print(text.value.decode())
EOF
if python3 "$work/ptx.py" "$work/k.cu" >"$work/kernel" 2>"$work/err"; then
    has "PTX: stores of vectors" 4 'st\.global\.cs\.v4'
    has "PTX: loads of vectors" 8 'ld\.global\.cs\.v4'
elif [ $? -eq 77 ] || ! command -v python3 >/dev/null; then
    skip "PTX" "no NVRTC or no Python"
else
    verdict "PTX" "$(cat "$work/err")"
fi
if "$lift" devices 2>/dev/null | grep -q 'gfx90a'; then
    expect "HIP's compiler accepts them" 0 "registers" "$lift" derive programs/acoustic_iso.lift \
        --family unroll_vector4_slabs --decide stores=evict_first_loads --device hip:gfx90a \
        --build-only --size nx=64,ny=64,nz=64
else
    skip "HIP" "nothing builds for gfx90a here"
fi

# Results are those of the program, where the OpenCL compiler has these functions.
if "$lift" devices 2>/dev/null | grep -q '^opencl:0'; then
    for family in gmem gmem_faces unroll_vector4_slabs; do
        expect "$family computes the program" 0 "ok {" "$lift" derive programs/acoustic_iso.lift \
            --family $family --decide stores=evict_first_loads --device opencl:0 --verify \
            --size nx=23,ny=13,nz=11
    done
    expect "in place" 0 "ok {" "$lift" derive programs/acoustic_iso.lift --family gmem \
        --decide halo=allocated,update=in_place,stores=evict_first_loads --device opencl:0 --verify \
        --size nx=23,ny=13,nz=11
else
    skip "results" "no OpenCL device"
fi
finish
