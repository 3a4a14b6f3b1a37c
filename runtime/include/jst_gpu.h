/* jst_gpu.h: the interface between libjostle.so, which knows no GPU, and its recorders, which use
 * the vendor's library: libjostle_cuda.so uses CUPTI, libjostle_rocm.so uses rocprofiler-sdk.
 *
 * The CUDA driver loads libjostle_cuda.so (CUDA_INJECTION64_PATH); libjostle.so loads libjostle_rocm.so when
 * a ROCm runtime comes up (JOSTLE_GPU). The recorder finds jst_gpu_join in the process, passes its
 * own functions, and gets those that it may call. Counting, slices and notes are in libjostle.so. A
 * process has one recorder: the first that joins, as long as that does not end.
 */
#ifndef JST_GPU_H
#define JST_GPU_H

#include <stdbool.h>
#include <stdint.h>

#define JST_GPU_INTERFACE 3u

/* GPUs of one process that are distinguished. The activity of further ones is only in the sums of
 * the process, and this is their number. */
#define JST_GPUS 16u /* as in jst_profile.h */

/* JST_GPU_TRANSFERS(name): operations that move or fill memory; each has _OPS, _BYTES and _NS. */
#define JST_GPU_TRANSFERS(X) X(H2D) X(D2H) X(D2D) X(PEER) X(SET)
#define JST_GPU_TRANSFER_ENUM(name) JST_GPU_##name,
enum jst_gpu_transfer { JST_GPU_TRANSFERS(JST_GPU_TRANSFER_ENUM) JST_GPU_TRANSFER_COUNT };
#undef JST_GPU_TRANSFER_ENUM

enum jst_gpu_event { JST_GPU_LAUNCH, JST_GPU_GRAPH, JST_GPU_LOST, JST_GPU_EVENT_COUNT };

/* One GPU, or one instance of a GPU that is divided. Text ends with a NUL; unknown text is
 * empty. */
typedef struct jst_gpu_device {
    char pci[20];          /* PCI bus id such as 0000:3b:00.0 */
    char uuid[64];         /* GPU-... or MIG-...: then it is an instance */
    char name[64];         /* NVIDIA H100 80GB HBM3 */
    char path[192];        /* below /sys/devices: pci0000:80/0000:80:01.1/0000:83:00.0 */
    int32_t numa;          /* -1: unknown */
    uint64_t memory_bytes; /* 0: unknown */
} jst_gpu_device;

/* The functions of libjostle.so. Any thread may call all of them, except await and answer, which
 * are for the one thread of the recorder. None may be called in a signal handler. */
typedef struct jst_gpu_host {
    uint32_t interface, size; /* JST_GPU_INTERFACE, sizeof(jst_gpu_host) */
    /** The program has called CUPTI itself before, and needs it exclusively. */
    bool taken;
    /** The recorder can run together with other subscribers of CUPTI that allow it: it yields only
     *  to those that do not. */
    void (*shares)(void);
    /** The number of a GPU in the calls below; the same pci and uuid give the same. JST_GPUS: there
     *  are too many. For a GPU with a pci, path and numa are looked up where they are not given. */
    unsigned (*device)(const jst_gpu_device *device);
    /** One transfer from begin_ns to end_ns of CLOCK_REALTIME. Divided where slices meet. */
    void (*transfer)(unsigned device, unsigned kind, uint64_t bytes, uint64_t begin_ns,
                     uint64_t end_ns);
    void (*count)(unsigned device, unsigned event, uint64_t n);
    /** The GPU computed for this process. Divided where slices meet. */
    void (*busy)(unsigned device, uint64_t begin_ns, uint64_t end_ns);
    /** A call that waits for the GPU begins; the same thread passes the result to wait_end. */
    uint64_t (*wait_begin)(void);
    void (*wait_end)(uint64_t since);
    /** A sentence for the profile; the text is copied. One is kept until the heartbeat has written it. */
    void (*note)(const char *text);
    /** Sleeps until the heartbeat requests what the vendor's library has so far, which it does at
     *  the end of each slice, or until shortly before (the number returned is `last` then). The
     *  heartbeat waits a moment for the answer to the number returned. */
    uint32_t (*await)(uint32_t last);
    void (*answer)(uint32_t request);
    /** The recorder delivers nothing more: the process ends, or nothing can be recorded. */
    void (*over)(void);
} jst_gpu_host;

/* The functions of the recorder. */
typedef struct jst_gpu_recorder {
    uint32_t interface, size; /* JST_GPU_INTERFACE, sizeof(jst_gpu_recorder) */
    /** The program is about to call CUPTI itself: deliver all records, end the use of CUPTI for
     * good. */
    void (*yield)(void);
} jst_gpu_recorder;

/** NULL: nothing is to be recorded in this process. */
typedef const jst_gpu_host *jst_gpu_join_type(const jst_gpu_recorder *recorder);

/** rocprofiler_register_library_api_table of librocprofiler-register, which a ROCm runtime calls. */
typedef int jst_rocm_register_type(const char *name, void *import, uint32_t version, void **tables,
                                   uint64_t count, void *id);

/** jst_rocm_offer of libjostle_rocm.so: the same call, through which rocprofiler-sdk registers the
 *  recorder if all that it needs is there. Otherwise the reason is in the profile. */
typedef int jst_rocm_offer_type(jst_rocm_register_type *next, const char *name, void *import,
                                uint32_t version, void **tables, uint64_t count, void *id);

#endif
