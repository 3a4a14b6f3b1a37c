/* fuzz_disk.c: fuzzes the parser of /proc/diskstats. */
#include "../src/sources/host/disk.c"
#include "fuzz_text.h"

static bool any(const char *name)
{
    return name[0] != 0;
}

static void parse(jst_sample *s, char *input)
{
    parse_disks(s, input, any);
}
