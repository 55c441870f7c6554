#!/bin/sh
# PoCL with the part of its library of functions that kernels of lift call. PoCL parses 18,000
# declarations for each program that it compiles, and reads the 9 MB of their definitions in each
# process that does: more than the compilation of a small kernel takes. What a kernel calls and is not
# there is an error of its compilation.
#   sh tests/pocl/small.sh FOLDER
# The last line is the folder for OCL_ICD_VENDORS: in FOLDER, where PoCL looks for its own files
# next to its library. Exit status 1, with the reason, if there is no such PoCL here.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
vendors=${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}

# By their names: conversions to characters and with other rounding than C's, images, atomics, and
# others that C has not. By their types: vectors of three and of sixteen.
names='convert_u?char|convert_.*(_sat|_rte)|_rt[zpn]|shuffle|async_|image|_pixel|remquo|sincos|fract'
names="$names|frexp|modf|native_|(^|[0-9]|cl_)half_|(load|store)a_half|atomic|(load|store)(_half)?(3|16)"
names="$names|vstore_half[248]?([^_248]|\$)|vstore_half.*(global|local)|gamma|remainder|rootn|pown|powr|nextafter"
names="$names|logb|(sin|cos|tan|tan2)pi|exp10|(max|min)mag"
# Of vectors only these, which kernels call for lanes.
lanes='fmin|fmax|fabs|abs|min|max|sqrt|exp|log|sin|cos|pow|floor|fma|mad|convert_[a-z0-9]*|vload[_a-z0-9]*|vstore[_a-z0-9]*'

give_up() { # reason
    echo "$1"
    exit 1
}
[ -f "$vendors/pocl.icd" ] || give_up "there is no $vendors/pocl.icd"
pocl=$(cat "$vendors/pocl.icd")
case $pocl in
    /*) ;;
    *) pocl=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p | sed -n 's|.* => \(.*/\)libpocl\..*|\1|p' | head -n 1)$pocl ;;
esac
[ -f "$pocl" ] || give_up "there is no $pocl"
grep -q '\.\./\.\./share/pocl' "$pocl" || give_up "$pocl does not look for its files next to its library"
llvm=$(ldd "$pocl" | awk '$1 ~ /^libLLVM/ { print $3; exit }')
shared=${pocl%/*}/../../share/pocl
[ -n "$llvm" ] || give_up "$pocl has no LLVM"
[ -f "$shared/include/opencl-c.h" ] || give_up "$pocl has no headers"

# A folder made from the same PoCL by the same rules is reused.
key=$(cat "$0" "$here"/*.c "$vendors"/*.icd | cksum; ls -lL "$pocl")
if [ "$(cat "$folder/key" 2>/dev/null)" != "$key" ]; then
    rm -rf "$folder"
    mkdir -p "$folder/lib/pocl" "$folder/share/pocl" "$folder/vendors"
    own=$folder/lib/pocl/$(basename "$pocl")
    ln -s "$pocl" "$own"
    ln -s "${pocl%/*}/pocl" "$folder/lib/pocl/pocl"
    cp "$vendors"/*.icd "$folder/vendors"
    # Compiles in a separate process if its requirements are present (apart.c).
    if ${CC:-cc} -O1 -o "$folder/builder" "$here/builder.c" -lOpenCL &&
        ${CC:-cc} -O1 -D_GNU_SOURCE -fPIC -shared -DPOCL="\"$own\"" -DBUILDER="\"$folder/builder\"" \
            -o "$folder/lib/libapart.so" "$here/apart.c" -ldl; then
        echo "$folder/lib/libapart.so" >"$folder/vendors/pocl.icd"
    else
        echo "$own" >"$folder/vendors/pocl.icd"
    fi
    for file in "$shared"/*; do
        ln -s "$file" "$folder/share/pocl"
    done
    rm "$folder/share/pocl/include"
    cp -r "$shared/include" "$folder/share/pocl"
    awk -v names="$names" -v lanes="^($lanes)\$" '/__ovld.*\);$/ {
        name = $0
        sub(/\(.*/, "", name)
        sub(/.*[ *]/, "", name)
        if (name ~ names || /[a-z](3|16)[ ,)*]/ || (name !~ lanes && /[a-z][248][ ,)*]/))
            next
    } { print }' "$shared/include/opencl-c.h" >"$folder/share/pocl/include/opencl-c.h"
    ${CC:-cc} -O1 -o "$folder/strip" "$here/strip.c" -ldl
    # Others are for processors without these.
    for library in "$shared"/kernel-*-avx2.bc "$shared"/kernel-*-avx512.bc; do
        variant=${library##*-}
        [ -f "$library" ] || continue
        grep -qm1 "^flags.* ${variant%.bc}" /proc/cpuinfo || continue
        rm "$folder/share/pocl/$(basename "$library")"
        "$folder/strip" "$llvm" "$library" "$names|Dv3_|Dv16_" \
            "Dv|^Sleef_" "^_Z[0-9]+(_cl_)?($lanes)(Dv|m|P)" "$folder/share/pocl/$(basename "$library")"
    done
    echo "$key" >"$folder/key"
fi
echo "$folder/vendors"
