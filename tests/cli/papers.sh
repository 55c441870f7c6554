#!/bin/sh
# bench/papers.sh: the counts of an emitted kernel, compared with those of a list.
#   sh tests/cli/papers.sh ROOT LIFT
. "$(dirname "$0")/cli.sh"

cd "$1" || exit 1
if ! python3 -c 'import tomllib' 2>/dev/null || ! command -v c++ >/dev/null; then
    skip "counts of the papers' kernels" "no Python 3.11 or no c++"
    finish
fi
if ! "$lift" devices 2>/dev/null | grep -q 'sm_90'; then
    skip "counts of the papers' kernels" "NVRTC is not installed"
    finish
fi

table() { # status, options
    due=$1
    shift
    ends_with "$due" sh bench/papers.sh --verify none "$@" "$lift"
}
# A list of one kernel: 2.5D streaming of a star of radius 4 with planes in shared memory.
write_list() { # counts and reasons
    cat >"$work/list.toml" <<END
[[paper]]
key = "test"
title = "A test"
program = "acoustic_iso"
field = "u"
size = "nx=64,ny=64,nz=64"
R = 4

[[paper.kernel]]
name = "planes {Dx}x{Dy}"
blocks = ["8x8"]
family = "planes_smem"
tile = true
$1
END
}

# Nine planes of 16x16 elements; 64 threads load each plane once, between two barriers.
write_list 'counts.planes = ["2*R + 1", "1"]
counts.bytes = ["4 * (2*R + 1) * (Dx + 2*R) * (Dy + 2*R)", "2"]
counts.loads = ["(Dx + 2*R) * (Dy + 2*R) / (Dx*Dy)", "3"]
counts.stores = ["1", "4"]
counts.barriers = ["2", "5"]'
table 0 --list "$work/list.toml"
verdict "counts are those of the paper" "$(grep -qF '| 8x8 | 9 in shared memory | 9,216 | 4 of 6 | 1 | 2 |' "$work/out" ||
    cat "$work/out")"
verdict "the paper's counts have their places" "$(grep -qF 'bytes 9,216 (2)' "$work/out" || cat "$work/out")"

write_list 'counts.loads = ["1", "3"]'
table 1 --list "$work/list.toml"
verdict "a difference needs a reason" "$(grep -qF 'planes 8x8: loads: 4, the paper'"'"'s kernel has 1' "$work/err" ||
    cat "$work/err")"

write_list 'counts.stores = ["1", "4"]
reasons.stores = "none"'
table 1 --list "$work/list.toml"
verdict "a reason needs a difference" "$(grep -qF 'stores: a reason in the list, and no difference' "$work/err" ||
    cat "$work/err")"

write_list 'counts.flops = ["1", "4"]'
table 2 --list "$work/list.toml"
verdict "unknown counts are rejected" "$(grep -qF "no count 'flops'" "$work/err" || cat "$work/err")"
table 2 --kernel nothing
verdict "unknown kernels are rejected" "$(grep -qF "has no kernel 'nothing'" "$work/err" || cat "$work/err")"

# The page has the kernels of the list, and no others.
verdict "the page lists each kernel" "$(python3 - <<'END'
import sys
sys.path.insert(0, "bench")
import papers
with open("docs/papers.md") as file:
    page = file.read()
for kernel in papers.read_list(papers.LIST, None)[1]:
    if f"| {kernel.name} | {kernel.program} | `{kernel.family}` |" not in page:
        print(f"docs/papers.md has no '{kernel.name}'")
END
)"
finish
