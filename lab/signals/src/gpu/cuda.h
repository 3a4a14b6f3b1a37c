/* cuda.h: the part of CUDA's driver that signals need, declared here and found at run time
 * (cuda.c). */
#ifndef JST_SIGNAL_CUDA_H
#define JST_SIGNAL_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t jst_cuda_memory; /* an address on the GPU */

/* All of them return 0 on success. */
struct jst_cuda {
    int (*init)(unsigned flags);
    int (*device_count)(int *count);
    int (*device_get)(int *device, int number);
    int (*context_retain)(void **context, int device);
    int (*context_set)(void *context);
    int (*allocate)(jst_cuda_memory *memory, size_t bytes);
    int (*allocate_pinned)(void **memory, size_t bytes);
    int (*fill)(jst_cuda_memory memory, uint32_t value, size_t words);
    int (*to_device)(jst_cuda_memory to, const void *from, size_t bytes, void *stream);
    int (*to_host)(void *to, jst_cuda_memory from, size_t bytes, void *stream);
    int (*on_device)(jst_cuda_memory to, jst_cuda_memory from, size_t bytes, void *stream);
    int (*stream_create)(void **stream, unsigned flags);
    int (*stream_wait)(void *stream);
    int (*module_load)(void **module, const void *text);
    int (*module_function)(void **function, void *module, const char *name);
    int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                  void *stream, void **arguments, void **extra);
    int (*error_text)(int error, const char **text);
};

/* The driver, with the GPU of this number chosen for this process; NULL after writing what, why and
 * remedy. */
const struct jst_cuda *jst_cuda_open(unsigned device, char *why, size_t size);

/* What an error of the driver means; static. */
const char *jst_cuda_error(const struct jst_cuda *cuda, int error);

#endif
