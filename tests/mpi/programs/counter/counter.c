/*
 * A small PMPI tool of another making: counts calls and bytes per class, function by function,
 * written by hand from the standard for what the test programs use, from the arguments alone: how
 * much arrives it does not know. This file: point-to-point and
 * one-sided. It is preloaded, or linked in, before or after libjostle.so.
 */
#include "counter.h"
#include <pthread.h>

/* clang-format off */
typedef const void *in_t;
typedef MPI_Datatype T;
typedef MPI_Comm C;
typedef MPI_Request *R;
typedef MPI_Status *S;
/* clang-format on */

__thread int counter_depth;
struct kept counter_kept[256];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void)
{
    account_begin("COUNTER");
}

void counter_keep(MPI_Request request, int klass, long long bytes)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 256; i++) {
        if (counter_kept[i].klass == 0) {
            counter_kept[i] = (struct kept){request, klass + 1, bytes};
            break;
        }
    }
    pthread_mutex_unlock(&lock);
}

void counter_start(MPI_Request request)
{
    for (int i = 0; i < 256; i++) {
        if (counter_kept[i].klass != 0 && counter_kept[i].request == request) {
            account_add(counter_kept[i].klass - 1, 1, counter_kept[i].bytes);
            return;
        }
    }
}

void counter_forget(MPI_Request request)
{
    for (int i = 0; i < 256; i++) {
        if (counter_kept[i].klass != 0 && counter_kept[i].request == request) {
            counter_kept[i].klass = 0;
            return;
        }
    }
}

#define SENDS(name, klass)                                                                         \
    WRAP(name, (in_t b, int n, T t, int to, int tag, C c), (b, n, t, to, tag, c), klass,           \
         sized(n, t))
SENDS(MPI_Send, mpi_send);
SENDS(MPI_Bsend, mpi_send);
SENDS(MPI_Ssend, mpi_send);
SENDS(MPI_Rsend, mpi_send);
WRAP(MPI_Recv, (void *b, int n, T t, int from, int tag, C c, S s), (b, n, t, from, tag, c, s),
     mpi_recv, sized(n, t));
WRAP(MPI_Mrecv, (void *b, int n, T t, MPI_Message *m, S s), (b, n, t, m, s), mpi_recv, sized(n, t));
WRAP(MPI_Sendrecv,
     (in_t b, int n, T t, int to, int g, void *b2, int n2, T t2, int from, int g2, C c, S s),
     (b, n, t, to, g, b2, n2, t2, from, g2, c, s), mpi_sendrecv, sized(n, t));
WRAP(MPI_Sendrecv_replace, (void *b, int n, T t, int to, int g, int from, int g2, C c, S s),
     (b, n, t, to, g, from, g2, c, s), mpi_sendrecv, sized(n, t));

#define ISENDS(name, klass)                                                                        \
    WRAP(name, (in_t b, int n, T t, int to, int tag, C c, R r), (b, n, t, to, tag, c, r), klass,   \
         sized(n, t))
ISENDS(MPI_Isend, mpi_isend);
ISENDS(MPI_Ibsend, mpi_isend);
ISENDS(MPI_Issend, mpi_isend);
ISENDS(MPI_Irsend, mpi_isend);
WRAP(MPI_Irecv, (void *b, int n, T t, int from, int tag, C c, R r), (b, n, t, from, tag, c, r),
     mpi_irecv, sized(n, t));
WRAP(MPI_Imrecv, (void *b, int n, T t, MPI_Message *m, R r), (b, n, t, m, r), mpi_irecv,
     sized(n, t));

#define SEND_INITS(name)                                                                           \
    WRAP_THEN(name, (in_t b, int n, T t, int to, int tag, C c, R r), (b, n, t, to, tag, c, r),     \
              mpi_request, 0, counter_keep(*r, C_mpi_isend, sized(n, t)))
