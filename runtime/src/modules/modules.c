/* modules.c: the table of the heartbeat's modules, and the loops over it.
 *
 * RATIONALE: the rows are expanded to calls. Pointers in a table would have to be relocated when the
 * library is loaded, in every process, and would take its relocated data to a second page.
 */
#include "modules.h"

#include "common.h"
#include "modules/os.h"
#include "modules/papi.h"
#include "modules/perf.h"
#include "profile/area.h"
#include "profile/records/record.h"
#include "sys.h"

/* The order of the rows is the order of every loop: the kernel's accounts first, before they
 * include the work of the other modules. */
/* clang-format off */
#define MODULES(ROW) \
    /*  open, sample, missing, child, close */ \
    ROW(jst_module_os_open, jst_module_os_sample, no_missing, jst_module_os_child, no_close) \
    ROW(no_open, jst_module_children_sample, no_missing, no_child, no_close) \
    ROW(jst_module_perf_open, jst_module_perf_sample, jst_module_perf_missing, no_child, jst_module_perf_close) \
    ROW(no_open, no_sample, jst_module_papi_missing, no_child, no_close) \
    ROW(jst_module_memory_probe_open, jst_module_memory_probe_sample, no_missing, no_child, no_close) \
    ROW(jst_module_core_probe_open, jst_module_core_probe_sample, no_missing, no_child, no_close) \
    ROW(no_open, jst_module_gpu_sample, jst_module_gpu_missing, jst_module_gpu_child, no_close)
/* clang-format on */

/* For a module that has nothing to do. */
static inline const char *no_open(jst_block *b)
{
    (void)b;
    return NULL;
}

static inline void no_sample(jst_block *b, uint64_t now_ns, enum jst_occasion occasion)
{
    (void)b, (void)now_ns, (void)occasion;
}

static inline const char *no_missing(bool ending)
{
    (void)ending;
    return NULL;
}

static inline void no_child(void) {}

static inline void no_close(void) {}

void jst_modules_open(int fd)
{
    const char *missing;
#define OPEN(open, sample, missing_of, child, close)                                               \
    if ((missing = open(&jst_a.blocks[0])) != NULL)                                                \
        jst_note(fd, jst_clock_ns(CLOCK_REALTIME), missing);
    MODULES(OPEN)
}

void jst_modules_sample(uint64_t now_ns, enum jst_occasion occasion)
{
#define SAMPLE(open, sample, missing, child, close) sample(&jst_a.blocks[0], now_ns, occasion);
    MODULES(SAMPLE)
}

void jst_modules_note_missing(int fd, uint64_t now_ns, bool ending)
{
#define MISSING(open, sample, missing, child, close) missing(ending),
    const char *missing[] = {MODULES(MISSING)};
    for (unsigned i = 0; i < sizeof missing / sizeof *missing; i++)
        if (missing[i])
            jst_note(fd, now_ns, missing[i]);
}

void jst_modules_child(void)
{
#define CHILD(open, sample, missing, child, close) child();
    MODULES(CHILD)
}

void jst_modules_close(void)
{
#define CLOSE(open, sample, missing, child, close) close();
    MODULES(CLOSE)
}
