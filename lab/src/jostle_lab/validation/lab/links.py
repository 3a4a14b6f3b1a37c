"""Scores whether jostle names the job, and the network link, that slowed a job in a lab.

    python -m jostle_lab.validation.lab.links DIR [--experiments N] [--seed S]

Each experiment takes about forty seconds. In every second one a neighbour, the sharer, uses a link
that the watched job needs. In all of them other neighbours share no link with the watched job, and
send as much as a sharer, at much the same times. Finished experiments are stored in DIR, so that
the same command continues after an interruption.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from jostle.analysis import JobInterference, identify
from jostle.repository import Repository
from jostle.topology import Topology
from jostle.topology.store import FOLDER, save
from jostle_lab.cluster import LabSpec, fabric, up
from jostle_lab.validation.lab.messages import MessageJob, Truth, run

#: Labs of eight nodes.
_TOPOLOGIES = ("tree:4x2", "torus:2x2x2", "torus:4x2", "dragonfly:2x2x2")
_RATE, _SLICE_NS = "20mbit", 250_000_000
#: Iterations of the watched job; alone it takes half a minute.
_CHUNK, _ITERATIONS, _LONGEST_S = "128KiB", 560, 120.0
#: Share of the watched job's time that a sharer must cost to count as harmful.
_HARM = 0.05
WATCHED, SHARER, APART = "watched", "sharer", "apart"


@dataclass(frozen=True)
class LinkScene:
    """An experiment on links.

    Attributes:
        number: Number of the experiment, from 1.
        topology: Topology of the lab.
        jobs: Jobs of the experiment, the watched job first.
        links: Links that the sharer shares with the watched job; empty without a sharer.
    """

    number: int
    topology: str
    jobs: tuple[MessageJob, ...]
    links: tuple[str, ...]


@dataclass(frozen=True)
class LinkSeen:
    """An experiment and the verdict on it.

    Attributes:
        number, topology: Number and topology of the experiment.
        harmful: Whether a job shared links, and cost the watched job 5 % of its time or more.
        right: Whether the first suspect is that job, and the resource is a shared link or a switch
            at an end of that link.
        wrong: Suspects that share no link with the watched job.
        first: The first suspect and the resource, as in the verdict.
        took_s: Run time of the watched job, in seconds.
        lost_s: Seconds that the sharer cost the watched job.
        said_s, low_s, high_s: Estimate of these seconds in the verdict, and the lower and upper end
            of its interval.
    """

    number: int
    topology: str
    harmful: bool
    right: bool
    wrong: tuple[str, ...]
    first: str
    took_s: float
    lost_s: float
    said_s: float
    low_s: float
    high_s: float

    @property
    def error(self) -> float:
        """Relative error of the estimated seconds."""
        return abs(self.said_s - self.lost_s) / self.lost_s


def plan(count: int, seed: int) -> Iterator[LinkScene]:
    """Plan experiments, in turn with a sharer and without one.

    Args:
        count: Number of experiments.
        seed: Seed of all random choices; an experiment depends only on the seed and its number.
    """
    for number in range(1, count + 1):
        dice = random.Random(f"{seed}/{number}")
        topology = dice.choice(_TOPOLOGIES)
        yield _scene(dice, number, topology, harmful=number % 2 == 1)


def _scene(dice: random.Random, number: int, topology: str, *, harmful: bool) -> LinkScene:
    """Draw an experiment in which only the sharer, if any, uses links of the watched job."""
    shape = fabric.topology(LabSpec(topology=topology))
    nodes = [host for host in shape.hosts if host]
    while True:
        drawn = dice.sample(nodes, len(nodes))
        pairs = [(drawn[k], drawn[k + 1]) for k in range(0, 6, 2)]
        ways = [_links(shape, *pair) for pair in pairs]
        common = [ways[0] & way for way in ways[1:]]
        if bool(common[0]) == harmful and not common[1]:
            break
    times = _bursts(dice)
    others = (SHARER, APART) if harmful else (f"{APART}-1", f"{APART}-2")
    jobs = (
        MessageJob(WATCHED, pairs[0], _CHUNK, iterations=_ITERATIONS),
        MessageJob(others[0], pairs[1], _CHUNK, bursts=times, harm=harmful),
        MessageJob(
            others[1],
            pairs[2],
            _CHUNK,
            bursts=tuple((begin + dice.uniform(-0.7, 0.7), length) for begin, length in times),
        ),
    )
    return LinkScene(number, topology, jobs, tuple(sorted(common[0])))


def _links(shape: Topology, a: str, b: str) -> set[str]:
    """Return the names of the links that messages between two nodes cross, in both directions."""
    ends = shape.place[a], shape.place[b]
    links = [link for way in (ends, ends[::-1]) for link in fabric.way(shape, *way)]
    return {shape.link_name(link) for link in links}


def _bursts(dice: random.Random) -> tuple[tuple[float, float], ...]:
    bursts, at = [], 4.0
    while at < _LONGEST_S:
        length = dice.uniform(2.0, 3.5)
        bursts.append((at, length))
        at += length + dice.uniform(3.0, 4.5)
    return tuple(bursts)


def see(scene: LinkScene, truth: Truth, verdict: JobInterference) -> LinkSeen:
    """Compare an experiment with the verdict on the watched job."""
    first = verdict.suspects[0] if verdict.suspects else None
    places = {end for link in scene.links for end in link.split(" > ")}
    names = {f"link {link}" for link in scene.links} | {f"switch {place}" for place in places}
    right = first is not None and first.job == SHARER and first.resource in names
    wrong = {suspect.job for suspect in verdict.suspects} - {SHARER}
    harmful = truth.lost_s >= _HARM * truth.took_s
    return LinkSeen(
        scene.number,
        scene.topology,
        harmful,
        right,
        tuple(sorted(wrong)),
        f"{first.job} on {first.resource}" if first else "",
        truth.took_s,
        truth.lost_s,
        verdict.seconds.value,
        verdict.seconds.low,
        verdict.seconds.high,
    )


def play(scene: LinkScene, folder: Path, lab_name: str) -> LinkSeen:
    """Run an experiment, and score the verdict on it.

    Args:
        scene: Experiment to run.
        folder: Folder for the experiment's repository.
        lab_name: Name of the experiment's lab.

    Raises:
        JostleError: No lab can be started, or a job failed.
    """
    repository = folder / f"{scene.number:03d}"
    spec = LabSpec(
        name=lab_name, topology=scene.topology, uplink_rate=_RATE, fs="plain", size="64MiB"
    )
    lab = up(spec)
    try:
        truth = run(lab, scene.jobs, repository, slice_ns=_SLICE_NS)
        known = lab.topology()
        assert known is not None  # it was requested
        save(repository / FOLDER, known)
    finally:
        lab.down()
    return see(scene, truth, identify(Repository(repository).alongside(WATCHED)))


def summary(seen: Sequence[LinkSeen]) -> dict[str, Any]:
    """Return the scores over all experiments.

    Returns:
        `experiments`: their number. `harmful`: number of harmful experiments. `right`: share of the
        harmful ones whose verdict is right. `wrong`: number of experiments in which a job that
        shares no link was named. `error`: median relative error of the lost seconds, over right
        verdicts. `within_15`: share of the right verdicts whose error is at most 15 %. `held`:
        share of the harmful experiments whose interval contains the loss.
    """
    harmful = [each for each in seen if each.harmful]
    errors = [each.error for each in harmful if each.right]
    return {
        "experiments": len(seen),
        "harmful": len(harmful),
        "right": _share([each.right for each in harmful]),
        "wrong": sum(bool(each.wrong) for each in seen),
        "error": statistics.median(errors) if errors else None,
        "within_15": _share([error <= 0.15 for error in errors]),
        "held": _share([each.low_s <= each.lost_s <= each.high_s for each in harmful]),
    }


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None


def _done(results: Path) -> dict[int, LinkSeen]:
    """Return the experiments that were made, by number."""
    lines = results.read_text().splitlines() if results.exists() else []
    return {each.number: each for each in map(_from_json, map(json.loads, lines))}


def _from_json(plain: Mapping[str, Any]) -> LinkSeen:
    return LinkSeen(**{**plain, "wrong": tuple(plain["wrong"])})


def main() -> None:
    """Run the experiments that are not yet done, and print the scores of the verdicts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--experiments", type=int, default=4, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    wanted = parser.parse_args()
    wanted.folder.mkdir(parents=True, exist_ok=True)
    results = wanted.folder / "results.jsonl"
    seen = _done(results)
    for scene in itertools.filterfalse(
        lambda scene: scene.number in seen, plan(wanted.experiments, wanted.seed)
    ):
        each = seen[scene.number] = play(scene, wanted.folder, f"links-{scene.number}")
        with results.open("a") as stream:
            stream.write(json.dumps(asdict(each)) + "\n")
        print(json.dumps(asdict(each)), flush=True)
    print(json.dumps(summary(list(seen.values())), indent=1))


if __name__ == "__main__":
    main()
