"""The grammar of studies: valid files are read, mistakes are named with their line."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jostle.errors import JostleError
from jostle_lab.study import ConfigError, check_where, find, load, plan, shipped
from jostle_lab.study.config import StudyOptions
from jostle_lab.study.config import parse as parse_text

HEAD = '[study]\nname = "s"\n'
ONE = HEAD + '[[program]]\npattern = "write-seek"\n'


@pytest.mark.parametrize(
    ("text", "line", "reason", "fix"),
    [
        ("[study\n", 1, "not valid TOML", "quotes"),
        (HEAD + "x = [1,\n", None, "not valid TOML", "lists"),
        ('[study]\nslice = "1s"\n', 1, "no name", "name ="),
        (HEAD, None, "names no program", "[[program]]"),
        (HEAD + "repetition = 3\n", 3, "no such key", "`repetitions`"),
        (HEAD + "repetitions = 0\n", 3, "between 1 and 1000", "repetitions ="),
        (HEAD + 'slice = "10ms"\n', 3, "100 ms to 60 s", "250ms"),
        (HEAD + "slice = 0\n", 3, "100 ms to 60 s", "250ms"),
        ('[study]\nnames = "s"\n', 2, "no such key", "`name`"),
        (HEAD + 'progress = "byte"\n', 3, "no `byte`", "`bytes`"),
        ('[study]\nname = "with blanks"\n', 2, "letters", "my-study"),
        (ONE + 'chunk = "64KX"\n', 5, '"64KX" is not a size', "1MiB"),
        (ONE + "chunk = -1\n", 5, "not a size", "1MiB"),
        (ONE + "processes = 1.5\n", 5, "whole number", "processes"),
        (ONE + 'flash = "each"\n', 5, "no such key", "`flush`"),
        (ONE + "duty = 0.5\n", None, "belong to a period", "24s"),
        (ONE + 'period = "2s"\nduty = 1.5\n', 6, "between 0 and 1", "0.5"),
        (ONE + 'api = "mpiio"\n', 5, "MPI-IO needs MPI", "openmpi"),
        (ONE + "reuse = true\n", 5, "only open-write-close", ""),
        (ONE + "split = true\n", 5, "network", ""),
        (ONE + 'chunk = "1KiB"\npiece = "2KiB"\n', 6, "cannot be larger", ""),
        (HEAD + '[[program]]\npattern = "write-seak"\n', 4, "no `write-seak`", "`write-seek`"),
        (HEAD + '[[program]]\npattern = "ping"\n', None, "needs MPI", "mpich"),
        (HEAD + '[[program]]\nname = "x"\n', None, "either a pattern or a command", "pattern ="),
        (HEAD + '[[program]]\ncommand = ["x"]\n', None, "needs a name", "lammps"),
        (HEAD + '[[program]]\nname="x"\ncommand = "ls -l"\n', 5, "list of texts", "["),
        (HEAD + '[[program]]\nname="x"\ncommand=["x"]\nvolume="1M"\n', 6, "a command", "Leave"),
        (ONE + '[[program]]\npattern = "write-seek"\n', None, "two programs", "Rename"),
        (ONE + '[program.env]\nJOSTLE_JOB = "x"\n', 5, "set by the study", "Leave"),
        (HEAD + '[[program]]\nname="x"\ncommand=["x"]\nfiles={"../x"="y"}\n', 6, "outside", ""),
        (HEAD + '[[program]]\nname="x"\ncommand=["x"]\nfiles={"/etc/x"="y"}\n', 6, "outside", ""),
        (ONE + '[pairs]\nlist = [["write-seek", "write-sek"]]\n', 6, "no program", "`write-seek`"),
        (ONE + '[pairs]\nlist = [["write-seek"]]\n', 6, "not a pair", "probe"),
        (ONE + '[pairs]\nmode = "fight"\n', 6, "no `fight`", "race"),
        (ONE + "[axes]\nchunk = []\n", 6, "something in it", "["),
        (ONE + '[axes]\nchunk = ["1MiB", "1024KiB"]\n', 6, "twice", "Leave"),
        (ONE + "[axes]\nprocesses = [[1, 2, 3]]\n", 6, "not a value", "two"),
        (ONE + '[axes]\nchunks = ["1MiB"]\n', 6, "no such key", "`chunk`"),
        (ONE + '[axes]\nstore = ["ram", "../disk"]\n', 6, "not a value", "two"),
        (ONE + '[where]\nplace = "lob"\n', 6, "no `lob`", "`lab`"),
        (ONE + '[lab]\nfs = "nfs"\n', 6, "no `nfs`", "sshfs"),
        (ONE + '[lab]\nstorage_rate = "fast"\n', 6, "rate", "400mbit"),
        (
            ONE + '[lab]\nstorage_rate = "9mbit,9mbit,9mbit,9mbit,9mbit,9mbit"\n',
            6,
            "rates",
            "400mbit",
        ),
        (ONE + "[lab]\nnodes = 17\n", 6, "17 is not a whole number between 1 and 16", "nodes = 4"),
        (ONE + '[slurm]\nspool = "tmp"\n', 6, "absolute", "/tmp"),
        (ONE + "[studdy]\n", 5, "no such key", "`study`"),
        ("study = 3\n", 1, "must be a table", "[study]"),
        ("program = []\n" + HEAD, 1, "names no program", "[[program]]"),
        ("program = [3]\n" + HEAD, 1, "must be a table", "[program]"),
        ("program = 3\n" + HEAD, 1, "names no program", "[[program]]"),
    ],
)
def test_mistakes_are_named(
    parse: Callable[..., Any], text: str, line: int | None, reason: str, fix: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text)
    message = str(caught.value)
    assert message.startswith(f"study.toml:{line}: " if line else "study.toml"), message
    assert reason in message, message
    assert fix in caught.value.hint, caught.value.hint
    assert caught.value.hint
    assert caught.value.exit_code == 2


def test_lines_are_found_behind_multi_line_texts(parse: Callable[..., Any]) -> None:
    text = ONE + '[[program]]\nname = "x"\ncommand = ["x"]\n[program.files]\n"a" = """\nchunk = 1\n'
    text += '[study]\n"""\n[[program]]\nname = "y"\ncommand = ["y"]\nchunk = "??"\n'
    with pytest.raises(ConfigError, match=r"^study\.toml:16: "):
        parse(text)


