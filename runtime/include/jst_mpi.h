/* jst_mpi.h: the interface between libjostle.so, which knows no MPI, and an adapter, which knows
 * one.
 *
 * The adapter turns handles into numbers (bytes, world sizes, world ranks) and calls the MPI; all
 * counting, timing and segmentation happens in libjostle.so. Nothing here depends on an mpi.h.
 */
#ifndef JST_MPI_H
#define JST_MPI_H

#include <stdbool.h>
#include <stdint.h>

#define JST_MPI_INTERFACE 3u

/* JST_MPI_CLASS(name, metric prefix, has bytes, state): the class in which a call is counted. */
#define JST_MPI_CLASSES(X)                                                                         \
    X(SEND, MPI_SEND, 1, P2P)                                                                      \
    X(RECV, MPI_RECV, 1, P2P)                                                                      \
    X(SENDRECV, MPI_SENDRECV, 1, P2P)                                                              \
    X(ISEND, MPI_ISEND, 1, P2P)                                                                    \
    X(IRECV, MPI_IRECV, 1, P2P)                                                                    \
    X(PROBE, MPI_PROBE, 0, P2P)                                                                    \
    X(WAIT, MPI_WAIT, 0, P2P)                                                                      \
    X(TEST, MPI_TEST, 0, P2P)                                                                      \
    X(REQUEST, MPI_REQUEST, 0, MPI)                                                                \
    X(ONE_TO_ALL, MPI_ONE_TO_ALL, 1, COLLECTIVE)                                                   \
    X(ALL_TO_ONE, MPI_ALL_TO_ONE, 1, COLLECTIVE)                                                   \
    X(ALL_TO_ALL, MPI_ALL_TO_ALL, 1, COLLECTIVE)                                                   \
    X(BARRIER, MPI_BARRIER, 0, COLLECTIVE)                                                         \
    X(SCAN, MPI_SCAN, 1, COLLECTIVE)                                                               \
    X(NEIGHBOR, MPI_NEIGHBOR, 1, COLLECTIVE)                                                       \
    X(IONE_TO_ALL, MPI_IONE_TO_ALL, 1, COLLECTIVE)                                                 \
    X(IALL_TO_ONE, MPI_IALL_TO_ONE, 1, COLLECTIVE)                                                 \
    X(IALL_TO_ALL, MPI_IALL_TO_ALL, 1, COLLECTIVE)                                                 \
    X(IBARRIER, MPI_IBARRIER, 0, COLLECTIVE)                                                       \
    X(ISCAN, MPI_ISCAN, 1, COLLECTIVE)                                                             \
    X(INEIGHBOR, MPI_INEIGHBOR, 1, COLLECTIVE)                                                     \
    X(PUT, MPI_PUT, 1, ONESIDED)                                                                   \
    X(GET, MPI_GET, 1, ONESIDED)                                                                   \
    X(ACCUMULATE, MPI_ACCUMULATE, 1, ONESIDED)                                                     \
    X(RMA_SYNC, MPI_RMA_SYNC, 0, ONESIDED)                                                         \
    X(WINDOW, MPI_WINDOW, 0, ONESIDED)                                                             \
    X(IO_OPEN, MPIIO_OPEN, 0, MPIIO)                                                               \
    X(IO_CLOSE, MPIIO_CLOSE, 0, MPIIO)                                                             \
    X(IO_SYNC, MPIIO_SYNC, 0, MPIIO)                                                               \
    X(IO_META, MPIIO_META, 0, MPIIO)                                                               \
    X(IO_READ, MPIIO_READ, 1, MPIIO)                                                               \
    X(IO_READ_ALL, MPIIO_READ_ALL, 1, MPIIO)                                                       \
    X(IO_READ_SHARED, MPIIO_READ_SHARED, 1, MPIIO)                                                 \
    X(IO_READ_SPLIT, MPIIO_READ_SPLIT, 1, MPIIO)                                                   \
    X(IO_WRITE, MPIIO_WRITE, 1, MPIIO)                                                             \
    X(IO_WRITE_ALL, MPIIO_WRITE_ALL, 1, MPIIO)                                                     \
    X(IO_WRITE_SHARED, MPIIO_WRITE_SHARED, 1, MPIIO)                                               \
    X(IO_WRITE_SPLIT, MPIIO_WRITE_SPLIT, 1, MPIIO)                                                 \
    X(COMM, MPI_COMM, 0, MPI)                                                                      \
    X(SPAWN, MPI_SPAWN, 0, MPI)                                                                    \
    X(INIT, MPI_INIT, 0, MPI)                                                                      \
    X(FINALIZE, MPI_FINALIZE, 0, MPI)                                                              \
    X(ABORT, MPI_ABORT, 0, MPI)                                                                    \
    /* no MPI: collective libraries (src/ccl) */                                                   \
    X(CCL_ALL_TO_ALL, CCL_ALL_TO_ALL, 1, COLLECTIVE)                                               \
    X(CCL_ONE_TO_ALL, CCL_ONE_TO_ALL, 1, COLLECTIVE)                                               \
    X(CCL_ALL_TO_ONE, CCL_ALL_TO_ONE, 1, COLLECTIVE)                                               \
    X(CCL_BARRIER, CCL_BARRIER, 0, COLLECTIVE)                                                     \
    X(CCL_SEND, CCL_SEND, 1, P2P)                                                                  \
    X(CCL_RECV, CCL_RECV, 1, P2P)

