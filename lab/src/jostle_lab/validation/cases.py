"""Input files of the real programs that a validation runs, with placeholders such as @ranks@."""

from __future__ import annotations

#: LAMMPS: a Lennard-Jones liquid of 16 384 atoms.
MELT = """\
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 16 0 16 0 16
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 10 delay 0 check yes
fix 1 all nve
thermo 20
run @steps@
"""


def _foam(name: str, text: str, kind: str = "dictionary") -> str:
    return f"FoamFile {{ version 2.0; format ascii; class {kind}; object {name}; }}\n{text}"


#: OpenFOAM: icoFoam's lid-driven cavity, 60 x 60 cells.
CAVITY = {
    "system/blockMeshDict": _foam(
        "blockMeshDict",
        """\
scale 0.1;
vertices ((0 0 0) (1 0 0) (1 1 0) (0 1 0) (0 0 0.1) (1 0 0.1) (1 1 0.1) (0 1 0.1));
blocks (hex (0 1 2 3 4 5 6 7) (60 60 1) simpleGrading (1 1 1));
edges ();
boundary (
    lid { type wall; faces ((3 7 6 2)); }
    walls { type wall; faces ((0 4 7 3) (2 6 5 1) (1 5 4 0)); }
    flat { type empty; faces ((0 3 2 1) (4 5 6 7)); }
);
""",
    ),
    "system/controlDict": _foam(
        "controlDict",
        """\
application icoFoam; startFrom startTime; startTime 0; stopAt endTime; endTime @end@;
deltaT 0.0005; writeControl timeStep; writeInterval 1000000; timeFormat general;
runTimeModifiable false;
""",
    ),
    "system/fvSchemes": _foam(
        "fvSchemes",
        """\
ddtSchemes { default Euler; }
gradSchemes { default Gauss linear; }
divSchemes { default none; div(phi,U) Gauss linear; }
laplacianSchemes { default Gauss linear orthogonal; }
interpolationSchemes { default linear; }
snGradSchemes { default orthogonal; }
""",
    ),
    "system/fvSolution": _foam(
        "fvSolution",
        """\
solvers {
    p { solver PCG; preconditioner DIC; tolerance 1e-6; relTol 0.05; }
    pFinal { $p; relTol 0; }
    U { solver smoothSolver; smoother symGaussSeidel; tolerance 1e-5; relTol 0; }
}
PISO { nCorrectors 2; nNonOrthogonalCorrectors 0; pRefCell 0; pRefValue 0; }
""",
    ),
    "system/decomposeParDict": _foam(
        "decomposeParDict",
        """\
numberOfSubdomains @ranks@; method simple; simpleCoeffs { n (@ranks@ 1 1); delta 0.001; }
""",
    ),
    "constant/transportProperties": _foam("transportProperties", "nu 0.01;\n"),
    "0/U": _foam(
        "U",
        """\
dimensions [0 1 -1 0 0 0 0]; internalField uniform (0 0 0);
boundaryField {
    lid {
        type uniformFixedValue; value uniform (1 0 0);
        uniformValue { type sine; frequency 5; amplitude 0.5; scale (1 0 0); level (1 0 0); }
    }
    walls { type noSlip; }
    flat { type empty; }
}
""",
        "volVectorField",
    ),
    "0/p": _foam(
        "p",
        """\
dimensions [0 2 -2 0 0 0 0]; internalField uniform 0;
boundaryField {
    lid { type zeroGradient; }
    walls { type zeroGradient; }
    flat { type empty; }
}
""",
        "volScalarField",
    ),
}
