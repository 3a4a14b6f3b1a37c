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
        who: Their ranks, or their process ids where they have no rank: "rank 3", "ranks 0, 1".
        cpus: Cores that they may run on, as the kernel lists them; "" unknown.
        nodes: NUMA nodes of these, listed in the same way; "" unknown.
        gpu: The GPU that it is about, as digests name it; "" of none.
        gpu_node: The NUMA node of that GPU; -1: unknown or none.
        bytes: Copied to and from the GPU by them; of a far adapter what it carried for all jobs; 0
            without a GPU.
        seconds: Of these copies (0 of an adapter); without a GPU what they waited for cores,
            summed over threads.
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
    """Something that another binding would fix.

    Attributes:
        rule: far GPU, shared GPU, far adapter or same cores.
        seen: What was seen, with its figures; a sentence.
        lever: What is to be changed.
        texts: Exact text for the node of the first case: lines to paste.
        pays: Who pays for it, and how.
        unless: When not to apply it.
        saving: The saving that is predicted, or why none is.
        saving_s: Seconds of copies that are predicted to be saved, summed over processes: least,
            expected and most, by the slowest, all and the fastest copies that compare; None where
            nothing is predicted.
        bytes: Of all cases.
        seconds: Of all cases.
        cases: Whom it is about, the most seconds first; at most MOST_CASES.
        more_cases: How many further ones there are.
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