SEND_INITS(MPI_Send_init);
SEND_INITS(MPI_Bsend_init);
SEND_INITS(MPI_Ssend_init);
SEND_INITS(MPI_Rsend_init);
WRAP_THEN(MPI_Recv_init, (void *b, int n, T t, int from, int tag, C c, R r),
          (b, n, t, from, tag, c, r), mpi_request, 0, counter_keep(*r, C_mpi_irecv, sized(n, t)));
WRAP_THEN(MPI_Start, (R r), (r), mpi_request, 0, counter_start(*r));
WRAP_THEN(MPI_Startall, (int n, MPI_Request r[]), (n, r), mpi_request, 0,
          for (int i = 0; i < n; i++) counter_start(r[i]));
WRAP(MPI_Cancel, (R r), (r), mpi_request, 0);

int MPI_Request_free(MPI_Request *r)
{
    MPI_Request before = *r;
    int outer = counter_depth++ == 0, result = ASK(MPI_Request_free)(r);
    if (outer) {
        account_add(C_mpi_request, 1, 0);
        counter_forget(before);
    }
    counter_depth--;
    return result;
}
int PMPI_Request_free(MPI_Request *r) __attribute__((alias("MPI_Request_free")));

WRAP(MPI_Probe, (int from, int tag, C c, S s), (from, tag, c, s), mpi_probe, 0);
WRAP(MPI_Iprobe, (int from, int tag, C c, int *f, S s), (from, tag, c, f, s), mpi_probe, 0);
WRAP(MPI_Mprobe, (int from, int tag, C c, MPI_Message *m, S s), (from, tag, c, m, s), mpi_probe, 0);
WRAP(MPI_Improbe, (int from, int tag, C c, int *f, MPI_Message *m, S s), (from, tag, c, f, m, s),
     mpi_probe, 0);

WRAP(MPI_Wait, (R r, S s), (r, s), mpi_wait, 0);
WRAP(MPI_Waitall, (int n, MPI_Request r[], MPI_Status s[]), (n, r, s), mpi_wait, 0);
WRAP(MPI_Waitany, (int n, MPI_Request r[], int *i, S s), (n, r, i, s), mpi_wait, 0);
WRAP(MPI_Waitsome, (int n, MPI_Request r[], int *k, int i[], MPI_Status s[]), (n, r, k, i, s),
     mpi_wait, 0);
WRAP(MPI_Test, (R r, int *f, S s), (r, f, s), mpi_test, 0);
WRAP(MPI_Testall, (int n, MPI_Request r[], int *f, MPI_Status s[]), (n, r, f, s), mpi_test, 0);
WRAP(MPI_Testany, (int n, MPI_Request r[], int *i, int *f, S s), (n, r, i, f, s), mpi_test, 0);
WRAP(MPI_Testsome, (int n, MPI_Request r[], int *k, int i[], MPI_Status s[]), (n, r, k, i, s),
     mpi_test, 0);
WRAP(MPI_Request_get_status, (MPI_Request r, int *f, S s), (r, f, s), mpi_test, 0);

typedef MPI_Win W;
typedef MPI_Aint A;
#define TARGET int to, A at, int n2, T t2
#define TO to, at, n2, t2
WRAP(MPI_Put, (in_t b, int n, T t, TARGET, W w), (b, n, t, TO, w), mpi_put, sized(n, t));
WRAP(MPI_Rput, (in_t b, int n, T t, TARGET, W w, R r), (b, n, t, TO, w, r), mpi_put, sized(n, t));
WRAP(MPI_Get, (void *b, int n, T t, TARGET, W w), (b, n, t, TO, w), mpi_get, sized(n, t));
WRAP(MPI_Rget, (void *b, int n, T t, TARGET, W w, R r), (b, n, t, TO, w, r), mpi_get, sized(n, t));
WRAP(MPI_Accumulate, (in_t b, int n, T t, TARGET, MPI_Op o, W w), (b, n, t, TO, o, w),
     mpi_accumulate, sized(n, t));
