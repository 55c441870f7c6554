#!/bin/sh
# The OpenCL kernels of the test_opencl of a suite under oclgrind: no data race, no access out
# of bounds, no read of uninitialised memory. TAP; the argument is the test's binary.
echo "1..1"
if ! command -v oclgrind >/dev/null 2>&1; then
    echo "ok 1 - kernels under oclgrind # SKIP oclgrind is not installed"
    exit 0
fi
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
LIFT_TEST_DEVICES_ONLY=1 ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0:malloc_context_size=0:quarantine_size_mb=1 \
    oclgrind --data-races --uninitialized --check-api "$1" test_opencl >"$log" 2>&1
status=$?
# oclgrind 21.10 takes a vector literal that is stored whole, such as
# *(__global float4 *)p = (float4)(a, b, c, d), for uninitialised whatever its elements are.
found=$(awk '/data race|Invalid (read|write)|Divergence/ { n++ }
    /Uninitialized/ { n++; at = NR }
    at && NR <= at + 3 && /store <[0-9]+ x [a-z0-9]+> undef/ { n--; at = 0 }
    END { print n + 0 }' "$log")
if [ "$status" -eq 0 ] && [ "$found" -eq 0 ] && grep -q 'OK ] test_opencl' "$log"; then
    echo "ok 1 - kernels under oclgrind"
elif grep -q 'SKIPPED ] test_opencl' "$log"; then
    echo "ok 1 - kernels under oclgrind # SKIP no OpenCL device under oclgrind"
else
    sed 's/^/# /' "$log" | head -n 40
    echo "not ok 1 - kernels under oclgrind: status $status, $found findings"
    exit 1
fi
