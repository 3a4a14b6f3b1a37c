/* fuzz_cgroup.c: fuzzes the parser of files of control groups, and of titles of processes, which
 * their users choose. Incomplete values are unknown, and repeated ones count twice. */
#include <stdlib.h>
#include <string.h>

#include "sources/host/cgroup.h"

#define ROOM 8192

static const enum jst_component_metric io[] = {JST_STORAGE_READ_BYTES, JST_STORAGE_WRITE_BYTES,
                                               JST_STORAGE_READ_OPS, JST_STORAGE_WRITE_OPS};

static int level(uint32_t major, uint32_t minor)
{
    return major == 7 ? JST_DEVICE_SKIP : minor % 2 ? JST_DEVICE_STACKED : JST_DEVICE_DISK;
}

static void io_texts(char *text, size_t size)
{
    jst_numbers once = {.of = {0}}, twice = {.of = {0}};
    jst_cgroup_io(text, level, &once);
    size_t used = strlen(text);
    if (used && text[used - 1] != '\n' && text[used - 1] != ' ' &&
        once.is[io[0]] != JST_NUMBER_UNKNOWN)
        abort(); /* torn */
    if (used && text[used - 1] != '\n')
        return;
    memmove(text + used, text, used);
    text[2 * used] = 0;
    jst_cgroup_io(text, level, &twice);
    text[used] = 0;
    for (unsigned i = 0; i < 4; i++)
        if (once.is[io[i]] == JST_NUMBER_KNOWN && twice.is[io[i]] == JST_NUMBER_KNOWN &&
            twice.of[io[i]] != 2 * once.of[io[i]])
            abort();
    (void)size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[2 * ROOM];
    jst_numbers n = {.of = {0}};
    uint64_t number = 0;
    unsigned cpus[4];
    if (size >= ROOM)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    jst_cgroup_cpu(text, &n);
    jst_cgroup_cpuacct(text, &n);
    jst_cgroup_blkio(text, level, JST_STORAGE_READ_BYTES, JST_STORAGE_WRITE_BYTES, &n);
    jst_cgroup_reclaimable(text);
    jst_cgroup_limit(text, &number);
    if (jst_cgroup_pressure(text, "some", &number) == JST_THERE && number % 1000)
        abort();
    jst_cgroup_pressure(text, "full", &number);
    jst_cpu_list(text, cpus, 4);
    jst_is_sluid(text);
    jst_job_of_title(text, &number);
    jst_scan_key(text, "oom_kill", &number);
    io_texts(text, size);
    return 0;
}
