"""integrations/slurm/job_submit.lua: its changes to jobs, run by the Lua that Slurm loads.

lab/tests/cluster/test_slurm.py runs it in a real Slurm.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import shutil
from pathlib import Path
from typing import Any

import pytest

PLUGIN = Path(__file__).parents[3] / "integrations/slurm/job_submit.lua"
NO_VAL16, NO_VAL = 0xFFFE, 0xFFFFFFFE
TABLE = """\
# a remark: writer\tlicenses=none:1
writer\tlicenses=scratch_bw:40 exclusive
solver\tlicenses=scratch_bw:4
train.py\tlicenses=home_bw:2 nonsense
mpi-code\tswitches=1@60
"""
#: The driver: a Slurm of three functions, one submission, and its results in a file.
DRIVER = """
slurm = { SUCCESS = 0, log_user = function(text) shown = text end, log_error = error }
dofile(%(plugin)s)
local job = { %(job)s }
local status = slurm_job_submit(job, {}, 0)
local file = io.open(%(result)s, "w")
for _, name in ipairs({ "licenses", "shared", "req_switch", "wait4switch" }) do
   if job[name] ~= nil then file:write(name, "=", string.format("%%s", job[name]), "\\n") end
end
file:write("status=", status, "\\n", "shown=", shown or "", "\\n")
file:close()
"""


def versions() -> list[str]:
    """Return the Lua libraries of this machine."""
    found = (ctypes.util.find_library(f"lua{number}") for number in ("5.1", "5.3", "5.4"))
    return [name for name in found if name]


@pytest.fixture(params=versions() or [pytest.param("", marks=pytest.mark.skip(reason="no Lua"))])
def submit(request: pytest.FixtureRequest, tmp_path: Path):  # type: ignore[no-untyped-def]
    """Submits a job with some fields, and returns the fields afterwards."""
    plugin = Path(shutil.copy(PLUGIN, tmp_path))
    (tmp_path / "jostle_policy.tsv").write_text(TABLE)

    def run(**fields: str | int) -> dict[str, str]:
        given = {"shared": NO_VAL16, "req_switch": NO_VAL, **fields}
        result = tmp_path / "result"
        job = ", ".join(f"{name} = {quoted(value)}" for name, value in given.items())
        names = {"plugin": quoted(str(plugin)), "job": job, "result": quoted(str(result))}
        execute(request.param, DRIVER % names)
        return dict(line.split("=", 1) for line in result.read_text().splitlines())

    run.table = tmp_path / "jostle_policy.tsv"  # type: ignore[attr-defined]
    return run


def quoted(value: str | int) -> str:
    if isinstance(value, int):
        return str(value)
    text = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'


def execute(library: str, code: str) -> None:
    """Run Lua code in a state of its own."""
    lua: Any = ctypes.CDLL(library)
    lua.luaL_newstate.restype = ctypes.c_void_p
    lua.lua_tolstring.restype = ctypes.c_char_p
    state = ctypes.c_void_p(lua.luaL_newstate())
    lua.luaL_openlibs(state)
    try:
        failed = lua.luaL_loadstring(state, code.encode())
        if not failed and hasattr(lua, "lua_pcallk"):
            failed = lua.lua_pcallk(state, 0, 0, 0, ctypes.c_ssize_t(0), None)
        elif not failed:
            failed = lua.lua_pcall(state, 0, 0, 0)
        assert not failed, lua.lua_tolstring(state, -1, None)
    finally:
        lua.lua_close(state)


def test_a_program_of_the_script_gets_what_the_table_has(submit) -> None:  # type: ignore[no-untyped-def]
    done = submit(script="#!/bin/sh\nsrun /opt/bin/solver --steps 9\n")
    assert done["licenses"] == "scratch_bw:4"
    assert done["status"] == "0"
    assert "-L scratch_bw:4" in done["shown"]
    assert done["shared"] == str(NO_VAL16)


def test_of_several_programs_the_larger_number_counts(submit) -> None:  # type: ignore[no-untyped-def]
    done = submit(script="#!/bin/sh\n./solver\n./writer; python train.py\n")
    assert done["licenses"] == "home_bw:2,scratch_bw:40"
    assert done["shared"] == "0"


@pytest.mark.parametrize(
    "script", ["#!/bin/sh\n# solver\n", "#!/bin/sh\nsolver2\n", "#!/bin/sh\n./my-solver.sh\n", ""]
)
def test_other_words_and_comments_are_no_programs(script: str, submit) -> None:  # type: ignore[no-untyped-def]
    assert submit(script=script).keys() == {"shared", "req_switch", "status", "shown"}


def test_what_a_user_asks_for_stays_as_it_is(submit) -> None:  # type: ignore[no-untyped-def]
    script = "#!/bin/sh\nwriter\n./mpi-code\n"
    done = submit(script=script, licenses="scratch_bw:1", shared=2, req_switch=3)
    assert done["licenses"] == "scratch_bw:1"
    assert done["shared"] == "2"
    assert done["req_switch"] == "3"
    other = submit(script=script, licenses="matlab:1")
    assert other["licenses"] == "matlab:1,scratch_bw:40"


def test_switches_are_asked_for_with_the_longest_wait(submit) -> None:  # type: ignore[no-untyped-def]
    done = submit(script="#!/bin/sh\nsrun ./mpi-code\n")
    assert float(done["req_switch"]) == 1
    assert float(done["wait4switch"]) == 3600


def test_a_job_without_a_script_is_known_by_its_name(submit) -> None:  # type: ignore[no-untyped-def]
    assert submit(name="solver")["licenses"] == "scratch_bw:4"
    assert "licenses" not in submit(name="solver", script="#!/bin/sh\ntrue\n")


def test_without_a_table_jobs_are_submitted_as_they_are(submit) -> None:  # type: ignore[no-untyped-def]
    submit.table.unlink()
    done = submit(script="#!/bin/sh\nsolver\n")
    assert done["status"] == "0"
    assert "licenses" not in done
