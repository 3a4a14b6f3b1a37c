/* fuzz_machine.c: fuzzes the parsers of /proc/stat, /proc/pressure, /proc/meminfo, /proc/vmstat. */
#include "../src/sources/host/machine.c"
#include "fuzz_text.h"

static void parse(jst_sample *s, char *input)
{
    jst_component *c =
        jst_component_of(s, &(jst_names){.kind = JST_KIND_MACHINE, .name = "machine"});
    parse_stat(c, input);
    parse_pressure(c, input, JST_PRESSURE_IO_NS, JST_PRESSURE_IO_FULL_NS);
    parse_meminfo(c, input);
    parse_vmstat(c, input);
}
