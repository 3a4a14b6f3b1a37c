/*
 * sweep3d: particles through a box, swept direction by direction, as by Sweep3D. Our own
 * writing.
 *
 * The ranks form a grid in x and y; each has a column of NX x NY x NZ cells. For each of the eight
 * octants of directions the sweep begins at a corner of the grid and passes over it as a wave: a rank
 * receives the inflow of a block of MK planes and MMI angles from its two neighbours in the
 * direction, computes it, and sends the outflow on (Recv, Recv, Send, Send, all blocking). Messages
 * have NY x MK x MMI and NX x MK x MMI doubles. Every CHECK iterations the ranks compare their
 * largest change (one Allreduce); with CHECK 0 there is no collective between begin and end.
 *
 * Source: description of the ASCI benchmark Sweep3D (Koch, Baker, Alcouffe; S6: six angles an octant,
 * blocks MK x MMI); Shah, 2020, tables 5.2-5.4: 384 ranks, 326 s and 293 s, 15 collectives a
 *   second. sweep3d --nx 50 --ny 50 --nz 400 --mk 10 --mmi 3 --steps 12
 */
#include <math.h>

#include "code.h"

enum { OCTANTS = 8, ANGLES = 6 };

static long nx = 32, ny = 32, nz = 32, mk = 4, mmi = 3, steps = 16, check = 1;
static const struct code_option options[] = {
    {"nx", "cells of a rank along x", &nx, NULL},
    {"ny", "along y", &ny, NULL},
    {"nz", "along z", &nz, NULL},
    {"mk", "planes of a block", &mk, NULL},
    {"mmi", "angles of a block: 1, 2, 3 or 6", &mmi, NULL},
    {"steps", "iterations", &steps, NULL},
    {"check", "iterations from convergence check to convergence check; 0: none", &check, NULL},
    {NULL, NULL, NULL, NULL},
};

static int grid[2], place[2]; /* ranks along x and y, and this rank's position */
static double *flux, *before; /* of each cell */
static double *in_x, *in_y;   /* what flows into a block's cells along x and y */
static double *in_z;          /* along z: from plane to plane of all blocks */

static int neighbour(int dimension, int away)
{
    int there = place[dimension] + away;
    if (there < 0 || there >= grid[dimension])
        return -1;
    return code_rank + (dimension ? away * grid[0] : away);
}

/* One angle through a block; dx, dy, dz are 1 or -1. `plane` is the block's first in the sweep. */
static void block(long plane, long angle, long slot, const int *way)
{
    double mu = 0.3 + 0.1 * (double)angle, eta = 0.9 - 0.1 * (double)angle, xi = 0.5;
    double part = 1 / (1 + 2 * (mu + eta + xi));
    for (long k = 0; k < mk; k++)
        for (long j = 0; j < ny; j++) {
            long z = way[2] > 0 ? plane + k : nz - 1 - plane - k, y = way[1] > 0 ? j : ny - 1 - j;
            double *x_flow = in_x + (slot * mk + k) * ny + j;
            double *y_flow = in_y + (slot * mk + k) * nx;
            double *z_flow = in_z + (slot * ny + j) * nx;
            double *cell = flux + (z * ny + y) * nx;
            for (long i = 0; i < nx; i++) {
                double inflow = mu * *x_flow + eta * y_flow[i] + xi * z_flow[i];
                double value = (0.5 + 2 * inflow) * part;
                *x_flow = 2 * value - *x_flow;
                y_flow[i] = 2 * value - y_flow[i];
                z_flow[i] = 2 * value - z_flow[i];
                cell[way[0] > 0 ? i : nx - 1 - i] += value / (OCTANTS * ANGLES);
            }
        }
}

static void inflow(double *flow, size_t bytes, int from)
{
    if (from >= 0)
        code_recv(flow, bytes, from, 0, MPI_COMM_WORLD);
    else
        memset(flow, 0, bytes);
}

static void octant(const int *way)
{
    size_t x_bytes = (size_t)(ny * mk * mmi) * sizeof(double);
    size_t y_bytes = (size_t)(nx * mk * mmi) * sizeof(double);
    int x_to = neighbour(0, way[0]), y_to = neighbour(1, way[1]);
    for (long angle = 0; angle < ANGLES; angle += mmi) {
        memset(in_z, 0, (size_t)(nx * ny * mmi) * sizeof *in_z);
        for (long plane = 0; plane < nz; plane += mk) {
            inflow(in_x, x_bytes, neighbour(0, -way[0]));
            inflow(in_y, y_bytes, neighbour(1, -way[1]));
            for (long slot = 0; slot < mmi; slot++)
                block(plane, angle + slot, slot, way);
            if (x_to >= 0)
                code_send(in_x, x_bytes, x_to, 0, MPI_COMM_WORLD);
            if (y_to >= 0)
                code_send(in_y, y_bytes, y_to, 0, MPI_COMM_WORLD);
        }
    }
}

static double largest_change(void)
{
    double most = 0;
    for (long i = 0; i < nx * ny * nz; i++)
        most = fmax(most, fabs(flux[i] - before[i]));
    return most;
}

int main(int argc, char **argv)
{
    code_begin("sweep3d", &argc, &argv, options);
    if (mk < 1 || nz % mk || mmi < 1 || ANGLES % mmi)
        code_usage(options, "mk must divide nz, and mmi six", "blocks");
    MPI_Dims_create(code_size, 2, grid);
    place[0] = code_rank % grid[0], place[1] = code_rank / grid[0];
    size_t cells = (size_t)(nx * ny * nz) * sizeof *flux;
    flux = code_get(cells), before = code_get(cells);
    in_x = code_get((size_t)(ny * mk * mmi) * sizeof *in_x);
    in_y = code_get((size_t)(nx * mk * mmi) * sizeof *in_y);
    in_z = code_get((size_t)(nx * ny * mmi) * sizeof *in_z);
    code_phase("sweeps");
    for (long step = 0; step < steps; step++) {
        memcpy(before, flux, cells);
        memset(flux, 0, cells);
        for (int i = 0; i < OCTANTS; i++) {
            int way[3] = {i & 1 ? -1 : 1, i & 2 ? -1 : 1, i & 4 ? -1 : 1};
            octant(way);
        }
        if (check && (step + 1) % check == 0)
            code_wrong += step > 0 && code_all(largest_change(), MPI_MAX) > 1e-9;
    }
    code_phase(NULL);
    free(flux), free(before), free(in_x), free(in_y), free(in_z);
    return code_end();
}
