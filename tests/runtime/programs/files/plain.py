"""Ordinary Python file work in the folder argv[1]; what it moved is counted by strace."""

import os
import sys

folder = sys.argv[1]
path = os.path.join(folder, "data")
with open(path, "w") as text:
    for i in range(20000):
        text.write(f"line {i}\n")
with open(path) as text:
    lines = sum(1 for _ in text)
assert lines == 20000
with open(path, "r+b", buffering=0) as raw:
    raw.seek(100)
    raw.write(b"x" * 5000)
    raw.seek(0)
    raw.read(1234)
    os.fsync(raw.fileno())
    os.pread(raw.fileno(), 77, 10)
    os.pwrite(raw.fileno(), b"y" * 99, 5)
os.rename(path, path + "2")
os.stat(path + "2")
os.unlink(path + "2")
