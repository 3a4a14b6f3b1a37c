"""A receiver that is killed at any instant: acknowledged data are in the mirror, byte by byte.

As a program: `test_kill.py [KILLS] [SEED]`, with several nodes that send at once.
"""

from __future__ import annotations

import http.client
import random
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from receive_node import Node, ranged
from running_receiver import Running, start

HEAD = 4096


class Writer(threading.Thread):
    """A node with files that grow, whose headers change, and that end.

    It keeps nothing but what was acknowledged: `have` and `done` of each file.
    """

    def __init__(self, name: str, seed: int) -> None:
        super().__init__(daemon=True)
        self.name_of_node = name
        self.random = random.Random(f"{name} {seed}")
        self.port = 0
        self.stop = False
        self.have: dict[int, int] = {}
        self.done: set[int] = set()
        self.posts = 0
        self.wrong: list[str] = []

    def content(self, file: int) -> bytes:
        return random.Random(f"{self.name_of_node} {file}").randbytes(HEAD + 700 * (file % 97))

    def run(self) -> None:
        node: Node | None = None
        while not self.stop:
            port = self.port
            try:
                if node is None or node.port != port:
                    node = Node(port, f"secret-{self.name_of_node}", self.name_of_node, timeout=5)
                self.post(node)
            except (OSError, http.client.HTTPException):
                node = None
                time.sleep(0.01)

    def post(self, node: Node) -> None:
        first = len(self.done)
        files = [file for file in range(first, first + 6) if file not in self.done]
        ranges = []
        for file in files:
            content, have = self.content(file), self.have.get(file, 0)
            end = min(have + self.random.randrange(1, 4000), len(content))
            over = end == len(content)
            name = f"job.{file}.jst"
            ranges.append(ranged(file, content[have:end], have, name=name, over=over))
            if self.random.random() < 0.3:  # sent again, as when an answer was lost
                ranges.append(ranged(file, content[: min(have, 2048)], 0, name=name))
        answer = node.post(*ranges)
        if answer.status != 200:
            self.wrong.append(f"{answer.status} {answer.words}")
            return
        self.posts += 1
        for (_, file), (have, done, _) in answer.files.items():
            if have < self.have.get(file, 0):
                self.wrong.append(f"file {file} lost bytes that were acknowledged")
            self.have[file] = have
            if done:
                self.done.add(file)

    def check(self, mirror: Path) -> None:
        """Compare acknowledged data with the mirror."""
        for file, have in self.have.items():
            (path,) = (mirror / self.name_of_node / "1000").rglob(f"job.{file}.jst")
            content, there = self.content(file), path.read_bytes()
            if not (there[:have] == content[:have] and content.startswith(there)):
                self.wrong.append(f"{path}: not what was sent")
            if file in self.done and not path.with_name(f"{path.name}.over").exists():
                self.wrong.append(f"{path}: it is over, and has no mark")
            if file in self.done and there != content:
                self.wrong.append(f"{path}: it is over, and short")


def kill_often(folder: Path, kills: int, seed: int) -> int:
    """Kill a receiver repeatedly while nodes send; returns the posts acknowledged."""
    chance = random.Random(seed)
    writers = [Writer(name, seed) for name in ("n1", "n2", "n3")]
    receiver: Running | None = None
    for number in range(kills + 1):
        receiver = start(folder)
        for writer in writers:
            writer.port = receiver.port
            if number == 0:
                writer.start()
        time.sleep(chance.uniform(0.05, 0.6))
        if number == kills:
            for writer in writers:
                writer.stop = True
                writer.join(20)
        receiver.kill()
        assert not (wrong := [text for writer in writers for text in writer.wrong]), wrong[:5]
    assert receiver is not None
    for writer in writers:
        writer.check(receiver.mirror)
        assert not writer.wrong, writer.wrong[:5]
    return sum(writer.posts for writer in writers)


@pytest.mark.in_turn
@pytest.mark.slow
def test_what_was_acknowledged_survives_kills(tmp_path: Path) -> None:
    assert kill_often(tmp_path, 5, seed=1) > 20


if __name__ == "__main__":
    count, first_seed = (
        [*map(int, sys.argv[1:]), 200, 1] if len(sys.argv) < 3 else [*map(int, sys.argv[1:])]
    )[:2]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        acknowledged = kill_often(Path(name), count, first_seed)
    print(f"{count} kills (seed {first_seed}), {acknowledged} posts acknowledged: all are there")
