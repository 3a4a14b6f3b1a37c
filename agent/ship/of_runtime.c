/* of_runtime.c: what config.c and text.c of the runtime use of it, where nothing is profiled. */
#include "config.h"
#include "process/identity.h"
#include "sys.h"

uint64_t jst_own_read_calls, jst_own_read_bytes;

/* The runtime and the sampler say what is wrong with the operator's file; settings.c refuses what
 * concerns the spool. */
void jst_say(const char *what, const char *value, const char *mend)
{
    (void)what, (void)value, (void)mend;
}

void jst_say_begin(void) {}

/* Only what a job is configured with needs its identity. */
void jst_identify(void) {}