def test_a_study_asks_for_no_lab_that_cannot_be_built(parse: Callable[..., Any]) -> None:
    from jostle_lab.cluster.spec import MOST_NODES, MOST_SERVERS

    assert parse(ONE + f"[lab]\nnodes = {MOST_NODES}\n").lab.nodes == MOST_NODES
    with pytest.raises(ConfigError, match=f"between 1 and {MOST_NODES}"):
        parse(ONE + f"[lab]\nnodes = {MOST_NODES + 1}\n")
    rates = ",".join(["9mbit"] * MOST_SERVERS)
    assert parse(ONE + f'[lab]\nstorage_rate = "{rates}"\n').lab.storage_rate == rates
    with pytest.raises(ConfigError, match=f"1 to {MOST_SERVERS} rates"):
        parse(ONE + f'[lab]\nstorage_rate = "{rates},9mbit"\n')


def test_nodes_of_slurm_need_a_folder(parse: Callable[..., Any]) -> None:
    text = ONE + '[where]\nplace = "slurm"\n'
    for study, place in (
        (parse(text), "study.toml:5: `dir` of [where]: "),
        (parse(ONE, place="slurm"), "study.toml: `dir` of [where]: "),
    ):
        with pytest.raises(ConfigError, match="needs a folder") as caught:
            check_where(study)
        assert str(caught.value).startswith(place) and caught.value.exit_code == 2
        assert "--dir /path/on/the/shared/fs" in caught.value.hint
    check_where(parse(text + 'dir = "/scratch"\n'))
    check_where(parse(text, place="local"))


