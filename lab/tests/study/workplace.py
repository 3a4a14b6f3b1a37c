"""A folder with a repository, in which studies are run as a user would."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import ready
from jostle.repository import Repository
from jostle_lab.study.processes import marked
from ready import ROOT


class Workplace:
    """A folder with a repository, in which studies are run as a user would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repository = folder / "repository"

    def write(self, text: str, name: str = "study.toml") -> Path:
        path = self.folder / name
        path.write_text(text)
        return path

    def environment(self) -> dict[str, str]:
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("JOSTLE", "SLURM"))}
        if "JOSTLE_NATIVE" in os.environ:
            clean["JOSTLE_NATIVE"] = os.environ["JOSTLE_NATIVE"]
        return clean | {
            "COLUMNS": "200",
            "PYTHONPATH": str(ROOT / "src"),
            "PYTHONUTF8": "1",
            "TMPDIR": str(self.folder),
            "JOSTLE_REPOSITORY": str(self.repository),
        }

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "jostle.cli", "study", *words],
            env=self.environment(),
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def study(self, *words: str) -> tuple[int, str, str]:
        done = ready.run(["study", *words], self.environment(), cwd=self.folder, timeout=240)
        return done.code, done.out, done.err

    def interrupted(self, name: str, runs: int, *words: str) -> tuple[int, str, str]:
        """Starts a study, and sends ^C in the middle of the run after `runs` finished ones."""
        process = self.start(*words)
        self.under_way(name, runs)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def under_way(self, name: str, runs: int) -> None:
        """Waits until programs of the run after `runs` finished ones of a study are there."""
        note, end = self.repository / "studies" / name / "running.json", time.monotonic() + 120
        while True:
            noted = json.loads(note.read_text()) if note.exists() else {"run": None}
            known = [record["run"] for record in self.records(name)]
            assert len(known) <= runs, known
            now = len(known) == runs and noted["run"] and noted["run"] not in known
            if now and marked(noted["mark"]):
                return
            assert time.monotonic() < end, (noted, known)
            time.sleep(0.05)

    def records(self, name: str) -> list[dict[str, Any]]:
        path = self.repository / "studies" / name / "runs.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def open(self) -> Repository:
        return Repository(self.repository)

    def nothing_left(self, study: str) -> None:
        """No process, no folder and no note of a study is left."""
        marked = f"JOSTLE_STUDY_RUN={study}.".encode()
        for path in Path("/proc").glob("[0-9]*/environ"):
            try:
                assert marked not in path.read_bytes(), path
            except OSError:
                continue
        strays = [path.name for path in self.folder.iterdir() if "jostle-" in path.name]
        assert not strays
        assert not (self.repository / "studies" / study / "running.json").exists()
