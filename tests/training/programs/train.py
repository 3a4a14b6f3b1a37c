"""Trains a small network on all ranks of a launch, and can lose time on purpose.

Data are random, and all steps do the same work. Rank 0 writes a line of JSON at the end: the
seconds of all steps, the seconds that it knows to be lost, and when each step ended.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset


def network(width: int) -> torch.nn.Module:
    """Return layers of equal width, large enough for two buckets of gradients."""
    layers: list[torch.nn.Module] = []
    for _ in range(3):
        layers += [torch.nn.Linear(width, width), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers, torch.nn.Linear(width, 10))


def main() -> None:
    """Train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--width", type=int, default=512, help="of each layer")
    parser.add_argument("--batch", type=int, default=64, help="samples per rank and step")
    parser.add_argument(
        "--device", type=float, default=0, help="seconds of a step in which a GPU would compute"
    )
    parser.add_argument("--delay", type=float, default=0, help="seconds that a late step sleeps")
    parser.add_argument("--late", type=int, default=10, help="every so many steps one is late")
    parser.add_argument("--rank", type=int, default=1, help="which sleeps")
    parser.add_argument("--workers", type=int, default=0, help="processes that load data")
    parser.add_argument("--result", type=Path, help="where rank 0 writes its line")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    dist.init_process_group("gloo")
    model = DistributedDataParallel(network(arguments.width))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    samples = TensorDataset(
        torch.randn(arguments.batch * arguments.steps, arguments.width),
        torch.randint(0, 10, (arguments.batch * arguments.steps,)),
    )
    loader = DataLoader(samples, arguments.batch, num_workers=arguments.workers)
    late = 0
    dist.barrier()
    began = time.monotonic()
    ends = []
    for step, (inputs, classes) in enumerate(loader):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(inputs), classes)
        if arguments.delay and step % arguments.late == arguments.late - 1:
            late += 1
            if dist.get_rank() == arguments.rank:
                time.sleep(arguments.delay)
        time.sleep(arguments.device)
        loss.backward()
        optimizer.step()
        ends.append(time.monotonic() - began)
    seconds = time.monotonic() - began
    if dist.get_rank() == 0 and arguments.result:
        line = {
            "steps": arguments.steps,
            "seconds": seconds,
            "lost": late * arguments.delay,
            "ends": ends,
        }
        arguments.result.write_text(json.dumps(line) + "\n")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
