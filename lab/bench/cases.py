"""Writes the input of real MPI programs: a melting crystal, a driven cavity, the HPC Challenge.

Everything is written here, so that nothing but the programs need be installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

MELT = """\
units           lj
atom_style      atomic
lattice         fcc 0.8442
region          all block 0 {cells} 0 {cells} 0 {cells}
create_box      1 all
create_atoms    1 box
mass            1 1.0
velocity        all create 3.0 4711 loop geom
pair_style      lj/cut 2.5
pair_coeff      1 1 1.0 1.0 2.5
neighbor        0.3 bin
neigh_modify    every 20 delay 0 check no
fix             1 all nve
thermo          50
run             {steps}
"""

#: Where OpenFOAM finds its own files, for Debian's package, which does not set it.
FOAM_VARIABLES = {"WM_PROJECT_DIR": os.environ.get("WM_PROJECT_DIR", "/usr/share/openfoam")}
FOAM_HEAD = "FoamFile {{ version 2.0; format ascii; class {kind}; object {name}; }}\n"
FOAM: dict[str, tuple[str, str]] = {
    "system/blockMeshDict": (
        "dictionary",
        """\
scale 0.1;
vertices ((0 0 0) (1 0 0) (1 1 0) (0 1 0) (0 0 0.1) (1 0 0.1) (1 1 0.1) (0 1 0.1));
blocks (hex (0 1 2 3 4 5 6 7) ({cells} {cells} 1) simpleGrading (1 1 1));
edges ();
boundary
(
    lid {{ type wall; faces ((3 7 6 2)); }}
    walls {{ type wall; faces ((0 4 7 3) (2 6 5 1) (1 5 4 0)); }}
    sides {{ type empty; faces ((0 3 2 1) (4 5 6 7)); }}
);
mergePatchPairs ();
""",
    ),
    "system/controlDict": (
        "dictionary",
        """\
application icoFoam;
startFrom startTime;
startTime 0;
stopAt endTime;
endTime {end:.6g};
deltaT {step:.6g};
writeControl timeStep;
writeInterval {steps};
writeFormat ascii;
writePrecision 6;
timeFormat general;
timePrecision 6;
runTimeModifiable false;
""",
    ),
    "system/fvSchemes": (
        "dictionary",
        """\
ddtSchemes {{ default Euler; }}
gradSchemes {{ default Gauss linear; }}
divSchemes {{ default none; div(phi,U) Gauss linear; }}
laplacianSchemes {{ default Gauss linear orthogonal; }}
interpolationSchemes {{ default linear; }}
snGradSchemes {{ default orthogonal; }}
""",
    ),
    "system/fvSolution": (
        "dictionary",
        """\
solvers
{{
    p {{ solver PCG; preconditioner DIC; tolerance 1e-06; relTol 0.05; }}
    pFinal {{ $p; relTol 0; }}
    U {{ solver smoothSolver; smoother symGaussSeidel; tolerance 1e-05; relTol 0; }}
}}
PISO {{ nCorrectors 2; nNonOrthogonalCorrectors 0; pRefCell 0; pRefValue 0; }}
""",
    ),
    "system/decomposeParDict": (
        "dictionary",
        """\
numberOfSubdomains {ranks};
method simple;
simpleCoeffs {{ n ({ranks} 1 1); delta 0.001; }}
""",
    ),
    "constant/transportProperties": ("dictionary", "nu [0 2 -1 0 0 0 0] 0.01;\n"),
    "0/p": (
        "volScalarField",
        """\
dimensions [0 2 -2 0 0 0 0];
internalField uniform 0;
boundaryField
{{
    lid {{ type zeroGradient; }}
    walls {{ type zeroGradient; }}
    sides {{ type empty; }}
}}
""",
    ),
    "0/U": (
        "volVectorField",
        """\
dimensions [0 1 -1 0 0 0 0];
internalField uniform (0 0 0);
boundaryField
{{
    lid {{ type fixedValue; value uniform (1 0 0); }}
    walls {{ type noSlip; }}
    sides {{ type empty; }}
}}
""",
    ),
}

# The format counts lines: the first two are comments, and each number has its own place.
HPCC = """\
HPL and HPCC
written by lab/bench/cases.py
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
{size}         Ns
1            # of NBs
80           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
1            Ps
{ranks}            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0            Number of additional problem sizes for PTRANS
1200         values of N
0            number of additional blocking sizes for PTRANS
40           values of NB
"""


def melt(folder: Path, cells: int, steps: int) -> list[str]:
    """Write the input of a melting Lennard-Jones crystal; return the command, without mpirun."""
    folder.mkdir(parents=True)
    (folder / "in.melt").write_text(MELT.format(cells=cells, steps=steps))
    return ["lmp", "-in", "in.melt", "-log", "none", "-screen", "none"]


def cavity(folder: Path, cells: int, steps: int, ranks: int) -> list[str]:
    """Write a cavity with a moving lid, meshed and divided among the ranks; return the command.

    Raises:
        subprocess.CalledProcessError: OpenFOAM could not make the mesh.
    """
    step = 0.3 / cells * 0.1  # Courant number 0.3 at the lid's 1 m/s in a cavity of 0.1 m
    for name, (kind, text) in FOAM.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        head = FOAM_HEAD.format(kind=kind, name=path.name)
        body = text.format(cells=cells, steps=steps, step=step, end=step * steps, ranks=ranks)
        path.write_text(head + body)
    variables = {**os.environ, **FOAM_VARIABLES}
    for tool in ("blockMesh", "decomposePar"):
        subprocess.run([tool], cwd=folder, env=variables, check=True, stdout=subprocess.DEVNULL)
    return ["icoFoam", "-parallel"]


def challenge(folder: Path, size: int, ranks: int) -> list[str]:
    """Write the input of the HPC Challenge for matrices of a size; return the command."""
    folder.mkdir(parents=True)
    (folder / "hpccinf.txt").write_text(HPCC.format(size=size, ranks=ranks))
    return ["hpcc"]


def installed(program: str) -> bool:
    """Return whether a program is installed."""
    return shutil.which(program) is not None
