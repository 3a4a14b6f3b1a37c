/*
 * counted_mpi: MPI calls of one rank between marks that callgrind can see.
 *
 *   counted_mpi N        do each kind of call N times; the calls are in mpi_calls_c.c
 */
#include <stdlib.h>

#include "counted_mark.h"

void bench_start(int *rank, int *size);
void bench_repeat(int operation, int count);
void bench_stop(void);

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int operation;
    } KINDS[] = {{"Allreduce", 2},
                 {"Barrier", 3},
                 {"Allreduce of one's own", 4},
                 {"Iprobe", 5},
                 {"Irecv, Isend and two Wait", 6},
                 {"Test", 7}};
    int rank, size;

    if (argc != 2)
        return 2;
    bench_start(&rank, &size);
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        bench_repeat(KINDS[k].operation, 100); /* connections are made, tables are filled */
        mark_begin();
        bench_repeat(KINDS[k].operation, atoi(argv[1]));
        mark_end(KINDS[k].name);
    }
    bench_stop();
    return 0;
}
