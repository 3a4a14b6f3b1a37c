/* fuzz_mountinfo.c: lines of /proc/self/mountinfo; whoever may mount chooses what stands in them. */
#include <string.h>

#include "../src/clock.c"
#include "../src/encode.c"
#include "../src/slice.c"
#include "../src/text.c"

jst_area jst_a;
jst_life jst_now_life;
jst_config jst_cfg;
jst_block *_Atomic jst_more;
_Atomic uint32_t jst_blocks = 2;
uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;

void jst_mounts_forget(void) {}

void jst_segments_drain(int fd)
{
    (void)fd;
}

void jst_peers_write(int fd)
{
    (void)fd;
}

uint64_t jst_perf_cost_ns(void)
{
    return 0;
}

uint64_t jst_sum_cell(unsigned cell)
{
    return jst_a.blocks[1].cells[cell];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char line[16384];
    if (size >= sizeof line)
        return 0;
    for (int by_device = 0; by_device < 2; by_device++) {
        memcpy(line, data, size);
        line[size] = 0;
        mounts_written = 0;
        match_line(-1, line, 0x7f, by_device);
    }
    return 0;
}
