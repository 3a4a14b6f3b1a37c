/* main_cpu.c: moves the heartbeat to the core on which the program's main thread was last seen, and
 * back.
 *
 * It then measures the resources of the program at that moment: its core, the caches and the memory
 * of its NUMA node. Only the heartbeat's own mask is changed, for one measurement.
 */
#include "main_cpu.h"
#include "common.h"
#include "sys.h"
#include "text.h"

#define NOT_OPENED (-2)

typedef struct cpus {
    uint64_t words[128];
    long bytes; /* as many as the kernel has */
} cpus;

static int main_fd = NOT_OPENED;
static cpus mask; /* to be restored; read each time, since it may be changed from outside */

/* Field 39 of a thread's stat; the name, in parentheses, may contain anything. */
static int core_in(const char *text)
{
    const char *p = text;
    for (const char *at = text; *at; at++)
        p = *at == ')' ? at : p;
    for (int field = 2; field < 39; field++) {
        while (*p && *p != ' ')
            p++;
        while (*p == ' ')
            p++;
    }
    return *p >= '0' && *p <= '9' ? (int)jst_next_number(&p) : -1;
}

static void open_main(void)
{
    char path[64];
    char *p = jst_put_text(path, path + sizeof path, "/proc/self/task/");
    p = jst_put_number(p, path + sizeof path, (uint64_t)jst_getpid());
    jst_put_text(p, path + sizeof path, "/stat");
    main_fd = jst_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    main_fd = main_fd < 0 ? -1 : main_fd;
}

void jst_main_cpu_begin(void)
{
    main_fd = NOT_OPENED;
}

bool jst_main_cpu_visit(void)
{
    static cpus one;
    char text[512];
    uint32_t here = 0;
    if (main_fd == NOT_OPENED)
        open_main();
    long n = main_fd >= 0 ? jst_pread(main_fd, text, sizeof text - 1, 0) : 0;
    text[n > 0 ? n : 0] = 0;
    int core = core_in(text);
    if (core < 0 || core / 64 >= 128 ||
        (jst_sys3(SYS_getcpu, &here, 0, 0) == 0 && (uint32_t)core == here))
        return false;
    mask.bytes = jst_sys3(SYS_sched_getaffinity, 0, sizeof mask.words, mask.words);
    uint64_t bit = UINT64_C(1) << core % 64;
    if (mask.bytes <= 0 || !(mask.words[core / 64] & bit))
        return false;
    one.words[core / 64] = bit;
    bool moved = jst_sys3(SYS_sched_setaffinity, 0, mask.bytes, one.words) == 0;
    one.words[core / 64] = 0;
    return moved;
}

void jst_main_cpu_leave(void)
{
    jst_sys3(SYS_sched_setaffinity, 0, mask.bytes, mask.words);
}
