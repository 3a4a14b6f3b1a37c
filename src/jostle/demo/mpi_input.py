"""Input of the demo's two MPI programs: a melting crystal (LAMMPS), a lid-driven cavity (icoFoam).

Written here because Debian's packages come without ready cases; both run until they are told to
stop, so that the demo takes the same time on every machine.
"""

from __future__ import annotations

from pathlib import Path

RANKS = 2
#: Touched to make icoFoam stop.
STOP = "stop"
_CELLS = 32  # along each side of the cavity


def melt(folder: Path, seconds: int) -> Path:
    """Writes LAMMPS' input: an fcc crystal of Lennard-Jones atoms that melts for `seconds`."""
    path = folder / "in.melt"
    path.write_text(f"""# Lennard-Jones crystal, melting; a restart file now and then
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
thermo 20
restart 100 {folder}/melt.restart.1 {folder}/melt.restart.2
timer timeout 0:00:{seconds:02d} every 10
run 1000000
""")
    return path


def _foam(folder: Path, name: str, kind: str, content: str) -> None:
    place, _, base = name.rpartition("/")
    (folder / place).mkdir(parents=True, exist_ok=True)
    head = f"FoamFile {{ version 2.0; format ascii; class {kind}; object {base}; }}\n"
    (folder / name).write_text(head + content)


def cavity(folder: Path) -> Path:
    """Writes icoFoam's case: a square cavity whose lid moves, split between two ranks."""
    case = folder / "cavity"
    _mesh(case)
    _fields(case)
    _control(case)
    return case


def _mesh(case: Path) -> None:
    _foam(
        case,
        "system/blockMeshDict",
        "dictionary",
        f"""scale 0.1;
vertices ((0 0 0) (1 0 0) (1 1 0) (0 1 0) (0 0 0.1) (1 0 0.1) (1 1 0.1) (0 1 0.1));
blocks (hex (0 1 2 3 4 5 6 7) ({_CELLS} {_CELLS} 1) simpleGrading (1 1 1));
edges ();
boundary
(
    lid {{ type wall; faces ((3 7 6 2)); }}
    walls {{ type wall; faces ((0 4 7 3) (2 6 5 1) (1 5 4 0)); }}
    sides {{ type empty; faces ((0 3 2 1) (4 5 6 7)); }}
);
""",
    )
    _foam(
        case,
        "system/decomposeParDict",
        "dictionary",
        f"""numberOfSubdomains {RANKS};
method simple;
simpleCoeffs {{ n ({RANKS} 1 1); delta 0.001; }}
""",
    )


def _fields(case: Path) -> None:
    _foam(
        case,
        "0/U",
        "volVectorField",
        """dimensions [0 1 -1 0 0 0 0];
internalField uniform (0 0 0);
boundaryField
{
    lid { type fixedValue; value uniform (1 0 0); }
    walls { type noSlip; }
    sides { type empty; }
}
""",
    )
    _foam(
        case,
        "0/p",
        "volScalarField",
        """dimensions [0 2 -2 0 0 0 0];
internalField uniform 0;
boundaryField
{
    lid { type zeroGradient; }
    walls { type zeroGradient; }
    sides { type empty; }
}
""",
    )
    _foam(case, "constant/transportProperties", "dictionary", "nu 0.01;\n")


def _control(case: Path) -> None:
    _foam(
        case,
        "system/controlDict",
        "dictionary",
        f"""application icoFoam;
startFrom startTime;
startTime 0;
stopAt endTime;
endTime 1000;
deltaT 0.0005;
writeControl timeStep;
writeInterval 1000000;
timeFormat general;
runTimeModifiable false;
functions
{{
    stop {{ type abort; libs (utilityFunctionObjects); file "<case>/{STOP}"; action noWriteNow; }}
}}
""",
    )
    _foam(
        case,
        "system/fvSchemes",
        "dictionary",
        """ddtSchemes { default Euler; }
gradSchemes { default Gauss linear; }
divSchemes { default none; div(phi,U) Gauss linear; }
laplacianSchemes { default Gauss linear orthogonal; }
interpolationSchemes { default linear; }
snGradSchemes { default orthogonal; }
""",
    )
    _foam(
        case,
        "system/fvSolution",
        "dictionary",
        """solvers
{
    p { solver PCG; preconditioner DIC; tolerance 1e-06; relTol 0.05; }
    pFinal { $p; relTol 0; }
    U { solver smoothSolver; smoother symGaussSeidel; tolerance 1e-05; relTol 0; }
}
PISO { nCorrectors 2; nNonOrthogonalCorrectors 0; pRefCell 0; pRefValue 0; }
""",
    )
