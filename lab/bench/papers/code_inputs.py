"""Input files for the real codes of codes.py; `{processes}` is the number of ranks."""

from __future__ import annotations

import math

import cases

_DUMP = "dump            1 all custom 10 dump.melt id type x y z vx vy vz\n"


def _foam(name: str, kind: str, text: str) -> str:
    return cases.FOAM_HEAD.format(kind=kind, name=name.rpartition("/")[2]) + text


def _cavity(cells: int, steps: int) -> dict[str, str]:
    """Return the OpenFOAM input of the cavity in cases.py, but with output at every time step."""
    step = 0.3 / cells * 0.1
    values = {"cells": cells, "steps": 1, "step": step, "end": step * steps, "ranks": "{processes}"}
    return {
        name: _foam(name, kind, text.format(**values)) for name, (kind, text) in cases.FOAM.items()
    }


MELT = cases.MELT.format(cells=16, steps=200).replace("run ", _DUMP + "run ")
CAVITY = _cavity(32, 40)
HPCC = cases.HPCC.format(size=800, ranks="{processes}")

# ---- a column of water that falls, for interFoam ----

_WALLS = ("floor", "left", "right")
_MESH = """\
vertices ((0 0 0) (2 0 0) (2 1 0) (0 1 0) (0 0 0.1) (2 0 0.1) (2 1 0.1) (0 1 0.1));
blocks (hex (0 1 2 3 4 5 6 7) (64 32 1) simpleGrading (1 1 1));
boundary
(
    floor { type wall; faces ((0 1 5 4)); }
    left { type wall; faces ((0 4 7 3)); }
    right { type wall; faces ((1 2 6 5)); }
    top { type patch; faces ((3 7 6 2)); }
    sides { type empty; faces ((0 3 2 1) (4 5 6 7)); }
);
"""
_CONTROL = """\
application interFoam;
startFrom startTime;
startTime 0;
stopAt endTime;
endTime 0.1;
deltaT 0.001;
writeControl timeStep;
writeInterval 10;
writeFormat ascii;
timeFormat general;
runTimeModifiable false;
adjustTimeStep no;
maxCo 1;
maxAlphaCo 1;
maxDeltaT 1;
"""
_SCHEMES = """\
ddtSchemes { default Euler; }
gradSchemes { default Gauss linear; }
divSchemes
{
    div(rhoPhi,U) Gauss linearUpwind grad(U);
    div(phi,alpha) Gauss vanLeer;
    div(phirb,alpha) Gauss linear;
    div(((rho*nuEff)*dev2(T(grad(U))))) Gauss linear;
}
laplacianSchemes { default Gauss linear orthogonal; }
interpolationSchemes { default linear; }
snGradSchemes { default orthogonal; }
"""
_SOLUTION = """\
solvers
{
    "alpha.water.*"
    {
        nAlphaCorr 2;
        nAlphaSubCycles 1;
        cAlpha 1;
        MULESCorr no;
        solver smoothSolver;
        smoother symGaussSeidel;
        tolerance 1e-08;
        relTol 0;
    }
    "pcorr.*" { solver PCG; preconditioner DIC; tolerance 1e-05; relTol 0; }
    p_rgh { solver PCG; preconditioner DIC; tolerance 1e-07; relTol 0.05; }
    p_rghFinal { $p_rgh; relTol 0; }
    U { solver smoothSolver; smoother symGaussSeidel; tolerance 1e-06; relTol 0; }
    UFinal { $U; }
}
PIMPLE { momentumPredictor no; nOuterCorrectors 1; nCorrectors 3; nNonOrthogonalCorrectors 0; }
"""
_PHASES = """\
phases (water air);
water { transportModel Newtonian; nu 1e-06; rho 1000; }
air { transportModel Newtonian; nu 1.48e-05; rho 1; }
sigma 0.07;
"""
_COLUMN = """\
defaultFieldValues (volScalarFieldValue alpha.water 0);
regions
(
    boxToCell { box (0 0 -1) (0.5 0.6 1); fieldValues (volScalarFieldValue alpha.water 1); }
);
"""
_PARTS = "numberOfSubdomains {processes};\nmethod simple;\n" + (
    "simpleCoeffs { n ({processes} 1 1); delta 0.001; }\n"
)


def _field(dimensions: str, inside: str, wall: str, top: str) -> str:
    """A field at the beginning: its value inside, and what it does at walls and at the top."""
    walls = "".join(f"    {name} {{ {wall} }}\n" for name in _WALLS)
    return (
        f"dimensions [{dimensions}];\ninternalField uniform {inside};\n"
        f"boundaryField\n{{\n{walls}    top {{ {top} }}\n    sides {{ type empty; }}\n}}\n"
    )


_DAM = {
    "system/blockMeshDict": ("dictionary", _MESH),
    "system/controlDict": ("dictionary", _CONTROL),
    "system/fvSchemes": ("dictionary", _SCHEMES),
    "system/fvSolution": ("dictionary", _SOLUTION),
    "system/setFieldsDict": ("dictionary", _COLUMN),
    "system/decomposeParDict": ("dictionary", _PARTS),
    "constant/transportProperties": ("dictionary", _PHASES),
    "constant/turbulenceProperties": ("dictionary", "simulationType laminar;\n"),
    "constant/g": (
        "uniformDimensionedVectorField",
        "dimensions [0 1 -2 0 0 0 0];\nvalue (0 -9.81 0);\n",
    ),
    "0/U": (
        "volVectorField",
        _field(
            "0 1 -1 0 0 0 0",
            "(0 0 0)",
            "type noSlip;",
            "type pressureInletOutletVelocity; value uniform (0 0 0);",
        ),
    ),
    "0/p_rgh": (
        "volScalarField",
        _field(
            "1 -1 -2 0 0 0 0",
            "0",
            "type fixedFluxPressure; value uniform 0;",
            "type totalPressure; p0 uniform 0;",
        ),
    ),
    "0/alpha.water": (
        "volScalarField",
        _field(
            "0 0 0 0 0 0 0",
            "0",
            "type zeroGradient;",
            "type inletOutlet; inletValue uniform 0; value uniform 0;",
        ),
    ),
}
DAM = {name: _foam(name, kind, text) for name, (kind, text) in _DAM.items()}

