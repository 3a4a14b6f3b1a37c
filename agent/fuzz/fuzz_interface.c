/* fuzz_interface.c: fuzzes the parser of /proc/net/dev. */
#include "../src/sources/host/interface.c"
#include "fuzz_text.h"

static void parse(jst_sample *s, char *input)
{
    count = 0;
    parse_interfaces(s, input);
}
