/* A libcuda.so.1 of ours for signals: memory of the GPU is the host's, copies are made at once, the product of a
 * multiplication is right where each row of the first matrix has one value, and the second has ones. At the end it
 * writes what it was asked for to FAKE_GPU_LOG. FAKE_GPU_FAILS names a function that fails, FAKE_GPU_WRONG: products
 * are wrong; FAKE_GPU_IDLE: from the second on, a launch does nothing. FAKE_GPUS: how many (1). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned long long to_gpu, from_gpu, within, launches, allocated, pinned;
static int chosen = -1;

static int fails(const char *name)
{
    const char *wanted = getenv("FAKE_GPU_FAILS");
    return wanted && !strcmp(wanted, name) ? 2 : 0;
}

__attribute__((destructor)) static void report(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.%d",
             getenv("FAKE_GPU_LOG") ? getenv("FAKE_GPU_LOG") : "/dev/null", (int)getpid());
    FILE *f = getenv("FAKE_GPU_LOG") ? fopen(path, "w") : NULL;
    if (f) {
        fprintf(f, "%d %llu %llu %llu %llu %llu %llu\n", chosen, to_gpu, from_gpu, within, launches,
                allocated, pinned);
        fclose(f);
    }
}

int cuInit(unsigned flags)
{
    return (void)flags, fails("cuInit");
}
int cuDeviceGetCount(int *n)
{
    return *n = getenv("FAKE_GPUS") ? atoi(getenv("FAKE_GPUS")) : 1, 0;
}
int cuDeviceGet(int *device, int n)
{
    return *device = 100 + n, 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device)
{
    return *context = (void *)(intptr_t)device, fails("cuDevicePrimaryCtxRetain");
}
int cuCtxSetCurrent(void *context)
{
    return chosen = (int)(intptr_t)context - 100, 0;
}
int cuMemAlloc_v2(uint64_t *memory, size_t n)
{
    allocated += n;
    return *memory = (uint64_t)(uintptr_t)malloc(n), fails("cuMemAlloc_v2");
}
int cuMemAllocHost_v2(void **memory, size_t n)
{
    pinned += n;
    return *memory = malloc(n), fails("cuMemAllocHost_v2");
}
int cuMemsetD32_v2(uint64_t to, uint32_t value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((uint32_t *)(uintptr_t)to)[i] = value;
    return 0;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t n, void *stream)
{
    to_gpu += n;
    return (void)stream, memcpy((void *)(uintptr_t)to, from, n), fails("cuMemcpyHtoDAsync_v2");
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t n, void *stream)
{
    from_gpu += n;
    return (void)stream, memcpy(to, (void *)(uintptr_t)from, n), 0;
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t n, void *stream)
{
    within += n;
    return (void)stream, memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, n), 0;
}
int cuStreamCreate(void **stream, unsigned flags)
{
    return *stream = &launches, (void)flags, 0;
}
int cuStreamSynchronize(void *stream)
{
    return (void)stream, fails("cuStreamSynchronize");
}
int cuModuleLoadData(void **module, const void *text)
{
    return *module = (void *)text, strstr(text, ".entry") ? fails("cuModuleLoadData") : 218;
}
int cuModuleGetFunction(void **function, void *module, const char *name)
{
    char entry[64];
    snprintf(entry, sizeof entry, ".entry %s(", name);
    return *function = (void *)(intptr_t)(name[0] == 'm'), strstr(module, entry) ? 0 : 500;
}
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **arguments, void **extra)
{
    (void)gy, (void)gz, (void)by, (void)bz, (void)shared, (void)stream, (void)extra;
    launches++;
    if (!function || (launches > 1 && getenv("FAKE_GPU_IDLE")))
        return 0;
    int n = *(int *)arguments[3];
    const float *a = (const float *)(uintptr_t) * (uint64_t *)arguments[0];
    float *c = (float *)(uintptr_t) * (uint64_t *)arguments[2];
    if ((unsigned)n != gx * bx)
        return 1;
    for (long i = 0; i < (long)n * n; i++)
        c[i] = getenv("FAKE_GPU_WRONG") ? 0 : a[i] * (float)n;
    return 0;
}
int cuGetErrorString(int error, const char **text)
{
    return *text = error == 2 ? "out of memory" : "another", 0;
}

/* NCCL: ranks of one signal are processes of one machine; an all-reduce waits for nobody here. */
struct id {
    char bytes[128];
};
static int in_world, my_rank;
int ncclGetUniqueId(struct id *id)
{
    return memset(id, 7, sizeof *id), fails("ncclGetUniqueId");
}
int ncclCommInitRank(void **comm, int ranks, struct id id, int rank)
{
    in_world = ranks;
    my_rank = rank;
    *comm = &in_world;
    return id.bytes[127] == 7 && my_rank < ranks ? fails("ncclCommInitRank") : 4;
}
int ncclAllReduce(const void *from, void *to, size_t n, int type, int op, void *comm, void *stream)
{
    (void)from, (void)to, (void)type, (void)op, (void)stream;
    within += n * 4 * (unsigned long long)(comm == &in_world);
    return fails("ncclAllReduce");
}
int ncclCommDestroy(void *comm)
{
    return comm == &in_world ? 0 : 4;
}
const char *ncclGetErrorString(int error)
{
    return error == 2 ? "unhandled system error" : "?";
}