# ---- a hydrogen molecule, for pw.x, whose electrons see bare nuclei ----

HYDROGEN = """\
&control
    calculation = 'scf', prefix = 'hydrogen', outdir = './out', pseudo_dir = './'
/
&system
    ibrav = 1, celldm(1) = 16.0, nat = 2, ntyp = 1, ecutwfc = 60.0
/
&electrons
    conv_thr = 1.0e-8
/
ATOMIC_SPECIES
H 1.008 H.UPF
ATOMIC_POSITIONS bohr
H 0.0 0.0 0.0
H 1.4 0.0 0.0
K_POINTS gamma
"""
_POINTS = 601
_STEP = 0.02


def _column(name: str, values: list[float]) -> str:
    lines = "\n".join(f"{value:.10E}" for value in values)
    return f'<{name} type="real" size="{len(values)}" columns="1">\n{lines}\n</{name}>\n'


def nucleus() -> str:
    """A proton, in the format UPF: the potential -1/r needs no table, the first density does."""
    radii = [1e-4 * math.exp(_STEP * i) for i in range(_POINTS)]
    density = [4 * r * r * math.exp(-2 * r) for r in radii]
    mesh = _column("PP_R", radii) + _column("PP_RAB", [_STEP * r for r in radii])
    return f"""\
<UPF version="2.0.1">
<PP_INFO>
a bare nucleus
</PP_INFO>
<PP_HEADER element="H" pseudo_type="1/r" relativistic="no" is_ultrasoft="F" is_paw="F"
 is_coulomb="T" has_so="F" has_wfc="F" has_gipaw="F" core_correction="F" functional="PZ"
 z_valence="1.0" total_psenergy="0.0" wfc_cutoff="0.0" rho_cutoff="0.0" l_max="0" l_local="-1"
 mesh_size="{_POINTS}" number_of_wfc="0" number_of_proj="0"/>
<PP_MESH mesh="{_POINTS}">
{mesh}</PP_MESH>
<PP_NONLOCAL>
</PP_NONLOCAL>
<PP_PSWFC>
</PP_PSWFC>
{_column("PP_RHOATOM", density)}</UPF>
"""


# ---- a box of water, for gmx ----

WATER = {
    "topol.top": """\
#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spc.itp"
[ system ]
water
[ molecules ]
""",
    "water.mdp": """\
integrator = md
dt = 0.002
nsteps = 2000
nstxout = 50
nstvout = 50
nstenergy = 50
cutoff-scheme = Verlet
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
tcoupl = v-rescale
tc-grps = System
tau-t = 0.5
ref-t = 300
gen-vel = yes
constraints = h-bonds
""",
}

# ---- the checkpoint of programs/codes/flash_io.c by parallel HDF5: a file for all ranks ----

FLASH_HDF5 = """\
from mpi4py import MPI

import h5py
import numpy as np

comm = MPI.COMM_WORLD
blocks = 80 + comm.rank % 3
last = comm.scan(blocks)
total = comm.allreduce(blocks)
values = np.full((blocks, 8, 8, 8), comm.rank, dtype="f8")


def write(name, unknowns, kind):
    with h5py.File(name, "w", driver="mpio", comm=comm) as file:
        for unknown in range(unknowns):
            data = file.create_dataset(f"unk{unknown:02}", (total, 8, 8, 8), kind)
            with data.collective:
                data[last - blocks : last] = values


write("checkpoint.h5", 24, "f8")
write("plot.h5", 4, "f4")
"""

# ---- writers of HDF5 and netCDF: a file for each rank ----

_RANK = """\
import os

rank = os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ.get("PMI_RANK") or "0"
"""
H5PY = f"""\
{_RANK}
import h5py
import numpy as np

values = np.arange(1 << 20, dtype="f8").reshape(1024, 1024)
with h5py.File(f"out.{{rank}}.h5", "w") as file:
    for step in range(4):
        file.create_dataset(f"contiguous/{{step}}", data=values)
    chunked = file.create_dataset("chunked", (1024, 1024), "f8", chunks=(64, 1024))
    for row in range(0, 1024, 64):
        chunked[row : row + 64] = values[row : row + 64]
    strided = file.create_dataset("strided", (1024, 1024), "f8")
    for column in range(0, 1024, 64):
        strided[:, column] = values[:, column]
with h5py.File(f"out.{{rank}}.h5", "r") as file:
    assert (file["chunked"][:] == values).all()
"""
NETCDF = f"""\
{_RANK}
import netCDF4
import numpy as np

with netCDF4.Dataset(f"out.{{rank}}.nc", "w") as file:
    file.createDimension("time", None)
    file.createDimension("cell", 1 << 17)
    heat = file.createVariable("heat", "f8", ("time", "cell"))
    for step in range(20):
        heat[step] = np.full(1 << 17, step, dtype="f8")
        file.sync()
"""
