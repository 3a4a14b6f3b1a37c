"""Starts two ranks that know each other by arguments only. Argument: a free port."""

import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def main(rank: int, size: int, port: str) -> None:
    torch.set_num_threads(1)
    address = f"tcp://127.0.0.1:{port}"
    dist.init_process_group("gloo", init_method=address, rank=rank, world_size=size)
    for _ in range(20):
        dist.all_reduce(torch.ones(1000))
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(main, args=(2, sys.argv[1]), nprocs=2)
