"""Result types of the advice on binding processes to cores and GPUs."""

from __future__ import annotations

from dataclasses import dataclass

#: Most cases that an advice lists; a job of a thousand nodes has the same one on each.
MOST_CASES = 32


@dataclass(frozen=True)
class BindingCase:
    """Processes of one node that a piece of advice is about.

    Attributes:
        host: Name of the node.
        who: Ranks of the processes, as "rank 3"; their process ids where they have no rank.
        cpus: Cores that the processes may run on, listed as in the kernel ("0-3,8"); "" unknown.
        nodes: NUMA nodes of these cores, listed in the same way; "" unknown.
        gpu: Id of the GPU concerned, as in digests; "" for the rule "same cores".
        gpu_node: NUMA node of that GPU; -1 if it is unknown, or for the rule "same cores".
        bytes: Bytes that the processes copied to and from the GPU. For the rule "far adapter":
            bytes that the adapter carried for all jobs. For the rule "same cores": 0.
        seconds: Time of these copies. For the rule "far adapter": 0. For the rule "same cores":
            time that the processes waited for cores, summed over threads.
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
        rule: Name of the rule: far GPU, shared GPU, far adapter or same cores.
        seen: Observation from which the advice follows, with numbers; a sentence.
        lever: Setting that is to be changed.
        texts: Lines to paste into a script, for the node of the first case.
        pays: Who bears the cost of the change, and what that cost is.
        unless: Conditions under which the advice should not be followed.
        saving: Text that says how the saving was predicted, or why none is predicted.
        saving_s: Seconds of copies that the change is predicted to save, summed over processes:
            lower bound, expected value and upper bound. They follow from the slowest, from all and
            from the fastest comparable copies. None where no saving is predicted.
        bytes: Sum of `bytes` over all cases.
        seconds: Sum of `seconds` over all cases.
        cases: The processes concerned, those with the most seconds first; at most MOST_CASES.
        more_cases: Number of cases that are not in `cases`.
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
