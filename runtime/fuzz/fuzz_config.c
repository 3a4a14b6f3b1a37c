/* fuzz_config.c: arbitrary text as the operator's file and the values of the environment. */
#include <string.h>

#include "../src/text.c"

#include "../src/config.c"
#include "../src/say.c"

uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;

int jst_spool_open(void)
{
    return -ENOENT;
}

void jst_shared_file_name(char *p, const char *end, const char *suffix)
{
    jst_put_text(jst_put_text(p, end, "job"), end, suffix);
}

bool jst_size_allowed(uint64_t n)
{
    return n > 0;
}

void jst_identify(void) {}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[4096];
    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    for (int k = 0; k < KEYS; k++) {
        values[k] = NULL;
        locked[k] = false;
    }
    parse_length(text, JST_SHORTEST_SLICE_NS, JST_LONGEST_SLICE_NS);
    parse_file(
        text); /* errors are not printed: there is no standard error from the program's start */
    for (int k = 0; k < KEYS; k++)
        if (values[k])
            valid(k, values[k]);
    jst_program_excluded("program");
    if (values[EXCLUDE_PATHS]) {
        jst_put_text(jst_cfg.exclude_paths, jst_cfg.exclude_paths + sizeof jst_cfg.exclude_paths,
                     values[EXCLUDE_PATHS]);
        jst_path_excluded("/scratch/file");
    }
    return 0;
}
