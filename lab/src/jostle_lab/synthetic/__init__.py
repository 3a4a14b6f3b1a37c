"""Makes synthetic data with known lost time, to tune and to score the estimators.

Public interface:
    plant: makes a repository of any size with jobs that slow each other by known amounts.
    Spec, Injected, InjectedJob: its specification, and the true losses; LARGE: 1000 jobs.
    Fault: a disturbance that is not a profiled job: unprofiled work, a slow server, a node's
    faults.
    plant_placements: makes runs of a program on a torus with neighbours, with the statistics of
    published runs. Placements, PlacedRun: the truth about these runs.
    plant_training: makes a training job on GPUs, without MPI.
    plant_fabric: makes a fabric, and messages of synthetic jobs over it.
    plant_machines: makes agents' records of nodes and servers, with synthetic jobs or without.
    machine_slices: makes the records of machines without jobs in memory.
    MachineSpec: specification of machines without jobs.
    simulate_site: makes a site as a repository or as spools: jobs come and go, some slow others.
    spool_steps: makes a site whose nodes' spools grow with simulated time.
    SiteSpec, Simulated, SiteJob, SiteFault, Form: specification of a site, and the truth about it.
    trace: makes the tables of one run of an MPI program, and the true lost time. TraceSpec, Truth:
    specification of a family of such runs, and the truth; SPECS: the families, by name.
"""

from __future__ import annotations

from jostle_lab.synthetic.fabrics import plant_fabric
from jostle_lab.synthetic.injected.model import LARGE, Fault, Injected, InjectedJob, Spec
from jostle_lab.synthetic.machines.plant import MachineSpec, machine_slices, plant_machines
from jostle_lab.synthetic.placed.model import PlacedRun, Placements
from jostle_lab.synthetic.placements import plant_placements
from jostle_lab.synthetic.repository import plant
from jostle_lab.synthetic.site.faults import SiteFault
from jostle_lab.synthetic.site.simulate import simulate_site
from jostle_lab.synthetic.site.spec import Form, SiteSpec
from jostle_lab.synthetic.site.spools import spool_steps
from jostle_lab.synthetic.site.truth import Simulated, SiteJob
from jostle_lab.synthetic.traces import SPECS, KnownLoss, TraceSpec, trace
from jostle_lab.synthetic.training import plant_training

__all__ = [
    "LARGE",
    "SPECS",
    "Fault",
    "Form",
    "Injected",
    "InjectedJob",
    "KnownLoss",
    "MachineSpec",
    "PlacedRun",
    "Placements",
    "Simulated",
    "SiteFault",
    "SiteJob",
    "SiteSpec",
    "Spec",
    "TraceSpec",
    "machine_slices",
    "plant",
    "plant_fabric",
    "plant_machines",
    "plant_placements",
    "plant_training",
    "simulate_site",
    "spool_steps",
    "trace",
]
