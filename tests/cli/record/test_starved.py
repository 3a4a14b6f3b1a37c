"""Real runs next to others on their cores: the reported loss is what the program itself lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command import Done, jostle

#: Computes for some seconds, in some processes or threads, and says what part of it none had.
LOOP = """
import sys, time
begin, cpu, x = time.time(), time.process_time(), 0
with open('/dev/null', 'wb') as file:
    file.write(bytes(1 << 17))
while time.time() < begin + float(sys.argv[1]):
    for i in range(20000):
        x += i
print(1 - (time.process_time() - cpu) / (time.time() - begin))
"""


@pytest.fixture(autouse=True)
def _needs_runtime(library: Path) -> None:
    """Fail clearly without libjostle.so."""


@contextmanager
def loops(count: int, core: int) -> Iterator[None]:
    """Keep a core busy."""
    code = f"import os; os.sched_setaffinity(0, {{{core}}})\nwhile True: pass"
    started = [subprocess.Popen([sys.executable, "-S", "-c", code]) for _ in range(count)]
    try:
        yield
    finally:
        for one in started:
            one.kill()
            one.wait()


def verdict(place: dict[str, str], gated: Done) -> dict[str, object]:
    """What `estimate --json` says, which the gate and the page say as well."""
    said = json.loads(jostle("estimate", "one", "--json", **place).out)
    reported = next(json.loads(line) for line in gated.err.splitlines() if '"gate"' in line)["gate"]
    assert reported["estimate"]["percent"]["value"] == pytest.approx(
        said["percent"]["value"], abs=0.2
    )
    assert said["head"]["light"] == said["light"] == reported["estimate"]["light"]
    return {**said, "gate": reported["finding"]}


@pytest.mark.tries(3)
@pytest.mark.parametrize("others", [pytest.param(0, marks=pytest.mark.in_turn), 2])
def test_a_serial_loop_lost_what_it_was_kept_from_its_core(tmp_path: Path, others: int) -> None:
    core = min(os.sched_getaffinity(0))
    place = {"JOSTLE_REPOSITORY": str(tmp_path / "repository")}
    with loops(others, core):
        gated = jostle(
            "run",
            "--job",
            "one",
            "--json",
            "--gate",
            "7.5",
            "--slice",
            "250ms",
            "--",
            "taskset",
            "-c",
            str(core),
            sys.executable,
            "-S",
            "-c",
            LOOP,
            "4",
            **place,
        )
    lost = 100 * float(gated.out)
    said = verdict(place, gated)
    assert said["percent"]["value"] == pytest.approx(lost, abs=4)  # type: ignore[index]
    assert said["percent"]["low"] <= lost <= said["percent"]["high"]  # type: ignore[index]
    assert said["coverage"] == pytest.approx(1, abs=0.1)
    if others:
        assert lost > 50
        assert (gated.code, said["gate"], said["light"]) == (3, "disturbed", "red")
        assert said["head"]["cause"] == "cpu"  # type: ignore[index]
        digest = json.loads(jostle("digest", "one", "--json", **place).out)
        share = next(one for one in digest["shares"] if one["name"] == "waiting for a core")
        assert 100 * share["share"] == pytest.approx(lost, abs=4)


@pytest.mark.in_turn
@pytest.mark.tries(3)
def test_siblings_on_one_core_lost_nothing_by_each_other(tmp_path: Path) -> None:
    """Four processes of a job on one core: all that nobody else had, they had."""
    core = min(os.sched_getaffinity(0))
    place = {"JOSTLE_REPOSITORY": str(tmp_path / "repository")}
    script = 'for i in 1 2 3 4; do "$@" & done; wait'
    gated = jostle(
        "run",
        "--job",
        "one",
        "--json",
        "--gate",
        "30",
        "--slice",
        "250ms",
        "--",
        "taskset",
        "-c",
        str(core),
        "sh",
        "-c",
        script,
        "sh",
        sys.executable,
        "-S",
        "-c",
        LOOP,
        "4",
        **place,
    )
    shares = [1 - float(line) for line in gated.out.split()]
    assert len(shares) == 4
    lost = 100 * (1 - sum(shares))
    assert verdict(place, gated)["percent"]["value"] == pytest.approx(lost, abs=6)  # type: ignore[index]


@pytest.mark.in_turn
@pytest.mark.tries(3)
def test_the_stage_of_a_pipeline_that_never_sleeps_is_what_counts(tmp_path: Path) -> None:
    core = min(os.sched_getaffinity(0))
    place = {"JOSTLE_REPOSITORY": str(tmp_path / "repository")}
    with loops(1, core):
        gated = jostle(
            "run",
            "--job",
            "one",
            "--json",
            "--gate",
            "7.5",
            "--slice",
            "250ms",
            "--",
            "taskset",
            "-c",
            str(core),
            "sh",
            "-c",
            '"$@" | cat',
            "sh",
            sys.executable,
            "-S",
            "-c",
            LOOP,
            "4",
            **place,
        )
    said = verdict(place, gated)
    assert said["percent"]["value"] == pytest.approx(100 * float(gated.out), abs=5)  # type: ignore[index]
    assert said["gate"] == "disturbed"


@pytest.mark.in_turn
@pytest.mark.tries(3)
def test_a_limit_of_its_own_is_no_interference(tmp_path: Path) -> None:
    """Half a core by its control group: it waits half of its time, and lost nothing by others."""
    group = Path("/sys/fs/cgroup/cpu", f"jostle-cli-{os.getpid()}")
    second = Path("/sys/fs/cgroup/cgroup.controllers").exists()
    if second:
        group = Path("/sys/fs/cgroup", group.name)
    try:
        group.mkdir()
        (group / ("cpu.max" if second else "cpu.cfs_quota_us")).write_text(
            "50000 100000" if second else "50000"
        )
    except OSError as error:
        if group.is_dir():
            group.rmdir()
        pytest.skip(f"no control group with a CPU limit can be made here: {error}")
    place = {"JOSTLE_REPOSITORY": str(tmp_path / "repository")}
    enter = f'echo $$ >{group}/cgroup.procs; exec "$@"'
    try:
        gated = jostle(
            "run",
            "--job",
            "one",
            "--json",
            "--gate",
            "30",
            "--slice",
            "250ms",
            "--",
            "sh",
            "-c",
            enter,
            "sh",
            sys.executable,
            "-S",
            "-c",
            LOOP,
            "4",
            **place,
        )
    finally:
        group.rmdir()
    waited = float(gated.out)
    assert waited > 0.4
    said = verdict(place, gated)
    # It may have less than its half, by others.
    assert said["percent"]["value"] == pytest.approx(100 * (1 - (1 - waited) / 0.5), abs=8)  # type: ignore[index]
    assert [one for one in said["limits"] if "own CPU limit" in one]  # type: ignore[attr-defined]
    assert "throttled by its CPU limit" in jostle("digest", "one", **place).out
