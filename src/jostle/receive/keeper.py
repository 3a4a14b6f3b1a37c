"""The thread that stores the data of POST requests, in groups that are synced to disk together."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import logging
import os
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jostle.errors import NO_ROOM, UsageError
from jostle.receive.disk import sync_all, sync_group
from jostle.receive.journal import Key
from jostle.receive.node_mirror import Group, NodeMirror
from jostle.receive.ranges import decode, parse
from jostle.receive.refused import RefusedError
from jostle.receive.usage import Usage
from jostle.repository import create_mirror

_log = logging.getLogger("jostle.receive")
_GROUP_POSTS, _GROUP_BYTES = 256, 64 << 20
_COUNT_EVERY_S = 60.0
_PRUNE_EVERY_S = 3600.0


@dataclass(slots=True)
class Post:
    """A POST request whose sender is known.

    Attributes:
        node: Name of the node.
        sent: Body as received.
        digest: SHA-256 of the body, hexadecimal, as the credential states it; "": not stated.
        answer: Function that the keeper's thread calls with the answer.
        body_bytes: Bytes of the decoded body.
    """

    node: str
    sent: bytes
    digest: str
    answer: Callable[[Answer], None]
    body_bytes: int = 0


#: Result of a post: the lines of its answer about files, or the refusal.
Answer = str | RefusedError


@dataclass
class _Work:
    post: Post
    keys: dict[Key, None] = field(default_factory=dict)  # in the order of the post
    why: dict[Key, str] = field(default_factory=dict)
    refusal: RefusedError | None = None


class Keeper(threading.Thread):
    """The thread that stores the data of requests in the mirror; no other thread writes there."""

    def __init__(
        self,
        mirror: Path,
        usage: Usage,
        changed: Callable[[Sequence[str]], None],
        done: Callable[[Callable[[], None]], None],
    ) -> None:
        """Open and lock a mirror.

        Args:
            mirror: Folder of the mirror, which is created if there is none.
            usage: Counter of the bytes in the mirror.
            changed: Function that is called with the changed files of a group of requests, by their
                paths relative to the mirror, once they are on the disk.
            done: Function that gets, for each group of requests, a function without arguments,
                which sends the answers; it may run that function in a different thread.

        Raises:
            JostleError: The folder cannot be used, or another receiver uses it.
        """
        super().__init__(name="keeper", daemon=True)
        self.usage = usage
        self._mirror = mirror
        self._changed = changed
        self._done = done
        self._nodes: dict[str, NodeMirror] = {}
        self._queue: queue.SimpleQueue[Post | None] = queue.SimpleQueue()
        self._root, self._lock = _hold(mirror)
        self._counting: threading.Thread | None = None

    @property
    def root(self) -> int:
        """Descriptor of the mirror."""
        return self._root

    def take(self, post: Post) -> None:
        """Queue a request, which is answered later."""
        self._queue.put(post)

    def end(self) -> None:
        """Answer the queued requests, then stop."""
        self._queue.put(None)
        self.join()
        os.close(self._lock)

    def files_known(self) -> int:
        """Return the number of files that are not complete."""
        return sum(
            not known.over
            for node in list(self._nodes.values())
            for known in list(node.files.values())
        )

    def run(self) -> None:
        """Store the queued requests, group by group, until `end` is called."""
        # Answers report the sizes of files, and so also bytes that an earlier receiver wrote, but
        # did not sync or acknowledge: sync them first.
        sync_all(self._root)
        next_count = next_prune = 0.0
        while True:
            now = time.monotonic()
            if now >= next_count:
                next_count = now + _COUNT_EVERY_S
                self._count()
            if now >= next_prune:
                next_prune = now + _PRUNE_EVERY_S
                self._prune()
            posts, is_last = self._group()
            if posts:
                self._keep(posts)
            if is_last:
                return

    def _group(self) -> tuple[list[Post], bool]:
        """Return the queued posts, up to the largest group, and whether no more will follow."""
        posts: list[Post] = []
        size = 0
        try:
            post = self._queue.get(timeout=1.0)
            while post is not None:
                posts.append(post)
                size += len(post.sent)
                if len(posts) == _GROUP_POSTS or size > _GROUP_BYTES:
                    return posts, False
                post = self._queue.get_nowait()
        except queue.Empty:
            return posts, False
        return posts, True

    def _keep(self, posts: Sequence[Post]) -> None:
        group = Group()
        work = [_Work(post) for post in posts]
        for each in work:
            each.refusal = self._guarded(lambda each=each: self._store(each, group))  # type: ignore[misc]
        failure = self._guarded(lambda: self._sync(group))
        if failure:
            self._undo(group)
        else:
            failure = self._guarded(lambda: self._finish(group))
            if failure:
                self._reopen(group)
            self._changed([f"{node}/{path}" for node, path in group.files])
        for each in work if failure else ():
            each.refusal = each.refusal or failure
        answers = [(each.post.answer, each.refusal or self._files(each)) for each in work]

        def hand_out() -> None:
            for answer, content in answers:
                answer(content)

        self._done(hand_out)

    def _guarded(self, act: Callable[[], None]) -> RefusedError | None:
        try:
            act()
        except RefusedError as refusal:
            return refusal
        except OSError as error:
            return _disk_refusal(error)
        # RATIONALE: an error that one post causes must not end the thread for all nodes.
        except Exception:
            _log.exception("a post could not be stored")
            return RefusedError(
                503,
                "defect",
                "the receiver has a defect; its log says more",
                "Report it; the node keeps its data meanwhile.",
                retry_s=60,
            )
        return None

    def _store(self, work: _Work, group: Group) -> None:
        post = work.post
        if post.digest and hashlib.sha256(post.sent).hexdigest() != post.digest:
            raise RefusedError(
                401,
                "credential",
                "the credential is for another body",
                "Make the credential over the body as it is sent.",
            )
        body = decode(post.sent)
        post.body_bytes = len(body)
        ranges = parse(body)
        node = self._nodes.get(post.node)
        if node is None:
            node = self._nodes[post.node] = NodeMirror(self._root, post.node, self.usage)
            group.folders.add(".")
        work.why = node.put(ranges, group)
        # The bytes are released before the group is on the disk: small posts may decode to many.
        work.keys = dict.fromkeys((part.file, part.owner) for part in ranges)

    def _sync(self, group: Group) -> None:
        if group.files or group.journals:
            sync_group(self._root, group)

    def _finish(self, group: Group) -> None:
        """Mark the complete files of a group, once their bytes are on the disk.

        The ingester takes a marked file for all that its process wrote, so a file must never be
        marked before it has all its bytes.

        RATIONALE: If this method fails, some files may be marked, and the ingester may know it
        already. So the bytes of the group are not removed from the disk again.
        """
        if group.overs:
            marks = Group()
            for node, key, end in group.overs:
                node.finish(key, end, marks)
            sync_group(self._root, marks)

    def _reopen(self, group: Group) -> None:
        for node, key, _ in group.overs:
            node.reopen(key)

    def _undo(self, group: Group) -> None:
        for (name, _), (known, have) in group.files.items():
            if not known.over:
                self._nodes[name].undo(known, have)

    def _files(self, work: _Work) -> str:
        """Return the state of the files of a post: a line for each."""
        node = self._nodes[work.post.node]
        lines = []
        for key in work.keys:
            known = node.files.get(key)
            have, done = (known.have, int(known.over)) if known else (0, 0)
            why = f" {work.why[key]}" if key in work.why else ""
            lines.append(f"file {key[1]} {key[0]} {have} {done}{why}\n")
        return "".join(lines)

    def _count(self) -> None:
        if self._counting is None or not self._counting.is_alive():
            self._counting = threading.Thread(
                target=self.usage.count, args=(self._mirror,), daemon=True
            )
            self._counting.start()

    def _prune(self) -> None:
        for node in self._nodes.values():
            try:
                node.prune(time.time())
            except OSError as error:
                _log.warning("the journal of %s cannot be shortened: %s", node.node, error.strerror)


def _hold(mirror: Path) -> tuple[int, int]:
    """Open the mirror and lock it.

    Raises:
        JostleError: See Keeper.
    """
    create_mirror(mirror)
    try:
        root = os.open(mirror, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        lock = os.open(
            ".lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=root
        )
    except OSError as error:
        raise UsageError(
            f"The mirror {mirror} cannot be used: {error.strerror}.",
            hint="Name a folder of the user who runs `jostle receive`, on a disk with free space.",
        ) from None
    mode = os.fstat(root).st_mode & 0o777
    if mode & 0o077:
        raise UsageError(
            f"The mirror {mirror} has mode {mode:04o}: others could read users' profiles.",
            hint=f"chmod 0700 {mirror}",
        )
    with contextlib.suppress(FileNotFoundError):
        if os.path.samestat(os.stat(".LOCK", dir_fd=root), os.fstat(lock)):
            raise UsageError(
                f"The file system of the mirror {mirror} does not distinguish "
                "upper from lower case: two files could get the same name.",
                hint="Name a folder on a different file system.",
            )
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise UsageError(
            f"Another receiver uses the mirror {mirror}.",
            hint="Stop the other receiver first, or name a different mirror.",
        ) from None
    return root, lock


def _disk_refusal(error: OSError) -> RefusedError:
    if error.errno in NO_ROOM:
        return RefusedError(
            507,
            "disk-full",
            "the receiver's disk is full",
            "The node keeps its data; free some space at the receiver.",
            retry_s=30,
        )
    _log.error("the mirror cannot be written: %s", error)
    return RefusedError(
        503,
        "disk",
        f"the receiver cannot write its mirror: {error.strerror}",
        "Look at the receiver's disk.",
        retry_s=30,
    )
