/* gpu.c: load on a GPU, and on the bus to it.
 *
 * pcie: a chunk is copied to the GPU, back, or both at once, and the operation ends when it has
 * arrived. gpu-compute: arithmetic in registers on all of the GPU. gpu-memory: a chunk is copied
 * within its memory. gpu-multiply: two matrices are copied to the GPU and multiplied, and the
 * product is copied back: the program of Shah, 2020, figure 2.10. Its chunk is a matrix. */
#include <stdio.h>
#include <string.h>

#include "../signal.h"
#include "cuda.h"
#include "gpu_kernels.h"

enum {
    TILE = 16, /* of gpu_kernels.cl */
    BLOCKS = 1024,
    THREADS = 256,
    ROUNDS = 20000, /* about 1 ms on GPUs of these years */
};

struct gpu {
    const struct jst_cuda *cuda;
    void *streams[2], *function;
    jst_cuda_memory memory[3];
    void *host[3];
    int side;     /* of a matrix */
    float factor; /* of the last product */
};

static struct gpu gpu;

static bool failed(struct jst_run *run, const char *what, int error)
{
    return jst_fail(run, "%s failed on GPU %u (%s); a smaller --chunk needs less memory", what,
                    run->options.device, jst_cuda_error(gpu.cuda, error));
}

static bool open_gpu(struct jst_run *run)
{
    char why[512];
    int error;

    gpu.cuda = jst_cuda_open(run->options.device, why, sizeof why);
    if (!gpu.cuda)
        return jst_fail(run, "%s", why);
    for (int i = 0; i < 2; i++)
        if ((error = gpu.cuda->stream_create(&gpu.streams[i], 1)) != 0)
            return failed(run, "making a stream", error);
    run->state = &gpu;
    return true;
}

static bool allocate(struct jst_run *run, int i, size_t bytes)
{
    int error = gpu.cuda->allocate(&gpu.memory[i], bytes);
    if (!error)
        error = gpu.cuda->fill(gpu.memory[i], 0x3f800000, bytes / 4); /* 1.0f */
    return error ? failed(run, "taking memory", error) : true;
}

static bool allocate_host(struct jst_run *run, int i, size_t bytes)
{
    int error;

    if (run->options.pageable)
        return jst_allocate(run, bytes, "the host's side of copies", &gpu.host[i]);
    if ((error = gpu.cuda->allocate_pinned(&gpu.host[i], bytes)) != 0)
        return failed(run, "allocating pinned memory", error);
    memset(gpu.host[i], 0, bytes);
    return true;
}

static bool load_function(struct jst_run *run, const char *name)
{
    void *module;
    int error = gpu.cuda->module_load(&module, gpu_kernels);
    if (!error)
        error = gpu.cuda->module_function(&gpu.function, module, name);
    return error ? failed(run, "compiling a kernel", error) : true;
}

static bool wait(struct jst_run *run, int streams)
{
    for (int i = 0; i < streams; i++) {
        int error = gpu.cuda->stream_wait(gpu.streams[i]);
        if (error)
            return failed(run, "waiting", error);
    }
    return true;
}

/* ---- pcie ---- */

static uint64_t pcie_chunk(void)
{
    return 16 * JST_MIB;
}

static uint64_t pcie_amount(const struct jst_run *run)
{
    return run->options.chunk * (run->options.direction == JST_BOTH ? 2 : 1);
}

static bool pcie_prepare(struct jst_run *run)
{
    if (!open_gpu(run))
        return false;
    for (int i = 0; i < 2; i++)
        if (!allocate(run, i, run->options.chunk) || !allocate_host(run, i, run->options.chunk))
            return false;
    return true;
}

static bool pcie_step(struct jst_run *run)
{
    size_t chunk = run->options.chunk;
    enum jst_direction way = run->options.direction;
    int error = 0;

    if (way != JST_D2H)
        error = gpu.cuda->to_device(gpu.memory[0], gpu.host[0], chunk, gpu.streams[0]);
    if (!error && way != JST_H2D)
        error = gpu.cuda->to_host(gpu.host[1], gpu.memory[1], chunk, gpu.streams[1]);
    if (error)
        return failed(run, "a copy", error);
    run->moved += pcie_amount(run);
    return wait(run, 2);
}

/* ---- the GPU itself ---- */

static bool compute_prepare(struct jst_run *run)
{
    return open_gpu(run) && allocate(run, 0, sizeof(float) * BLOCKS * THREADS) &&
           load_function(run, "compute");
}

static bool compute_step(struct jst_run *run)
{
    int rounds = ROUNDS;
    void *arguments[] = {&gpu.memory[0], &rounds};
    int error = gpu.cuda->launch(gpu.function, BLOCKS, 1, 1, THREADS, 1, 1, 0, gpu.streams[0],
                                 arguments, NULL);
    return error ? failed(run, "a launch", error) : wait(run, 1);
}

static uint64_t memory_chunk(void)
{
    return 256 * JST_MIB;
}

static bool memory_prepare(struct jst_run *run)
{
    return open_gpu(run) && allocate(run, 0, run->options.chunk) &&
           allocate(run, 1, run->options.chunk);
}

