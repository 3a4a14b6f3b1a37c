/* of_runtime.c: the parts of the runtime that its config.c and text.c need, where nothing is
 * profiled. */
#include "config.h"
#include "process/identity.h"
#include "sys.h"

uint64_t jst_own_read_calls, jst_own_read_bytes;

/* The runtime and the sampler report errors in the operator's file; settings.c refuses those that
 * concern the spool. */
void jst_say(const char *what, const char *value, const char *fix)
{
    (void)what, (void)value, (void)fix;
}

void jst_say_begin(void) {}

/* Only the configuration of a job needs its identity. */
void jst_identify(void) {}
