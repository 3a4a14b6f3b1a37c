/* mpi_threads.c: an adapter under many threads, with a make-believe MPI beneath it, so that a thread
 * sanitizer sees the adapter's own accesses only. Compiled together with the adapter's sources.
 * Prints what was counted: every operation of every thread, once.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jst_mpi.h"

#define THREADS 4
#define ROUNDS 3000

#define JST_MPI_NAME(symbol) #symbol,
#define JST_MPI_FORTRAN(symbol, place) #symbol,
static const char *const names[] = {
#include "jst_mpi_names.def"
};

const jst_mpi_adapter *jst_mpi_adapter_get(const jst_mpi_host *host);

static const jst_mpi_adapter *adapter;
static unsigned long calls, counted, ended;
static unsigned long next_handle = 1;

/* ---- the host ------------------------------------------------------------------------------ */

static void add(unsigned long *counter, unsigned long amount)
{
    __atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
}

static bool enter(jst_mpi_call *call)
{
    call->block = NULL;
    return true;
}

static void leave(const jst_mpi_call *call)
{
    add(&calls, 1);
    add(&ended, call->ended_func != NULL);
}

static void count(const jst_mpi_call *call, unsigned klass, uint64_t bytes, uint32_t peer)
{
    (void)call;
    (void)peer;
    add(&counted, klass == JST_MPI_ISEND && bytes == 32);
}

static void nothing(void) {}

static void initialised(uint32_t size, uint32_t rank, uint32_t level, uint32_t app, bool spawned)
{
    (void)size, (void)rank, (void)level, (void)app, (void)spawned;
}

/* ---- the MPI ------------------------------------------------------------------------------- */

static int ok(void)
{
    return MPI_SUCCESS;
}

static int give_size(void *type, MPI_Count *size)
{
    (void)type;
    *size = 8;
    return MPI_SUCCESS;
}

static int give_four(void *comm, int *size)
{
    (void)comm;
    *size = 4;
    return MPI_SUCCESS;
}

static int give_true(int *answer)
{
    *answer = 1;
    return MPI_SUCCESS;
}

static int give_zero(void *comm, int *answer)
{
    (void)comm;
    *answer = 0;
    return MPI_SUCCESS;
}

static MPI_Request new_request(void)
{
    return (MPI_Request)(uintptr_t)(__atomic_fetch_add(&next_handle, 1, __ATOMIC_RELAXED) << 4);
}

static int iallreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm, MPI_Request *request)
{
    (void)from, (void)to, (void)n, (void)type, (void)op, (void)comm;
    *request = new_request();
    return MPI_SUCCESS;
}

static int send_init(const void *from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                     MPI_Request *request)
{
    (void)from, (void)n, (void)type, (void)to, (void)tag, (void)comm;
    *request = new_request();
    return MPI_SUCCESS;
}

static int wait_for(MPI_Request *request, MPI_Status *status)
{
    (void)status;
    *request = (MPI_Request)0;
    return MPI_SUCCESS;
}

static MPI_Fint fortran_handle(void *handle)
{
    return (MPI_Fint)(uintptr_t)handle;
}

static void *real(const char *name)
{
    static char objects[4][64];
    static const struct {
        const char *name;
        void *function;
    } known[] = {{"PMPI_Initialized", (void *)give_true},
                 {"PMPI_Type_size_x", (void *)give_size},
                 {"PMPI_Comm_size", (void *)give_four},
                 {"PMPI_Comm_test_inter", (void *)give_zero},
                 {"MPI_Iallreduce", (void *)iallreduce},
                 {"MPI_Send_init", (void *)send_init},
                 {"MPI_Wait", (void *)wait_for},
                 {"PMPI_Type_c2f", (void *)fortran_handle},
                 {"PMPI_Comm_c2f", (void *)fortran_handle},
                 {"ompi_mpi_comm_world", objects[0]},
                 {"ompi_mpi_datatype_null", objects[1]}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i].name, name) == 0) {
            return known[i].function;
        }
    }
    return (void *)ok;
}

static void *wrapper(const char *name)
{
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i], name) == 0) {
            return adapter->wrapper(i, real(name));
        }
    }
    abort();
}

/* ---- the program --------------------------------------------------------------------------- */

static int (*w_send)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
static int (*w_iallreduce)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm,
                           MPI_Request *);
static int (*w_send_init)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
static int (*w_start)(MPI_Request *);
static int (*w_wait)(MPI_Request *, MPI_Status *);
static int (*w_request_free)(MPI_Request *);
static int (*w_type_free)(MPI_Datatype *);
static int (*w_comm_free)(MPI_Comm *);

static void *work(void *argument)
{
    const uintptr_t self = (uintptr_t)argument;
    for (uintptr_t i = 0; i < ROUNDS; i++) {
        MPI_Datatype type = (MPI_Datatype)(0x10000 + 16 * (i % 300));
        MPI_Comm comm = (MPI_Comm)(0x20000 + 16 * (i % 70));
        MPI_Request request, persistent, kept = 0;
        w_send(NULL, 3, type, (int)(i % 4), 0, comm);
        w_iallreduce(NULL, NULL, 1, type, (MPI_Op)0, comm, &request);
        w_send_init(NULL, 4, type, 1, 0, comm, &persistent);
        w_start(&persistent);
        kept = persistent;
        w_wait(&request, NULL);
        w_wait(&persistent, NULL);
        w_start(&kept);
        if (i % 3) { /* a third stays: the table has to grow */
            w_request_free(&kept);
        }
        if (i % 17 == self) {
            w_type_free(&type);
            w_comm_free(&comm);
        }
    }
    return NULL;
}

int main(void)
{
    const jst_mpi_host host = {.interface = JST_MPI_INTERFACE,
                               .size = sizeof(host),
                               .enter = enter,
                               .leave = leave,
                               .count = count,
                               .real = real,
                               .initialising = nothing,
                               .initialised = initialised,
                               .finalising = nothing,
                               .finalised = nothing,
                               .peers = true};
    pthread_t threads[THREADS];
    adapter = jst_mpi_adapter_get(&host);
    w_send = wrapper("MPI_Send");
    w_iallreduce = wrapper("MPI_Iallreduce");
    w_send_init = wrapper("MPI_Send_init");
    w_start = wrapper("MPI_Start");
    w_wait = wrapper("MPI_Wait");
    w_request_free = wrapper("MPI_Request_free");
    w_type_free = wrapper("MPI_Type_free");
    w_comm_free = wrapper("MPI_Comm_free");
    for (uintptr_t i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, work, (void *)i);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    printf("started %lu of %d, ended %lu of %d\n", counted, 2 * THREADS * ROUNDS, ended,
           THREADS * ROUNDS);
    return counted != 2ul * THREADS * ROUNDS || ended != 1ul * THREADS * ROUNDS;
}
