/*
 * milc: conjugate gradients on a lattice of four dimensions, as codes of lattice QCD spend their
 * time. Our own writing.
 *
 * Each rank has SITES^4 sites of a periodic lattice with three complex numbers each, and exchanges
 * its eight faces before each use of the operator (Isend, Irecv, Waitall); two Allreduces of one
 * number follow in each iteration. The links between sites are phases instead of matrices of SU(3),
 * and a site's colours are solved for alike: the messages have the size that they have there, the
 * arithmetic is less.
 *
 * Source: description of 104.milc in SPEC MPI2007 (Isend, Irecv, Allreduce on parts of a lattice of
 * 30 x 30 x 56 x 84 sites); Shah, 2020, section 5.2, table 5.4: 0.54 and 1.66 collectives a second,
 * with far more sites for each rank than the default.
 *   milc --sites 24 --solves 20 --iterations 100
 */
#include <complex.h>
#include <math.h>

#include "code.h"

enum { DIMS = 4, COLOURS = 3 };
typedef double complex cplx;

static long sites = 6, solves = 40, iterations = 50;
static const struct code_option options[] = {
    {"sites", "sites of a rank along each dimension", &sites, NULL},
    {"solves", "systems solved", &solves, NULL},
    {"iterations", "of each", &iterations, NULL},
    {NULL, NULL, NULL, NULL},
};

static MPI_Comm lattice;
static int down[DIMS], up[DIMS];
static long stride[DIMS], volume, face;
static cplx *links[DIMS], *out[2 * DIMS], *in[2 * DIMS];

static long face_index(long site, int d)
{
    return site / (stride[d] * sites) * stride[d] + site % stride[d];
}

static long coordinate(long site, int d)
{
    return site / stride[d] % sites;
}

/* Sends low faces down as they are and high faces up through their links; receives the others'. */
static void exchange(const cplx *x)
{
    MPI_Request requests[4 * DIMS];
    size_t bytes = (size_t)face * COLOURS * sizeof(cplx);
    for (long site = 0; site < volume; site++)
        for (int d = 0; d < DIMS; d++)
            for (int c = 0; c < COLOURS; c++) {
                long at = face_index(site, d) * COLOURS + c;
                if (coordinate(site, d) == 0)
                    out[2 * d][at] = x[site * COLOURS + c];
                if (coordinate(site, d) == sites - 1)
                    out[2 * d + 1][at] = conj(links[d][site]) * x[site * COLOURS + c];
            }
    for (int d = 0; d < DIMS; d++) {
        code_irecv(in[2 * d], bytes, up[d], 2 * d, lattice, &requests[4 * d]);
        code_irecv(in[2 * d + 1], bytes, down[d], 2 * d + 1, lattice, &requests[4 * d + 1]);
        code_isend(out[2 * d], bytes, down[d], 2 * d, lattice, &requests[4 * d + 2]);
        code_isend(out[2 * d + 1], bytes, up[d], 2 * d + 1, lattice, &requests[4 * d + 3]);
    }
    code_wait(4 * DIMS, requests);
}

/* y = (8 + mass) x - neighbours of x through the links: Hermitian and positive. */
static void operate(const cplx *x, cplx *y)
{
    exchange(x);
    for (long site = 0; site < volume; site++)
        for (int c = 0; c < COLOURS; c++) {
            long at = site * COLOURS + c;
            cplx sum = (2 * DIMS + 0.1) * x[at];
            for (int d = 0; d < DIMS; d++) {
                long edge = face_index(site, d) * COLOURS + c;
                long back = site - stride[d];
                if (coordinate(site, d) < sites - 1)
                    sum -= links[d][site] * x[at + stride[d] * COLOURS];
                else
                    sum -= links[d][site] * in[2 * d][edge];
                if (coordinate(site, d) > 0)
                    sum -= conj(links[d][back]) * x[back * COLOURS + c];
                else
                    sum -= in[2 * d + 1][edge];
            }
            y[at] = sum;
        }
}

static double dot(const cplx *a, const cplx *b)
{
    double own = 0;
    for (long i = 0; i < volume * COLOURS; i++)
        own += creal(conj(a[i]) * b[i]);
    return code_all(own, MPI_SUM);
}

/* Solves from 0. The residual may rise for a while, but not without end. */
static void solve(long number, cplx *x, cplx *r, cplx *p, cplx *q)
{
    long n = volume * COLOURS;
    for (long i = 0; i < n; i++) {
        x[i] = 0;
        r[i] = p[i] = (double)((i * 7 + number + code_rank) % 11) - 5;
    }
    double rr = dot(r, r), first = rr;
    for (long k = 0; k < iterations; k++) {
        operate(p, q);
        double step = rr / dot(p, q);
        for (long i = 0; i < n; i++) {
            x[i] += step * p[i];
            r[i] -= step * q[i];
        }
        double next = dot(r, r);
        for (long i = 0; i < n; i++)
            p[i] = r[i] + next / rr * p[i];
        rr = next;
    }
    code_wrong += !(rr < 100 * first);
}

static void make_lattice(void)
{
    int dims[DIMS] = {0}, periodic[DIMS] = {1, 1, 1, 1};
    MPI_Dims_create(code_size, DIMS, dims);
    COUNT(mpi_comm_ops, 1);
    MPI_Cart_create(MPI_COMM_WORLD, DIMS, dims, periodic, 0, &lattice);
    volume = 1;
    for (int d = 0; d < DIMS; d++) {
        stride[d] = volume;
        volume *= sites;
        MPI_Cart_shift(lattice, d, 1, &down[d], &up[d]);
    }
    face = volume / sites;
    for (int d = 0; d < DIMS; d++) {
        links[d] = code_get((size_t)volume * sizeof(cplx));
        for (long site = 0; site < volume; site++)
            links[d][site] = cexp(I * (double)((site * 13 + d * 5 + code_rank) % 100));
    }
    for (int i = 0; i < 2 * DIMS; i++) {
        out[i] = code_get((size_t)face * COLOURS * sizeof(cplx));
        in[i] = code_get((size_t)face * COLOURS * sizeof(cplx));
    }
}

int main(int argc, char **argv)
{
    cplx *field[4];
    code_begin("milc", &argc, &argv, options);
    if (sites < 2 || sites > 100)
        code_usage(options, "it must be from 2 to 100", "--sites");
    make_lattice();
    for (int i = 0; i < 4; i++)
        field[i] = code_get((size_t)volume * COLOURS * sizeof(cplx));
    code_phase("solve");
    for (long i = 0; i < solves; i++)
        solve(i, field[0], field[1], field[2], field[3]);
    code_phase(NULL);
    for (int i = 0; i < 4; i++)
        free(field[i]);
    for (int i = 0; i < 2 * DIMS; i++)
        free(out[i]), free(in[i]);
    for (int d = 0; d < DIMS; d++)
        free(links[d]);
    COUNT(mpi_comm_ops, 1);
    MPI_Comm_free(&lattice);
    return code_end();
}
