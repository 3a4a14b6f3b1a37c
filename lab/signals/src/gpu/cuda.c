/* cuda.c: finds CUDA's driver. No toolkit is needed, to build this or to run it. */
#include "cuda.h"

#include <dlfcn.h>
#include <stdio.h>

static struct jst_cuda cuda;

static const struct {
    const char *name;
    void **to;
} functions[] = {
    {"cuInit", (void **)&cuda.init},
    {"cuDeviceGetCount", (void **)&cuda.device_count},
    {"cuDeviceGet", (void **)&cuda.device_get},
    {"cuDevicePrimaryCtxRetain", (void **)&cuda.context_retain},
    {"cuCtxSetCurrent", (void **)&cuda.context_set},
    {"cuMemAlloc_v2", (void **)&cuda.allocate},
    {"cuMemAllocHost_v2", (void **)&cuda.allocate_pinned},
    {"cuMemsetD32_v2", (void **)&cuda.fill},
    {"cuMemcpyHtoDAsync_v2", (void **)&cuda.to_device},
    {"cuMemcpyDtoHAsync_v2", (void **)&cuda.to_host},
    {"cuMemcpyDtoDAsync_v2", (void **)&cuda.on_device},
    {"cuStreamCreate", (void **)&cuda.stream_create},
    {"cuStreamSynchronize", (void **)&cuda.stream_wait},
    {"cuModuleLoadData", (void **)&cuda.module_load},
    {"cuModuleGetFunction", (void **)&cuda.module_function},
    {"cuLaunchKernel", (void **)&cuda.launch},
    {"cuGetErrorString", (void **)&cuda.error_text},
};

const char *jst_cuda_error(const struct jst_cuda *driver, int error)
{
    const char *text = NULL;
    return driver->error_text(error, &text) == 0 && text ? text : "an unnamed error";
}

static bool find(char *why, size_t size)
{
    void *object = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        snprintf(why, size,
                 "there is no driver for NVIDIA GPUs here (%s); start it on a node with one",
                 dlerror());
        return false;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!(*functions[i].to = dlsym(object, functions[i].name))) {
            snprintf(why, size,
                     "the driver of the GPU has no function %s: it is too old; one of CUDA 11 or "
                     "newer has it",
                     functions[i].name);
            return false;
        }
    return true;
}

const struct jst_cuda *jst_cuda_open(unsigned number, char *why, size_t size)
{
    int error, count = 0, device = 0;
    void *context;

    if (!find(why, size))
        return NULL;
    if ((error = cuda.init(0)) != 0 || (error = cuda.device_count(&count)) != 0) {
        snprintf(why, size, "the GPU's driver does not start (%s); `nvidia-smi` says more",
                 jst_cuda_error(&cuda, error));
        return NULL;
    }
    if (number >= (unsigned)count) {
        snprintf(why, size,
                 "there is no GPU number %u: this process sees %d, counted from 0; give another "
                 "--device, or look at CUDA_VISIBLE_DEVICES",
                 number, count);
        return NULL;
    }
    if ((error = cuda.device_get(&device, (int)number)) != 0 ||
        (error = cuda.context_retain(&context, device)) != 0 ||
        (error = cuda.context_set(context)) != 0) {
        snprintf(why, size, "GPU %u cannot be used (%s); another --device may be free", number,
                 jst_cuda_error(&cuda, error));
        return NULL;
    }
    return &cuda;
}
