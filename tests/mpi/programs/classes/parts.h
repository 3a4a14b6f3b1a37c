/* Shared by the parts of the program `classes`: who we are, and a buffer to talk about. */
#ifndef PARTS_H
#define PARTS_H
#include "../account.h"
#include <mpi.h>

extern int rank, size;

#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE
#define INTS(n) ((long long)(n) * (long long)sizeof(int))
#define DOUBLES(n) ((long long)(n) * (long long)sizeof(double))
#define OK(call) MUST((call) == MPI_SUCCESS)

void part_p2p(void);
void part_nonblocking(void);
void part_persistent(void);
void part_completion(void);
void part_failures(void);
void part_types(void);
void part_blocking(void);
void part_inplace(void);
void part_ionblocking(void);
void part_coll_persistent(void);
void part_neighbor(void);
void part_inter(void);
void part_rma(void);
void part_atomics(void);
void part_io(void);
void part_io_shared(void);
void part_comm(void);
void part_large(void);
void part_direct(void);
#endif