static bool memory_step(struct jst_run *run)
{
    int error =
        gpu.cuda->on_device(gpu.memory[1], gpu.memory[0], run->options.chunk, gpu.streams[0]);
    if (error)
        return failed(run, "a copy", error);
    run->moved += run->options.chunk;
    return wait(run, 1);
}

/* ---- the program of fig. 2.10 ---- */

static int side_of(uint64_t chunk)
{
    int side = 0;
    while ((uint64_t)(side + TILE) * (uint64_t)(side + TILE) * sizeof(float) <= chunk)
        side += TILE;
    return side;
}

static uint64_t multiply_chunk(void)
{
    return 64 * JST_MIB; /* 4096 x 4096 */
}

static bool multiply_fits(const struct jst_options *options, char *why, size_t size)
{
    if (options->chunk <= 2048 * JST_MIB && side_of(options->chunk) > 0)
        return true;
    snprintf(why, size, "a matrix takes 1KiB to 2GiB: give such a --chunk");
    return false;
}

static uint64_t multiply_amount(const struct jst_run *run)
{
    uint64_t side = (uint64_t)side_of(run->options.chunk);
    return 3 * side * side * sizeof(float);
}

static bool multiply_prepare(struct jst_run *run)
{
    gpu.side = side_of(run->options.chunk);
    size_t bytes = (size_t)gpu.side * (size_t)gpu.side * sizeof(float);
    if (!open_gpu(run) || !load_function(run, "multiply"))
        return false;
    for (int i = 0; i < 3; i++)
        if (!allocate(run, i, bytes) || !allocate_host(run, i, bytes))
            return false;
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < bytes / sizeof(float); k++)
            ((float *)gpu.host[i])[k] = 1.0f;
    return true;
}

/* Matrices of ones, but for the first and the last row of one: these are twos each second time, and each
 * element of these rows of the product is the side, or twice the side. So the result of an earlier
 * step is no right product: a kernel or a copy that did nothing is detected. */
static float begin_product(void)
{
    size_t side = (size_t)gpu.side, last = side * (side - 1);
    float *matrix = gpu.host[0];

    gpu.factor = gpu.factor == 1.0f ? 2.0f : 1.0f;
    for (size_t k = 0; k < side; k++)
        matrix[k] = matrix[last + k] = gpu.factor;
    return gpu.factor * (float)gpu.side;
}

static bool multiply_step(struct jst_run *run)
{
    size_t bytes = (size_t)gpu.side * (size_t)gpu.side * sizeof(float);
    float right = begin_product();
    unsigned blocks = (unsigned)gpu.side / TILE;
    void *arguments[] = {&gpu.memory[0], &gpu.memory[1], &gpu.memory[2], &gpu.side}, *s;
    const float *product = gpu.host[2];
    int error = 0;

    s = gpu.streams[0];
    for (int i = 0; i < 2 && !error; i++)
        error = gpu.cuda->to_device(gpu.memory[i], gpu.host[i], bytes, s);
    if (!error)
        error =
            gpu.cuda->launch(gpu.function, blocks, blocks, 1, TILE, TILE, 1, 0, s, arguments, NULL);
    if (!error)
        error = gpu.cuda->to_host(gpu.host[2], gpu.memory[2], bytes, s);
    if (error)
        return failed(run, "a multiplication", error);
    if (!wait(run, 1))
        return false;
    float first = product[0], last = product[bytes / sizeof(float) - 1];
    if (first != right || last != right)
        return jst_fail(run,
                        "a product on GPU %u is wrong (%g, and it should be %g): the GPU is "
                        "faulty, or another program writes to its memory",
                        run->options.device, (double)(first != right ? first : last),
                        (double)right);
    run->moved += multiply_amount(run);
    return true;
}

const struct jst_pattern jst_pcie = {
    .name = "pcie",
    .operation = "copy a chunk to the GPU, back, or both at once",
    .resource = JST_GPU,
    .flush = JST_FLUSH_NONE,
    .default_chunk = pcie_chunk,
    .amount = pcie_amount,
    .prepare = pcie_prepare,
    .step = pcie_step,
};

const struct jst_pattern jst_gpu_compute = {
    .name = "gpu-compute",
    .operation = "a kernel on all of the GPU: 160000 operations a thread, in registers",
    .resource = JST_GPU,
    .flush = JST_FLUSH_NONE,
    .prepare = compute_prepare,
    .step = compute_step,
};

const struct jst_pattern jst_gpu_memory = {
    .name = "gpu-memory",
    .operation = "copy a chunk within the GPU's memory",
    .resource = JST_GPU,
    .flush = JST_FLUSH_NONE,
    .moves = 1,
    .default_chunk = memory_chunk,
    .prepare = memory_prepare,
    .step = memory_step,
};

const struct jst_pattern jst_gpu_multiply = {
    .name = "gpu-multiply",
    .operation = "copy two matrices to the GPU, multiply them, copy the product back",
    .resource = JST_GPU,
    .flush = JST_FLUSH_NONE,
    .default_chunk = multiply_chunk,
    .fits = multiply_fits,
    .amount = multiply_amount,
    .prepare = multiply_prepare,
    .step = multiply_step,
};