#define JST_MPI_CLASS_ENUM(name, metric, bytes, state) JST_MPI_##name,
enum jst_mpi_class { JST_MPI_CLASSES(JST_MPI_CLASS_ENUM) JST_MPI_CLASS_COUNT };
#undef JST_MPI_CLASS_ENUM

/* Flags of jst_mpi_call. */
#define JST_MPI_GLOBAL 1u  /* ends a global collective (all-to-all-shaped, world size) */
#define JST_MPI_VARYING 2u /* its bytes may differ between ranks (v and w forms) */
#define JST_MPI_SILENT 4u /* time only: the operation was counted elsewhere (_end of a split I/O) */

#define JST_MPI_POLL 8u /* set before enter: it never waits, and programs call it in a loop */

#define JST_MPI_NO_PEER 0xffffffffu

struct jst_block;

/* One call, on the wrapper's stack. The adapter fills func, class, site and frame, calls enter;
 * after the real call it fills flags, bytes and peer, and calls leave. */
typedef struct jst_mpi_call {
    struct jst_block *block; /* enter: the thread's counters */
    uint64_t begin;          /* enter: ticks */
    uintptr_t site;          /* return address into the program */
    uintptr_t frame;         /* address of the wrapper's stack frame */
    const char *func;        /* static string, "MPI_Send"; Fortran forms use the C name */
    uint64_t bytes;          /* from the arguments: what is sent, and space to receive */
    uint32_t peer; /* world rank of a point-to-point partner, of a window's target, of the root of a
                        collective, or JST_MPI_NO_PEER */
    uint32_t source;  /* MPI_Sendrecv only: from which rank it receives, */
    uint64_t room;    /* and the part of bytes that is space to receive */
    uint64_t arrived; /* receives: bytes that arrived, by the status; Get_accumulate and similar
                               calls: bytes that were fetched */
    const char *collective; /* "MPI_Allreduce", for all its forms; NULL: none, or its members are
                               not known */
    uint32_t communicator;  /* of the collective: as in jst_peer_communicator */
    uint8_t klass;          /* enum jst_mpi_class */
    uint8_t flags;
    bool failed;
    bool sized; /* a receive: `arrived` is known */
    bool
        later; /* a non-blocking receive: known when its end is waited for (jst_mpi_host.arrived) */
    /* A global collective that this call completes though it is not one itself (wait, test): */
    const char *ended_func; /* NULL: none */
    uint64_t ended_bytes;
} jst_mpi_call;