@pytest.mark.parametrize("name", sorted(shipped()))
def test_shipped_studies(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # All programs are planned, also those that are not installed here.
    monkeypatch.setattr("shutil.which", lambda word: word)
    study = load(find(name))
    assert study.name == name
    assert study.description
    runs = plan(study)
    if name.endswith("-full"):
        assert (study.slice_ns, study.where.place, study.repetitions) == (4 * 10**9, "slurm", 5)
        assert all(program.period_s in (None, 24) for program in study.programs)
        count = max if study.where.placement == "shared" else sum
        for run in runs:
            on = [member.program.nodes or 1 for member in run.members if not member.program.at]
            assert count(on or [0]) <= (study.slurm.nodes or 0), "the study could never run"
    elif name != "demo":  # which is for `jostle demo`
        # The nodes of a lab are one machine, which divides its GPUs without a lab, too.
        assert study.where.place == ("local" if name == "pcie" else "lab")
        quick = load(find(name), StudyOptions(quick=True))
        assert quick.name.endswith("-quick")
        assert len(plan(quick)) < len(runs)
        assert f"{name}-full" in shipped()


def test_every_program_of_the_thesis_scale() -> None:
    study = load(find("write-patterns-full"))
    assert {run.cell["chunk"] for run in plan(study)} == {1 << 20, 16 << 20, 256 << 20}
    assert {(p.processes, p.nodes) for p in study.programs} == {(256, 64)}


def test_unknown_study() -> None:
    with pytest.raises(ConfigError, match="no study `write-patern`") as caught:
        find("write-patern")
    assert "`write-patterns`" in caught.value.hint
    with pytest.raises(ConfigError, match=r"no file periodc\.toml") as caught:
        find("periodc.toml")
    assert "`periodic`" in caught.value.hint


def test_sources_lie_alongside_the_study_or_come_with_jostle(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    text = (
        '[study]\nname = "s"\n[[program]]\nname = "code"\ncommand = ["./code"]\n'
        'sources = ["own.c", "code.h"]\nfiles = { input = "3" }\n'
    )
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"study.toml:6: `sources` .*there is no file `own.c`"):
        load(path)
    (tmp_path / "own.c").write_text("int main(void) { return 0; }\n")
    (program,) = load(path).programs
    assert [name for name, _ in program.files] == ["own.c", "code.h", "input"]
    assert "main" in program.files[0][1] and "JST_CODE_H" in program.files[1][1]
    (tmp_path / "own.c").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="cannot be read as text"):
        load(path)
    path.write_text(text.replace("own.c", "../own.c"))
    with pytest.raises(ConfigError, match=r"no file `\.\./own\.c`"):
        load(path)


def test_axes_defaults_and_own_keys(parse: Callable[..., Any]) -> None:
    study = parse(
        HEAD + '[defaults]\nchunk = "1MiB"\nprocesses = 3\nvolume = "8MiB"\n'
        '[[program]]\npattern = "write-seek"\n'
        '[[program]]\npattern = "aggregate-write"\nchunk = "2MiB"\nvolume = { "2MiB" = "4MiB" }\n'
        '[axes]\nchunk = ["64KiB", "4MiB"]\n'
    )
    cells = {
        (member.program.name, member.program.chunk, member.program.processes, member.program.volume)
        for run in plan(study)
        for member in run.members
    }
    # An axis beats [defaults], a program's own key beats an axis.
    assert cells == {
        ("write-seek", 64 << 10, 3, 8 << 20),
        ("write-seek", 4 << 20, 3, 8 << 20),
        ("aggregate-write", 2 << 20, 3, 4 << 20),
    }


def test_command_line_beats_the_file(parse: Callable[..., Any]) -> None:
    text = ONE + '[quick]\nrepetitions = 2\ndefaults.time = "1s"\n'
    study = parse(text, quick=True, place="local", mpi="mpich")
    assert (study.name, study.repetitions, study.where.place) == ("s-quick", 2, "local")
    assert (study.programs[0].time_s, study.programs[0].mpi) == (1.0, "mpich")
    assert parse(text, repetitions=7, name="other").name == "other"
    with pytest.raises(ConfigError, match="cannot name a study"):
        parse(text, name="no good")


def test_fingerprint_is_of_what_is_measured(parse: Callable[..., Any]) -> None:
    first = parse(ONE).fingerprint()
    assert parse("# words\n" + ONE).fingerprint() == first
    assert parse(ONE, repetitions=9).fingerprint() == first
    assert parse(ONE, place="local").fingerprint() != first
    assert parse(ONE + 'chunk = "2MiB"\n').fingerprint() != first


