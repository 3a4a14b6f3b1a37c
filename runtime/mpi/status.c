/* status.c: Fortran's MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE, which are addresses of objects;
 * and statuses whose layout is not public (the standard's ABI).
 */
#define _GNU_SOURCE
#include "adapter.h"

#ifdef JST_STANDARD_ABI
bool jst_status_read(const void *status, jst_arrival *arrival)
{
    int (*const count_of)(const void *, MPI_Datatype, int *) =
        (int (*)(const void *, MPI_Datatype, int *))jst_pmpi.Get_count;
    int bytes = 0;
    int cancelled = 0;
    if (!count_of || !jst_pmpi.Test_cancelled ||
        count_of(status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes < 0) {
        arrival->known = false; /* more than an int holds */
        return true;
    }
    jst_pmpi.Test_cancelled(status, &cancelled);
    arrival->known = true;
    arrival->bytes = (uint64_t)bytes;
    arrival->source = ((const MPI_Status *)status)->MPI_SOURCE;
    return !cancelled;
}
#endif

/* Open MPI's are common blocks, by each mangling of their names. MPICH has variables that point to
 * mpif.h's, and objects of mpi_f08. */
#if defined(OPEN_MPI)
static const char *const names[] = {"mpi_fortran_status_ignore_",  "mpi_fortran_statuses_ignore_",
                                    "mpi_fortran_status_ignore__", "mpi_fortran_statuses_ignore__",
                                    "mpi_fortran_status_ignore",   "mpi_fortran_statuses_ignore",
                                    "MPI_FORTRAN_STATUS_IGNORE",   "MPI_FORTRAN_STATUSES_IGNORE"};
#else
#define POINTERS 2u /* so many of them are variables that point to it */
static const char *const names[] = {"MPI_F_STATUS_IGNORE", "MPI_F_STATUSES_IGNORE",
                                    "MPIR_F08_MPI_STATUS_IGNORE_OBJ",
                                    "MPIR_F08_MPI_STATUSES_IGNORE_OBJ"};
#endif
#define NAMES (sizeof(names) / sizeof(names[0]))

static void *places[NAMES];
static unsigned known; /* of them; 0: not queried yet */

static void *place_of(unsigned i)
{
    void *place = __atomic_load_n(&places[i], __ATOMIC_RELAXED);
#ifdef POINTERS
    place = i < POINTERS && place ? *(void **)place : place;
#endif
    return place;
}

static bool ask(void)
{
    unsigned found = 0;
    for (unsigned i = 0; i < NAMES; i++) {
        void *place = jst_object(names[i]);
        found += place != NULL;
        __atomic_store_n(&places[i], place, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&known, found ? found : NAMES + 1, __ATOMIC_RELEASE);
    return found;
}

void *jst_status_f(void *status, void *own)
{
    const unsigned asked = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
    const size_t integer = sizeof(MPI_Fint); /* a Fortran INTEGER may be wider */
    if (integer != sizeof(int) || (asked ? asked > NAMES : !ask())) {
        return NULL; /* its statuses are not C's, or the one to be ignored cannot be recognised */
    }
    for (unsigned i = 0; i < NAMES; i++) {
        if (status == place_of(i)) {
            return own;
        }
    }
    return status;
}
