"""A rank that makes known collectives with gloo. Arguments: steps, and
many: 16 all-reduces in progress at once; fails: rank 0 goes on alone in the end;
loaders: data is loaded by another process, which is spawned: in Python 3.11 a forked child
waits for ever if another thread was just making itself known to Python.
pair-first: the first collective is one of the first two ranks.
JOSTLE_TEST_HIDE: the launcher gives neither rank nor size.
"""

import os
import sys

hidden = os.environ.get("JOSTLE_TEST_HIDE", "")
if hidden == "1":  # as where the program gets them otherwise
    options = (
        f"{os.environ.pop('MASTER_PORT')} {os.environ.pop('RANK')} {os.environ.pop('WORLD_SIZE')}"
    )
    os.environ["JOSTLE_TEST_HIDE"] = options
    os.execv(sys.executable, [sys.executable, *sys.argv])

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
from torch.utils.data import DataLoader  # noqa: E402


def main() -> None:
    steps, mode = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    if hidden:
        port, rank, size = hidden.split()
        address = f"tcp://127.0.0.1:{port}"
        dist.init_process_group("gloo", init_method=address, rank=int(rank), world_size=int(size))
    else:
        dist.init_process_group("gloo")
    torch.set_num_threads(1)
    rank, size = dist.get_rank(), dist.get_world_size()
    pair = dist.new_group([0, 1])
    data = DataLoader(
        list(range(64)),
        batch_size=4,
        num_workers=1 if mode == "loaders" else 0,
        multiprocessing_context="spawn" if mode == "loaders" else None,
    )
    if mode == "pair-first" and rank < 2:
        dist.all_reduce(torch.ones(10), group=pair)
    for _ in range(steps):
        if mode == "many":
            waiting = [
                dist.all_reduce(torch.ones(1 + i % 3 * 50000), async_op=True) for i in range(16)
            ]
            for work in waiting:
                work.wait()
            continue
        assert sum(float(batch.sum()) for batch in data) == 2016
        dist.all_reduce(torch.ones(1000))
        if rank < 2:
            dist.all_reduce(torch.ones(10, dtype=torch.float64), group=pair)
        parts = [torch.zeros(7, dtype=torch.uint8) for _ in range(size)]
        dist.all_gather(parts, torch.ones(7, dtype=torch.uint8))
        dist.broadcast(torch.ones(3), 0)
        dist.reduce(torch.ones(10), 0)
        dist.barrier()
    if mode == "fails" and rank == 0:
        try:
            for _ in range(100):
                dist.all_reduce(torch.ones(1000))
        except RuntimeError as error:
            print("caught", type(error).__name__)
    elif mode != "fails":
        dist.destroy_process_group()  # else newer versions may abort at the end


if __name__ == "__main__":  # workers that load data import this file
    main()
