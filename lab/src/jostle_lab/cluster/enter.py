"""Runs a command on a host: `python -IS enter.py PID START USER HOST CWD GROUPS -- CMD...`.

It is a small program of its own that imports nothing of jostle, because it starts before every
command.
PID is the supervisor as this machine numbers it, START when it started (so that a recycled
number is never entered), HOST the process that holds the host's namespaces as the lab numbers
it, USER 1 when the lab has a user namespace, GROUPS the `cgroup.procs` files of control groups to
join, separated by colons.

The command keeps descriptors, terminal, process group, environment and working directory. It
receives the signals sent to this program, and this program returns its exit status.
"""

import ctypes
import errno
import os
import signal
import sys

_NEWNS, _NEWUTS, _NEWUSER = 0x00020000, 0x04000000, 0x10000000
_NEWPID, _NEWNET, _NEWIPC = 0x20000000, 0x40000000, 0x08000000
_SI_USER, _SI_QUEUE, _SI_TKILL = 0, -1, -6
_PR_SET_PDEATHSIG = 1
_PASSED_ON = {
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGALRM,
    signal.SIGWINCH,
    signal.SIGURG,
}

_libc = ctypes.CDLL(None, use_errno=True)


def _setns(descriptor: int, kinds: int) -> None:
    if _libc.setns(descriptor, kinds) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"setns: {os.strerror(number)}")


def _started(pid: int) -> str:
    with open(f"/proc/{pid}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    return "" if fields[0] in (b"Z", b"X") else fields[19].decode()


def _open_lab(pid: int, start: str) -> int:
    """Return a descriptor of the supervisor, or exit with a message if it has ended."""
    try:
        descriptor = os.pidfd_open(pid)
        if _started(pid) == start:
            return descriptor
    except OSError:
        pass
    raise _refusal("the lab is gone", "jostle lab status")


def _refusal(what: str, fix: str) -> SystemExit:
    sys.stderr.write(f"jostle: {what}\n" + (f"  fix: {fix}\n" if fix else ""))
    return SystemExit(1)


def _join(groups: str) -> None:
    for path in filter(None, groups.split(":")):
        with open(path, "w") as file:
            file.write("0")


def _become(holder: int, cwd: str, command: "list[str]", mask: "set[int]") -> None:
    """Enter the host and execute the command; called in the child, a process of the lab."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    parts = (("net", _NEWNET), ("uts", _NEWUTS), ("mnt", _NEWNS))
    try:
        entries = [
            (os.open(f"/proc/{holder}/ns/{name}", os.O_RDONLY), kind) for name, kind in parts
        ]
    except FileNotFoundError:
        raise _refusal("this node of the lab has died", "jostle lab down, and up again") from None
    for entry, kind in entries:
        _setns(entry, kind)
        os.close(entry)
    try:
        os.chdir(cwd)
    except OSError:
        if cwd != "/":
            sys.stderr.write(f"jostle: {cwd} cannot be entered on this node; continuing in /\n")
        os.chdir("/")
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)  # Python ignores these two
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"jostle: cannot run `{command[0]}`: {error.strerror}\n")
        os._exit(127 if error.errno == errno.ENOENT else 126)


def _wait(child: int, watched: "set[int]") -> int:
    """Forward signals to the child until it ends; return its wait status."""
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended == child:
            return status
        news = signal.sigwaitinfo(watched)
        # Signals of the kernel (keyboard, hang-up, resized window) reach the whole group anyway.
        sent = news.si_code in (_SI_USER, _SI_QUEUE, _SI_TKILL)
        if news.si_signo != signal.SIGCHLD and sent:
            try:
                os.kill(child, news.si_signo)
            except ProcessLookupError:
                continue


def _leave(status: int) -> None:
    """Exit with the status, or by the signal, of the command."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        # The command wrote its core file; this process must not write a second one.
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


def main(words: "list[str]") -> None:
    """Enter the lab, start the command on the host, and forward signals until it ends."""
    pid, start, user, holder = int(words[0]), words[1], words[2] == "1", int(words[3])
    cwd, groups, command = words[4], words[5], words[7:]
    lab = _open_lab(pid, start)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    watched: set[int] = {*_PASSED_ON, signal.SIGCHLD}
    mask: set[int] = {*signal.pthread_sigmask(signal.SIG_BLOCK, watched)}
    try:
        _join(groups)
        _setns(lab, _NEWPID | _NEWIPC | _NEWNS | (_NEWUSER if user else 0))
        child = os.fork()
        if child == 0:
            os.close(lab)
            _become(holder, cwd, command, mask)
    except OSError as error:
        if error.errno == errno.ESRCH:  # it has ended this moment
            raise _refusal("the lab is gone", "jostle lab status") from None
        is_closed = error.errno == errno.EPERM
        fix = "be the user who started it (root for a lab of root)" if is_closed else ""
        raise _refusal(f"the lab cannot be entered: {error}", fix) from None
    os.close(lab)
    _leave(_wait(child, watched))


if __name__ == "__main__":
    main(sys.argv[1:])