def test_what_is_not_installed_is_left_out(parse: Callable[..., Any]) -> None:
    study = parse(
        ONE + '[[program]]\nname = "x"\ncommand = ["x"]\nneeds = ["no-such-program"]\n'
        '[pairs]\nlist = [["x", "write-seek"], ["write-seek", "write-seek"]]\n'
    )
    assert study.left_out == (("x", "no-such-program not installed"),)
    assert [(pair.first, pair.second) for pair in study.pairs] == [("write-seek", "write-seek")]


VALUES = st.recursive(
    st.one_of(st.text(max_size=8), st.integers(), st.booleans(), st.floats(allow_nan=False)),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)
KEYS = st.sampled_from(
    [
        "chunk",
        "processes",
        "volume",
        "period",
        "duty",
        "command",
        "files",
        "needs",
        "mpi",
        "name",
        "pattern",
        "list",
        "mode",
        "slice",
        "time",
        "env",
        "spool",
        "nodes",
        "repetitions",
    ]
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(KEYS, VALUES), max_size=6),
    st.sampled_from("study where lab slurm defaults axes pairs quick [program]".split()),
)
def test_anything_is_read_or_refused(pairs: list[tuple[str, Any]], table: str) -> None:
    lines = [f"{key} = {json.dumps(value)}" for key, value in dict(pairs).items()]
    text = f"[{table}]\n" + "\n".join(lines) + "\n"
    text += ONE if table != "study" else ""
    with contextlib.suppress(JostleError):
        plan(parse_text(text, "study.toml", StudyOptions()))


def test_at_names_nodes_by_number(parse: Callable[..., Any]) -> None:
    text = (
        HEAD + '[[program]]\npattern = "ping"\nmpi = "openmpi"\nat = "{}"\n[lab]\ntopology = "{}"\n'
    )
    study = parse(text.format("1,5-7", "tree:4x2"))
    program = plan(study)[0].members[0].program
    assert (program.at, program.nodes, program.processes) == ((1, 5, 6, 7), 4, 4)
    assert study.lab.topology == "tree:4x2"
    for at, topology, word in (
        ("0", "", "at"),
        ("1,1", "", "at"),
        ("3-1", "", "at"),
        ("1", "ring:4", "topology"),
    ):
        with pytest.raises(ConfigError, match=word):
            parse(text.format(at, topology))


def test_what_labs_got_later_does_not_make_other_studies(parse: Callable[..., Any]) -> None:
    study = parse(HEAD + '[[program]]\npattern = "write-seek"\n')
    old = study.to_json()
    for key in ("description", "repetitions", "left_out"):
        del old[key]
    for key in ("topology", "storage_at", "object_servers", "device_rate"):
        del old["lab"][key]
    digest = hashlib.sha256(json.dumps(old, sort_keys=True).encode()).hexdigest()[:16]
    assert study.fingerprint() == digest


def test_another_file_system_has_a_name_of_its_own_and_the_same_rate() -> None:
    study = load(find("write-patterns"), StudyOptions(fs="cephfs"))
    assert study.name == "write-patterns-cephfs"
    assert (study.lab.fs, study.lab.storage_rate) == ("cephfs", "200mbit")  # two object servers
    assert load(find("write-patterns"), StudyOptions(fs="gluster")).lab.storage_rate == "400mbit"
    assert load(find("metadata-storms"), StudyOptions(fs="cephfs")).lab.storage_rate == "400mbit"
    short = load(find("process-count"), StudyOptions(fs="cephfs", quick=True))
    assert short.name == "process-count-ceph-quick"  # as long as a name may be


def test_a_chunk_of_the_axis_that_is_smaller_than_a_piece_is_written_at_once() -> None:
    runs = plan(load(find("chunk-size")))
    pieces = {
        (member.program.chunk, member.program.piece) for run in runs for member in run.members
    }
    assert pieces == {(64 << 10, None), (4 << 20, 1 << 20), (64 << 20, 1 << 20)}
