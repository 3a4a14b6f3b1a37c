/* fuzz_nfs_mount.c: fuzzes the parsers of /proc/self/mountinfo and /proc/self/mountstats, whose
 * paths users that may mount can choose. */
#include "../src/sources/file_systems/nfs_mount.c"
#include "fuzz_text.h"

static void parse(jst_sample *s, char *input)
{
    place_count = 0;
    current = (mount){.s = s};
    for (char *line = input, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        parse_mountinfo(line, NULL);
        parse_line(line, &current);
    }
    report(&current);
}
