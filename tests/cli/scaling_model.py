"""The model of tools/scaling.py, against numbers computed by hand: python3 scaling_model.py TOOLS."""
import math
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import scaling  # noqa: E402

# A plane has 10 rows of 1000 points: 10^-5 seconds; one device needs 1 ms for 100.
GRID = (100, 10, 1000)
STENCIL = {"halo": 1, "read": 4, "state": 8}
MACHINE = {"rate": 1e9, "launch": 0, "copy": 4e9, "link": (1e9, 1e-3), "network": (0.5e9, 2e-3), "node": 2}


def of(devices, every=1, machine=None, **case):
    return scaling.predict({**MACHINE, **(machine or {})}, STENCIL, GRID, {"devices": devices, "every": every, **case})


def check(value, wanted):
    assert math.isclose(value, wanted, rel_tol=1e-9), (value, wanted)


one = of(1, cut_rows=True)
check(one["seconds"], 1e-3)
check(one["rate"], 1e9)
check(one["efficiency"], 1)
check(of(1, overlap=True)["seconds"], 1e-3)

# 51 planes each; 40,000 bytes in 1 ms and 40 us; the interior takes 0.49 ms.
strong = of(2)
check(strong["kernel"], 0.51e-3)
check(strong["bytes"], 40000)
check(strong["exchange"], 1.04e-3)
check(strong["seconds"], 1.55e-3)
check(strong["efficiency"], 1 / 1.55 / 2)
assert not strong["hidden"]
check(of(2, overlap=True)["seconds"], 0.01e-3 + 1.04e-3)

# Two planes of both fields after two launches of 52 planes.
seldom = of(2, 2)
check(seldom["kernel"], 0.52e-3)
check(seldom["bytes"], 160000)
check(seldom["seconds"], 0.52e-3 + 1.16e-3 / 2)
check(of(2, 2, overlap=True)["seconds"], (0.52e-3 + 0.02e-3 + 1.16e-3) / 2)

# Two nodes: of a part's two neighbours one is in the other node.
nodes = of(4)
check(nodes["kernel"], 0.27e-3)
check(nodes["exchange"], 2.08e-3)
weak = of(4, weak=True)
check(weak["seconds"], 1.02e-3 + 2.08e-3)
check(weak["efficiency"], 1 / 3.1)
check(weak["rate"], 4e6 / 3.1e-3)

# 2 x 2 would send 220,000 bytes between nodes and pack 200,000: slabs are faster. In one node 2 x 2 takes
# 0.306 + 1.22 + 0.2 ms, slabs 0.27 + 1.08.
assert of(4, cut_rows=True)["parts"] == [4, 1]
node = of(4, cut_rows=True, machine={"node": 4})
assert node["parts"] == [4, 1]
check(node["seconds"], 0.27e-3 + 1.08e-3)

# Too few planes.
assert of(100)["possible"] and not of(200)["possible"] and not of(100, 2)["possible"]
rows = of(200, cut_rows=True)
assert rows["possible"] and rows["parts"][1] > 1

# 80,000 bytes within a node: 1.08 ms, in which 108 planes are computed; two are edges.
check(scaling.least_planes(MACHINE, STENCIL, GRID, 1, False), 110)
check(scaling.least_planes(MACHINE, STENCIL, GRID, 1, True), 210)

# ---- measured runs

STAR = {"halo": 4, "read": 16, "state": 8}
NOMINAL = {"rate": 0, "launch": 0, "copy": 3e12, "link": (300e9, 10e-6), "network": (40e9, 20e-6), "node": 8}
TITLE = "acoustic_iso, 1000x1000 points a plane, 1000 planes a device (weak) or in all (strong), 200 steps\n"
HEADS = "scaling devices  m by        overlap     GPts/s  efficiency  exchanges  said\n"
TABLE = TITLE + HEADS + """\
one           1  - -         -              100     100.0 %  -          -
weak          2  1 peer      no             190      95.0 %  24\u00a0ms      from device to device
weak          4  1 rank-nccl no             370      92.5 %  44 ms      by NCCL 2.28
weak          4  2 peer      yes            380      95.0 %  1 ms       from device to device, overlapped with the computation
                 on cuda:0: boundary planes until 94.8 us, interior until 4.56 ms
weak          4  1 mpi       no             100      25.0 %  4 s        by Open MPI
weak          4  1 rank-host yes     lift: --overlap yes: planes go through the host
"""


def read(text):
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt", delete=False) as file:
        file.write(text)
    try:
        return scaling.read_measured(file.name)
    finally:
        os.unlink(file.name)


program, grid, runs = read(TABLE)
assert program == "acoustic_iso" and len(runs) == 5
check(runs[1]["exchange"], 120e-6)
check(runs[2]["seconds"], 4e9 / 370e9)
assert runs[3]["overlap"] and runs[3]["every"] == 2 and runs[4]["by"] == "mpi"
machine = dict(NOMINAL)
assert scaling.fit(machine, STAR, grid, runs) == 2
check(machine["rate"], 100e9)
assert abs(machine["link"][1] - 20e-6) < 1e-9  # 16 MB and 32 MB
assert abs(machine["link"][0] - 160e9) < 1e3
check(scaling.predict(machine, STAR, grid, runs[0])["seconds"], 10e-3)
assert abs(scaling.predict(machine, STAR, grid, runs[1])["exchange"] - 120e-6) < 1e-9

# Exchanges of one size: the latency stays as it was.
machine = dict(NOMINAL)
assert scaling.fit(machine, STAR, grid, runs[:2]) == 1
check(machine["link"][1], 10e-6)
check(machine["link"][0], 16e6 / 110e-6)


def malformed(text, wanted):
    said = []
    scaling.fail = lambda status, message: (said.append((status, message)), sys.exit(status))
    try:
        read(text)
    except SystemExit:
        pass
    assert said and said[0][0] == 2 and wanted in said[0][1], (text, said)


malformed("", "line 1: expected a first row of one device")
malformed("heat\n", 'line 1: expected "PROGRAM, XxY points a plane')
malformed(TITLE + HEADS + "weak 2 1 peer no x\n", "line 3: expected a row of")
malformed(TITLE + HEADS + "weak 2 1 peer no 3 50.0 % 1 ms\n", "a first row of one device")
malformed(TITLE + HEADS + "weak 2 0 peer no 3 50.0 % 1 ms\n", "line 3: expected a row of")
