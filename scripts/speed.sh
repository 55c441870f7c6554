#!/bin/sh
# Prints how many times slower this machine currently is than an idle machine with two cores of a
# server of 2023: at least 1.0. Takes a second on such a machine. Tests multiply their time limits
# by this number (docs/robustness.md).
set -u
idle=850 # milliseconds there
file=$(mktemp) || exit 1
trap 'rm -f "$file"' EXIT

# So many functions with loops for the compiler, and pages that are written and read.
work() {
    awk 'BEGIN {
        for (i = 0; i < 100; i++)
            printf "float f%d(float *a, const float *b, int n) { float s = 0; for (int i = 1; i < n - 1; i++) " \
                "for (int j = 0; j < %d; j++) { a[i] += b[i - 1] * j + b[i + 1] / (i + %d); s += a[i]; } " \
                "return s; }\n", i, 3 + i % 5, i
    }' >"$file"
    ${CC:-cc} -x c -O2 -S -o /dev/null "$file"
    dd if=/dev/zero bs=64M count=2 2>/dev/null | cksum >/dev/null
}

begun=$(date +%s%N)
work || exit 1
ended=$(date +%s%N)
awk -v took=$(((ended - begun) / 1000000)) -v idle=$idle \
    'BEGIN { factor = took / idle; printf "%.1f\n", (factor > 1 ? factor : 1) }'
