"""Result types of the advice on bindings."""

from __future__ import annotations

from dataclasses import dataclass

#: Most cases that an advice lists; a job of a thousand nodes has the same one on each.
MOST_CASES = 32


@dataclass(frozen=True)
class BindingCase:
    """Processes of one node that a piece of advice is about.

    Attributes:
        host: The node.
        who: Ranks of the processes, or their process ids where they have no rank: "rank 3".
        cpus: Cores that they may run on, as the kernel lists them; "" unknown.
        nodes: NUMA nodes of these, listed in the same way; "" unknown.
        gpu: The GPU concerned, as digests name it; "" if the advice is about none.
        gpu_node: The NUMA node of that GPU; -1: unknown or none.
        bytes: Bytes that they copied to and from the GPU; for a far adapter, the bytes that it
            carried for all jobs; 0 without a GPU.
        seconds: Time of these copies (0 for an adapter); without a GPU, the time that they waited
            for cores, summed over threads.
    """

    host: str
    who: str
    cpus: str
    nodes: str
    gpu: str
    gpu_node: int
    bytes: int
    seconds: float


@dataclass(frozen=True)
class BindingAdvice:
    """A problem that a different binding of processes would fix.

    Attributes:
        rule: far GPU, shared GPU, far adapter or same cores.
        seen: Observation that the advice rests on, with figures; a sentence.
        lever: Setting that is to be changed.
        texts: Exact text for the node of the first case: lines to paste.
        pays: Who bears the cost of the change, and what that cost is.
        unless: Conditions under which the advice should not be followed.
        saving: The saving that is predicted, or why none is.
        saving_s: Seconds of copies that are predicted to be saved, summed over processes: least,
            expected and most, by the slowest, all and the fastest copies that compare; None where
            nothing is predicted.
        bytes: Bytes of all cases.
        seconds: Seconds of all cases.
        cases: The processes concerned, the most seconds first; at most MOST_CASES.
        more_cases: Number of further cases.
    """

    rule: str
    seen: str
    lever: str
    texts: list[str]
    pays: str
    unless: str
    saving: str
    saving_s: tuple[float, float, float] | None
    bytes: int
    seconds: float
    cases: list[BindingCase]
    more_cases: int
