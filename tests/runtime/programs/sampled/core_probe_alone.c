/* The core-speed probe without the rest of the runtime: its code is looked at, it does not run here. */
#include "../../../../runtime/src/modules/core_probe.c"

jst_config jst_cfg;
jst_life jst_now_life;
uint32_t jst_tick_source = JST_TICKS_COUNTER;
uint64_t jst_own_read_bytes, jst_own_read_calls;

uint64_t jst_slow_ticks(void)
{
    return 0;
}

long jst_read_file(const char *path, char *text, size_t n)
{
    return (void)path, (void)text, (void)n, 0;
}

void jst_main_cpu_leave(void) {}

bool jst_main_cpu_visit(void)
{
    return false;
}

int main(void)
{
    static jst_block block;
    jst_core_probe_run(&block, 0, 0, 0);
    return 0;
}