/* The outermost wrapped MPI call that a thread is in; calls inside it are not calls of the
 * program. */
typedef struct jst_mpi_outer {
    uintptr_t frame; /* as in jst_mpi_call, 0: none */
    uintptr_t site;
} jst_mpi_outer;

/** Is a wrapper with this frame certainly inside the outermost call? Fortran's bindings call C's
 *  for every call of the program, so this is checked before anything else. An error handler may
 *  have left the outermost call by longjmp: then something else is where its return address was, as
 *  far as that is on the same stack. */
static inline bool jst_mpi_is_inner(const jst_mpi_outer *outer, uintptr_t frame)
{
#if defined(__x86_64__)
    enum { NEAR = 16384 };
    return outer->frame - frame - 1 < NEAR - 1 &&
           *((const uintptr_t *)outer->frame - 1) == outer->site;
#else /* it is not known where a return address is */
    return outer->frame > frame;
#endif
}

/* The functions of libjostle.so. All may be called by any thread at any time. */
typedef struct jst_mpi_host {
    uint32_t interface, size; /* JST_MPI_INTERFACE, sizeof(jst_mpi_host) */
    /** False: nested in another wrapped MPI call, or nothing is to be counted: just call through. */
    bool (*enter)(jst_mpi_call *call);
    void (*leave)(const jst_mpi_call *call);
    /** The thread leaves the call that it is in without a return (jst_frame.h). */
    void (*left)(void);
    /** Counts an operation in addition to the current call (a started persistent request,
     *  Isendrecv's other half): ops and bytes, no time. peer as in jst_mpi_call. Not the bytes of
     *  receives. */
    void (*count)(const jst_mpi_call *call, unsigned klass, uint64_t bytes, uint32_t peer);
    /** A non-blocking receive ended in the current call. is_room: how much arrived is not known,
     *  bytes is the size of its buffer. */
    void (*arrived)(const jst_mpi_call *call, uint32_t peer, uint64_t bytes, bool is_room);
    /** As jst_peer_sent, _received, _collective and _communicator, for what is in no call
     * record. */
    void (*sent)(uint32_t rank, uint64_t bytes);
    void (*received)(uint32_t rank, uint64_t bytes, bool is_room);
    void (*collective)(uint32_t communicator, const char *operation, uint32_t root, uint64_t bytes);
    void (*communicator)(uint32_t communicator, const uint32_t *ranks, uint32_t size);
    /** The next function of this name after libjostle.so in the process, NULL if there is none. For
     *  the adapter's own needs too ("PMPI_Type_size", "MPI_Type_f2c"). */
    void *(*real)(const char *name);
    /** Before and after the real MPI_Init and MPI_Finalize (of the outermost frame). */
    void (*initialising)(void);
    void (*initialised)(uint32_t size, uint32_t rank, uint32_t thread_level, uint32_t appnum,
                        bool spawned);
    void (*finalising)(void);
    void (*finalised)(void);
    bool peers;     /* the adapter should translate ranks, and report collectives */
    intptr_t outer; /* offset of a thread's jst_mpi_outer from its thread pointer */
} jst_mpi_host;

/* The functions of an adapter. */
typedef struct jst_mpi_adapter {
    uint32_t interface, size;
    const char *name; /* "openmpi", "mpich", "abi" */
    /** Does this adapter fit the MPI whose MPI_Get_library_version returns this? */
    bool (*fits)(const char *library_version);
    /** The wrapper to put in place of a wrapped name (as in the generated list of names), given the
     *  function that it is to call; NULL: call the real one directly. */
    void *(*wrapper)(unsigned index, void *real);
} jst_mpi_adapter;

typedef const jst_mpi_adapter *jst_mpi_adapter_get_type(const jst_mpi_host *host);

#endif