WRAP(MPI_Raccumulate, (in_t b, int n, T t, TARGET, MPI_Op o, W w, R r), (b, n, t, TO, o, w, r),
     mpi_accumulate, sized(n, t));
WRAP(MPI_Get_accumulate, (in_t b, int n, T t, void *b3, int n3, T t3, TARGET, MPI_Op o, W w),
     (b, n, t, b3, n3, t3, TO, o, w), mpi_accumulate, sized(n, t));
WRAP(MPI_Rget_accumulate, (in_t b, int n, T t, void *b3, int n3, T t3, TARGET, MPI_Op o, W w, R r),
     (b, n, t, b3, n3, t3, TO, o, w, r), mpi_accumulate, sized(n, t));
WRAP(MPI_Fetch_and_op, (in_t b, void *b2, T t, int to, A at, MPI_Op o, W w),
     (b, b2, t, to, at, o, w), mpi_accumulate, sized(1, t));
WRAP(MPI_Compare_and_swap, (in_t b, in_t b3, void *b2, T t, int to, A at, W w),
     (b, b3, b2, t, to, at, w), mpi_accumulate, sized(1, t));

WRAP(MPI_Win_fence, (int a, W w), (a, w), mpi_rma_sync, 0);
WRAP(MPI_Win_post, (MPI_Group g, int a, W w), (g, a, w), mpi_rma_sync, 0);
WRAP(MPI_Win_start, (MPI_Group g, int a, W w), (g, a, w), mpi_rma_sync, 0);
WRAP(MPI_Win_complete, (W w), (w), mpi_rma_sync, 0);
WRAP(MPI_Win_wait, (W w), (w), mpi_rma_sync, 0);
WRAP(MPI_Win_test, (W w, int *f), (w, f), mpi_rma_sync, 0);
WRAP(MPI_Win_lock, (int k, int to, int a, W w), (k, to, a, w), mpi_rma_sync, 0);
WRAP(MPI_Win_unlock, (int to, W w), (to, w), mpi_rma_sync, 0);
WRAP(MPI_Win_lock_all, (int a, W w), (a, w), mpi_rma_sync, 0);
WRAP(MPI_Win_unlock_all, (W w), (w), mpi_rma_sync, 0);
WRAP(MPI_Win_flush, (int to, W w), (to, w), mpi_rma_sync, 0);
WRAP(MPI_Win_flush_local, (int to, W w), (to, w), mpi_rma_sync, 0);
WRAP(MPI_Win_flush_all, (W w), (w), mpi_rma_sync, 0);
WRAP(MPI_Win_flush_local_all, (W w), (w), mpi_rma_sync, 0);
WRAP(MPI_Win_sync, (W w), (w), mpi_rma_sync, 0);
WRAP(MPI_Win_create, (void *b, A n, int d, MPI_Info i, C c, W *w), (b, n, d, i, c, w), mpi_window,
     0);
WRAP(MPI_Win_allocate, (A n, int d, MPI_Info i, C c, void *b, W *w), (n, d, i, c, b, w), mpi_window,
     0);
WRAP(MPI_Win_allocate_shared, (A n, int d, MPI_Info i, C c, void *b, W *w), (n, d, i, c, b, w),
     mpi_window, 0);
WRAP(MPI_Win_create_dynamic, (MPI_Info i, C c, W *w), (i, c, w), mpi_window, 0);
WRAP(MPI_Win_attach, (W w, void *b, A n), (w, b, n), mpi_window, 0);
WRAP(MPI_Win_detach, (W w, in_t b), (w, b), mpi_window, 0);
WRAP(MPI_Win_free, (W * w), (w), mpi_window, 0);

WRAP(MPI_Init, (int *n, char ***v), (n, v), mpi_init, 0);
WRAP(MPI_Init_thread, (int *n, char ***v, int level, int *got), (n, v, level, got), mpi_init, 0);
WRAP(MPI_Finalize, (void), (), mpi_finalize, 0);

