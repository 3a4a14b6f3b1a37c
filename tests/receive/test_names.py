"""Names of nodes: those of the mirror's own files are refused wherever a node may be named."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from receive_node import Node, ranged
from running_receiver import Running

from jostle.errors import UsageError
from jostle.receive import add_token
from jostle.receive.keeper import Keeper
from jostle.receive.tokens import Tokens
from jostle.receive.usage import Usage

MARKER = "jostle-mirror.json"
NO_NODES = [
    MARKER,
    MARKER.upper(),
    "Jostle-Mirror.json",
    ".",
    "..",
    ".lock",
    ".files",
    "",
    "-n1",
    "_n1",
    "a/b",
    "n1 ",
    "n1\n",
    "nöde",
    "\N{FULLWIDTH LATIN SMALL LETTER N}1",
    "n" * 129,
]


def command(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "jostle.cli", *words], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", NO_NODES)
def test_such_a_node_gets_no_token(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="is not a valid name"):
        add_token(tmp_path / "tokens", name)
    assert not (tmp_path / "tokens").exists()


@pytest.mark.parametrize("name", [MARKER, MARKER.upper()])
def test_such_a_node_cannot_post_by_any_credential(
    starting: Callable[..., Running], name: str, tmp_path: Path
) -> None:
    receiver = starting(config=f'proxy_socket = "{tmp_path}/socket"\n')
    answers = [
        Node(receiver.port, "some-token", name).post(ranged(1, b"x")),
        Node(receiver.port, "", name, {"Authorization": "Munge MUNGE:AwQ="}).post(ranged(1, b"x")),
        Node(tmp_path / "socket", "", name, {"Jostle-Verified-Node": name}).post(ranged(1, b"x")),
    ]
    assert [(answer.status, answer.code) for answer in answers] == [(400, "node")] * 3
    assert MARKER in answers[0].words["fix"]
    assert (receiver.mirror / MARKER).is_file()


def test_all_files_that_a_receiver_keeps_in_the_mirror_are_such_names(receiver: Running) -> None:
    assert receiver.node().post(ranged(1, b"x")).status == 200
    for entry in receiver.mirror.iterdir():
        if not entry.is_dir():
            with pytest.raises(UsageError, match="is not a valid name"):
                add_token(receiver.folder / "other-tokens", entry.name)


def test_tokens_of_such_a_node_from_earlier_do_not_stop_the_receiver(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text(f"{MARKER} {'0' * 64}\n")
    path.chmod(0o600)
    token = add_token(path, "n1")
    assert Tokens(path).fits("n1", token)
    assert MARKER not in path.read_text()


def test_a_mirror_that_ignores_case_is_refused(tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    mirror.mkdir(mode=0o700)
    (mirror / MARKER).write_text("{}")
    (mirror / ".lock").touch()
    os.link(mirror / ".lock", mirror / ".LOCK")  # what such a file system shows
    with pytest.raises(UsageError, match="lower case"):
        Keeper(mirror, Usage(1, 1), lambda _: None, lambda _: None)


def test_the_token_goes_into_the_file_that_the_receiver_reads(tmp_path: Path) -> None:
    before, behind, listed = (tmp_path / name for name in ("before", "behind", "listed"))
    config = tmp_path / "receive.toml"
    config.write_text(f'tokens = "{listed}"\n')
    for words, path in (
        (["--tokens", before, "token", "n1"], before),
        (["token", "--tokens", behind, "n1"], behind),
        (["--config", config, "token", "n1"], listed),
        (["--config", config, "--tokens", before, "token", "n2"], before),
    ):
        done = command("receive", *words)
        assert (done.returncode, done.stderr) == (0, "")
        assert Tokens(path).fits(str(words[-1]), done.stdout.strip())
    assert Tokens(before).fits("n1", "") is False
    done = command("receive", "--tokens", before, "token", "--tokens", behind, "n3")
    assert done.returncode == 2
    assert "names both" in done.stderr


@pytest.mark.parametrize(
    "option",
    [
        ["--listen", "127.0.0.1:0"],
        ["--mirror", "m"],
        ["--munge"],
        ["--proxy-socket", "s"],
        ["--repository", "r"],
    ],
)
def test_options_of_the_receiver_that_a_token_has_no_use_for_are_refused(
    tmp_path: Path, option: list[str]
) -> None:
    done = command("receive", *option, "token", "--tokens", tmp_path / "tokens", "n1")
    assert done.returncode == 2
    assert f"{option[0]} has no effect on" in done.stderr
    assert not (tmp_path / "tokens").exists()


def test_tokens_that_are_made_at_once_all_count(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    code = "import sys; from jostle.receive import add_token; from pathlib import Path\n"
    code += "for n in range(20): print(add_token(Path(sys.argv[1]), f'{sys.argv[2]}-{n}'))"
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code, path, f"n{i}"], stdout=subprocess.PIPE, text=True
        )
        for i in range(3)
    ]
    made = {i: process.communicate()[0].split() for i, process in enumerate(started)}
    tokens = Tokens(path)
    for i, words in made.items():
        assert len(words) == 20
        assert all(tokens.fits(f"n{i}-{n}", word) for n, word in enumerate(words))
