/* fuzz_nfs_mount.c: /proc/self/mountinfo and /proc/self/mountstats; whoever may mount chooses paths. */
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
