/* status.h: how much arrived, and from which rank, by a status. Fortran's are laid out as C's,
 * where an INTEGER has four bytes. Part of adapter.h.
 */
#ifndef JST_STATUS_H
#define JST_STATUS_H

/* The result of a receive by its status. */
typedef struct jst_arrival {
    uint64_t bytes;
    int source; /* a rank, or MPI_PROC_NULL */
    bool known; /* the bytes are */
} jst_arrival;

/** Reads the status of a receive that ended; false: it was cancelled. */
#if defined(JST_STANDARD_ABI)
bool jst_status_read(const void *status, jst_arrival *arrival);
#else
static inline bool jst_status_read(const void *status, jst_arrival *arrival)
{
    MPI_Status s;
    __builtin_memcpy(&s, status, sizeof(s)); /* Fortran's may be aligned for an INTEGER only */
    arrival->known = true;
    arrival->source = s.MPI_SOURCE;
#ifdef OPEN_MPI
    arrival->bytes = s._ucount;
    return !s._cancelled;
#else
    arrival->bytes =
        (uint64_t)((unsigned)s.count_hi_and_cancelled >> 1) << 32 | (unsigned)s.count_lo;
    return !(s.count_hi_and_cancelled & 1);
#endif
}
#endif

/** The status to pass to the MPI so that it can be read: own where the program ignores it. */
static inline void *jst_status(void *status, void *own)
{
    return status == (void *)MPI_STATUS_IGNORE ? own : status;
}

/** The same in Fortran, and for arrays; NULL: it cannot be read. */
void *jst_status_f(void *status, void *own);

static inline int jst_status_error(const void *status)
{
    MPI_Status s;
    __builtin_memcpy(&s, status, sizeof(s));
    return s.MPI_ERROR;
}

#endif
