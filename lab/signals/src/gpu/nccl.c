/* nccl.c: an all-reduce of a chunk among the processes of the signal, by NCCL: load on what connects GPUs.
 *
 * Each process has a GPU of its own, from --device on, as far as there are as many. NCCL refuses two ranks on
 * one GPU of one host; where they must share, each claims another host, and they communicate by
 * sockets: that is for trials, and loads no link between GPUs. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "../signal.h"
#include "cuda.h"

enum { FLOAT32 = 7, SUM = 0 };

struct unique_id {
    char bytes[128];
};

static struct {
    int (*unique_id)(struct unique_id *id);
    int (*init)(void **comm, int ranks, struct unique_id id, int rank);
    int (*all_reduce)(const void *from, void *to, size_t count, int type, int operation, void *comm,
                      void *stream);
    int (*destroy)(void *comm);
    const char *(*error_text)(int error);
} nccl;

static struct {
    const struct jst_cuda *cuda;
    void *comm, *stream;
    jst_cuda_memory memory;
} all;

static bool find_nccl(struct jst_run *run)
{
    const struct {
        const char *name;
        void **to;
    } functions[] = {
        {"ncclGetUniqueId", (void **)&nccl.unique_id},
        {"ncclCommInitRank", (void **)&nccl.init},
        {"ncclAllReduce", (void **)&nccl.all_reduce},
        {"ncclCommDestroy", (void **)&nccl.destroy},
        {"ncclGetErrorString", (void **)&nccl.error_text},
    };
    void *object = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!object)
        return jst_fail(run,
                        "NCCL is not found (%s); install it, or set LD_LIBRARY_PATH to where "
                        "libnccl.so.2 is (PyTorch brings one along)",
                        dlerror());
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!(*functions[i].to = dlsym(object, functions[i].name)))
            return jst_fail(run, "libnccl.so.2 has no function %s; NCCL 2.4 or newer has it",
                            functions[i].name);
    return true;
}

static bool failed(struct jst_run *run, const char *what, int error)
{
    return jst_fail(run, "%s failed (%s); NCCL_DEBUG=WARN says more", what, nccl.error_text(error));
}

static bool driver_failed(struct jst_run *run, const char *what, int error)
{
    return jst_fail(run, "%s failed on a GPU (%s); a smaller --chunk needs less memory", what,
                    jst_cuda_error(all.cuda, error));
}

/* Set before NCCL reads them: settings of the user stay. */
static void share_a_gpu(unsigned rank)
{
    char host[16];
    snprintf(host, sizeof host, "%u", rank);
    setenv("NCCL_HOSTID", host, 0);
    setenv("NCCL_SOCKET_IFNAME", "lo", 0);
    setenv("NCCL_P2P_DISABLE", "1", 0);
    setenv("NCCL_SHM_DISABLE", "1", 0);
    setenv("NCCL_IB_DISABLE", "1", 0);
}

static bool choose_gpu(struct jst_run *run)
{
    char why[512];
    int count = 0;
    unsigned rank = run->team.world_rank, ranks = run->team.world;

    all.cuda = jst_cuda_open(run->options.device, why, sizeof why);
    if (!all.cuda)
        return jst_fail(run, "%s", why);
    all.cuda->device_count(&count);
    if (run->options.device + ranks > (unsigned)count && !jst_team_mpi) {
        share_a_gpu(rank);
        return true;
    }
    unsigned own = run->options.device + rank % ((unsigned)count - run->options.device);
    if (!jst_cuda_open(own, why, sizeof why))
        return jst_fail(run, "%s", why);
    return true;
}

static bool prepare(struct jst_run *run)
{
    struct unique_id id = {{0}};
    int error = 0;
    bool good = find_nccl(run) && choose_gpu(run);

    if (good && (error = all.cuda->stream_create(&all.stream, 1)) != 0)
        good = driver_failed(run, "making a stream", error);
    if (good && (error = all.cuda->allocate(&all.memory, run->options.chunk)) != 0)
        good = driver_failed(run, "taking memory", error);
    if (good && run->team.world_rank == 0 && (error = nccl.unique_id(&id)) != 0)
        good = failed(run, "ncclGetUniqueId", error);
    /* A process that cannot take part must report it before the others wait for it. */
    int64_t bad = !good;
    if (!jst_team_max(&run->team, &bad, 1) || !jst_team_bcast(&run->team, &id, sizeof id))
        return false;
    if (bad)
        return false; /* the process that failed reports why */
    error = nccl.init(&all.comm, (int)run->team.world, id, (int)run->team.world_rank);
    if (error)
        return failed(run, "ncclCommInitRank", error);
    run->state = &all;
    return true;
}

static bool step(struct jst_run *run)
{
    /* The address on the GPU, as NCCL takes it. */
    void *memory = (void *)(uintptr_t)all.memory; // NOLINT(performance-no-int-to-ptr)
    int error = nccl.all_reduce(memory, memory, run->options.chunk / sizeof(float), FLOAT32, SUM,
                                all.comm, all.stream);
    if (error)
        return failed(run, "ncclAllReduce", error);
    if ((error = all.cuda->stream_wait(all.stream)) != 0)
        return driver_failed(run, "waiting", error);
    run->moved += run->options.chunk;
    return true;
}

static bool finish(struct jst_run *run, bool flush)
{
    (void)flush;
    if (all.comm && !run->error[0])
        nccl.destroy(all.comm);
    all.comm = NULL;
    return true;
}

static bool together(const struct jst_options *options)
{
    (void)options;
    return true;
}

static bool fits(const struct jst_options *options, char *why, size_t size)
{
    if (options->chunk >= sizeof(float) && options->chunk % sizeof(float) == 0)
        return true;
    snprintf(why, size, "nccl reduces numbers of 4 bytes: give a --chunk that is a multiple of 4");
    return false;
}

static uint64_t amount(const struct jst_run *run)
{
    return run->options.chunk;
}

static uint64_t default_chunk(void)
{
    return 16 * JST_MIB;
}

const struct jst_pattern jst_nccl = {
    .name = "nccl",
    .operation = "an all-reduce of a chunk among all processes, each with a GPU",
    .resource = JST_GPU,
    .flush = JST_FLUSH_NONE,
    .default_chunk = default_chunk,
    .amount = amount,
    .collective = together,
    .fits = fits,
    .prepare = prepare,
    .step = step,
    .finish = finish,
};