int MPI_Abort(MPI_Comm c, int code)
{
    account_add(C_mpi_abort, 1, 0); /* it does not come back */
    counter_depth++;
    return ASK(MPI_Abort)(c, code);
}
int PMPI_Abort(MPI_Comm c, int code) __attribute__((alias("MPI_Abort")));

#if MPI_VERSION >= 4
WRAP_THEN(MPI_Isendrecv,
          (in_t b, int n, T t, int to, int g, void *b2, int n2, T t2, int from, int g2, C c, R r),
          (b, n, t, to, g, b2, n2, t2, from, g2, c, r), mpi_isend, sized(n, t),
          (account_add(C_mpi_irecv, 1, 0), account_add(C_mpi_irecv_room, 0, sized(n2, t2))));
WRAP_THEN(MPI_Isendrecv_replace, (void *b, int n, T t, int to, int g, int from, int g2, C c, R r),
          (b, n, t, to, g, from, g2, c, r), mpi_isend, sized(n, t),
          (account_add(C_mpi_irecv, 1, 0), account_add(C_mpi_irecv_room, 0, sized(n, t))));
WRAP(MPI_Session_init, (MPI_Info i, MPI_Errhandler e, MPI_Session *s), (i, e, s), mpi_init, 0);
WRAP(MPI_Session_finalize, (MPI_Session * s), (s), mpi_finalize, 0);
WRAP(MPI_Comm_create_from_group, (MPI_Group g, const char *tag, MPI_Info i, MPI_Errhandler e, C *c),
     (g, tag, i, e, c), mpi_comm, 0);
typedef MPI_Count N;
WRAP(MPI_Send_c, (in_t b, N n, T t, int to, int tag, C c), (b, n, t, to, tag, c), mpi_send,
     sized(n, t));
WRAP(MPI_Recv_c, (void *b, N n, T t, int from, int tag, C c, S s), (b, n, t, from, tag, c, s),
     mpi_recv, sized(n, t));
WRAP(MPI_Isend_c, (in_t b, N n, T t, int to, int tag, C c, R r), (b, n, t, to, tag, c, r),
     mpi_isend, sized(n, t));
WRAP(MPI_Irecv_c, (void *b, N n, T t, int from, int tag, C c, R r), (b, n, t, from, tag, c, r),
     mpi_irecv, sized(n, t));
WRAP(MPI_Sendrecv_c,
     (in_t b, N n, T t, int to, int g, void *b2, N n2, T t2, int from, int g2, C c, S s),
     (b, n, t, to, g, b2, n2, t2, from, g2, c, s), mpi_sendrecv, sized(n, t));
WRAP_THEN(MPI_Send_init_c, (in_t b, N n, T t, int to, int tag, C c, R r), (b, n, t, to, tag, c, r),
          mpi_request, 0, counter_keep(*r, C_mpi_isend, sized(n, t)));
WRAP_THEN(MPI_Recv_init_c, (void *b, N n, T t, int from, int tag, C c, R r),
          (b, n, t, from, tag, c, r), mpi_request, 0, counter_keep(*r, C_mpi_irecv, sized(n, t)));
#define TARGET_C int to, A at, N n2, T t2
WRAP(MPI_Put_c, (in_t b, N n, T t, TARGET_C, W w), (b, n, t, TO, w), mpi_put, sized(n, t));
WRAP(MPI_Get_c, (void *b, N n, T t, TARGET_C, W w), (b, n, t, TO, w), mpi_get, sized(n, t));
WRAP(MPI_Accumulate_c, (in_t b, N n, T t, TARGET_C, MPI_Op o, W w), (b, n, t, TO, o, w),
     mpi_accumulate, sized(n, t));
WRAP(MPI_Win_allocate_c, (A n, A d, MPI_Info i, C c, void *b, W *w), (n, d, i, c, b, w), mpi_window,
     0);
#endif
