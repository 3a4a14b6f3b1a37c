/* say.c: writes messages of the runtime's options (runtime/src/config.c): for a service every
 * time. */
#include <stdio.h>

#include "config.h"

void jst_say_begin(void) {}

void jst_say(const char *what, const char *value, const char *fix)
{
    fprintf(stderr, value ? "jostle-agent: %s '%s'%s\n" : "jostle-agent: %s%s%s\n", what,
            value ? value : "", fix);
}
