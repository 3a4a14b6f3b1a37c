"""Schema of the running jobs, as `jostle top --json` prints them."""

from __future__ import annotations

from pydantic import BaseModel, Field

from jostle.analysis.live.model import Because, LiveChange, LiveSuspect, ResourceKind


class NowRow(BaseModel):
    """A running job; its numbers are provisional, since its later slices are not known yet."""

    job: str
    program: str
    uid: int | None
    user: str = Field(description="name of the job's owner; empty: several users own it")
    nodes: list[str]
    start_ns: int
    seen_ns: int = Field(description="end of the newest slice that was evaluated; 0: none yet")
    running: bool
    run_s: float = Field(description="length of the evaluated time")
    lost_s: float = Field(description="part of this time that other jobs cost, as far as is known")
    unexplained_s: float = Field(
        description="further time that calls took longer than usual, without a known cause"
    )
    now_percent: float = Field(
        description="present loss to other jobs, in percent of the time of the newest slices"
    )
    resource_kind: ResourceKind | None = Field(
        description="kind of the resource with most of the present loss; null: there is no loss"
    )
    resource: str = Field(description="identity of this resource; empty without a loss")
    place: str = Field(description="this resource in words, such as `file system /scratch`")
    suspects: list[LiveSuspect] = Field(
        description="jobs that may have caused the present loss, the likeliest first"
    )
    because: Because | None = Field(
        description="kind of cause of the present loss; null: there is no loss"
    )
    why: str = Field(description="the suspects in a few words; without suspects, `because`")
    trend: list[float] = Field(
        description="percent lost to other jobs in each of the newest slices, the oldest first"
    )
    changes: list[LiveChange] = Field(description="the newest changes, the oldest first")
    last_change: str = Field(description="the newest change as a sentence; empty: there is none")
    learning: bool = Field(
        description="true: the usual speed of this job is not known yet, so no change can be found"
    )
    smallest_percent: float | None = Field(
        description="smallest slow-down that would be found within three slices, percent; null: "
        "the usual speed is not known yet"
    )


class NowAnswer(BaseModel):
    """The running jobs that the viewer may see; those that lose most now come first."""

    newest_ns: int = Field(description="end of the newest slice of all jobs; 0: there is none")
    jobs: list[NowRow]
