/* say.c: what the runtime's options have to say (runtime/src/config.c): of a service every time. */
#include <stdio.h>

#include "config.h"

void jst_say_begin(void) {}

void jst_say(const char *what, const char *value, const char *mend)
{
    fprintf(stderr, value ? "jostle-agent: %s '%s'%s\n" : "jostle-agent: %s%s%s\n", what,
            value ? value : "", mend);
}
