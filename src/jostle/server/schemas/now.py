"""Schema of the running jobs, as `jostle top --json` prints them."""

from __future__ import annotations

from pydantic import BaseModel, Field

from jostle.analysis.live.model import Because, LiveChange, LiveSuspect, ResourceKind


class NowRow(BaseModel):
    """A running job; its numbers are provisional, since its later slices are not known yet."""

    job: str
    program: str
    uid: int | None
    user: str = Field(description="name of its owner; empty: several")
    nodes: list[str]
    start_ns: int
    seen_ns: int = Field(description="end of its newest slice that was evaluated; 0: none yet")
    running: bool
    run_s: float = Field(description="time that was evaluated")
    lost_s: float = Field(description="what it lost in it to others, as far as it is known")
    unexplained_s: float = Field(description="further time beyond the usual, for no known reason")
    now_percent: float = Field(description="what it loses to others now, percent of its time")
    resource_kind: ResourceKind | None = Field(description="where it loses most now; null: nowhere")
    resource: str
    place: str = Field(description="the same in words: `file system /scratch`")
    suspects: list[LiveSuspect] = Field(description="who causes it, the likeliest first")
    because: Because | None = Field(description="why it loses time now; null: it does not")
    why: str = Field(description="by whom, or why, in a few words")
    trend: list[float] = Field(description="percent lost in each of the newest slices")
    changes: list[LiveChange] = Field(description="the newest changes, the oldest first")
    last_change: str = Field(description="the newest of them as a sentence; empty: none")
    learning: bool = Field(description="what is usual for it is not known yet")
    smallest_percent: float | None = Field(
        description="least slow-down that is found within three slices; null: none yet"
    )


class NowAnswer(BaseModel):
    """The running jobs that the viewer may see; those that lose most now come first."""

    newest_ns: int = Field(description="end of the newest slice; 0: there is none")
    jobs: list[NowRow]
