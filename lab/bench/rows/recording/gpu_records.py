"""Measures jostle's own part of recording a GPU, per record and call, with a CUPTI of ours.

No GPU is needed. The cost of CUPTI itself is far higher, and is measured on a GPU
(docs/measurements/2026-11-27-neighbours-on-a-gpu.md).
"""

from __future__ import annotations

import subprocess

from measure import BARE, OURS, PROGRAMS, Bench, Row, Samples, compared, output
from profiles import totals

#: The program's lines: what each is, its limit (ns), the metric that must have counted it.
KINDS = (
    ("record of a copy", 30.0, "gpu_h2d_ops"),
    ("launch, two callbacks", 20.0, "gpu_launch_ops"),
    ("wait, two callbacks", 30.0, "gpu_wait_ops"),
)
LEAST_CALLS = 10_000


def build(bench: Bench) -> str:
    """Compile the program and its substitute for CUPTI; return the program's path."""
    folder = bench.disk / "gpu-records"
    folder.mkdir()
    source, library = str(PROGRAMS / "gpu_records.c"), str(folder / "libcupti.so.13")
    program = str(folder / "gpu_records")
    for words in (
        ["-DLIBRARY", "-shared", "-fPIC", "-Wl,-soname,libcupti.so.13", source, "-o", library],
        [source, library, f"-Wl,-rpath,{folder}", "-ldl", "-o", program],
    ):
        subprocess.run(["cc", "-std=gnu11", "-O2", *words], check=True)
    return program


def rows(bench: Bench) -> list[Row]:
    """Measure a row for each of KINDS: a loop around empty functions, and around jostle's."""
    command = [build(bench), str(bench.cpus[-1])]
    spool = bench.spool("gpu-records")
    recorder = bench.preload.with_name("libjostle_cuda.so")
    environment = bench.jostle(spool) | {"CUDA_INJECTION64_PATH": str(recorder)}
    samples: list[Samples] = [{BARE: [], OURS: []} for _ in KINDS]
    for _ in range(bench.rounds(15)):
        for kind, line in zip(samples, output(command, environment).splitlines(), strict=True):
            for variant, ns in zip((BARE, OURS), line.split(), strict=True):
                kind[variant].append(float(ns))
    counted = totals(spool)
    for _, _, metric in KINDS:
        if counted.get(metric, 0) < LEAST_CALLS:
            raise RuntimeError(f"not counted: {metric} = {counted.get(metric, 0)}")
    return [
        compared(kind, "gpu-records", f"GPU: {what}", "ns", limit)
        for kind, (what, limit, _) in zip(samples, KINDS, strict=True)
    ]
