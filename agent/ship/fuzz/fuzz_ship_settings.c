/* fuzz_ship_settings.c: fuzzes the parser of lines of agent.conf. */
#include <stdlib.h>

#include "../settings.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static jst_ship_settings s;
    char *line = malloc(size + 1);
    memcpy(line, data, size);
    line[size] = 0;
    jst_ship_setting(line, &s);
    jst_ship_check_settings(&s);
    free(line);
    return 0;
}
