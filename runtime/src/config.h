/* config.h: what config.c (options), identity.c (the job) and digest.c (its digest) share. */
#ifndef JST_CONFIG_H
#define JST_CONFIG_H

#include <stdbool.h>

/** Sets values[i] to what the environment says of names[i], NULL where it says nothing. One pass, and
 *  nothing in a set-uid program. */
void jst_env_all(const char *const *names, const char **values, unsigned count);
/** Fills in job, batch, world and launcher of jst_cfg. */
void jst_identify(void);

/** Does descriptor 2 lead to where it led when the process came up? */
bool jst_stderr_is_the_same(void);

/* ---- digest.c ---- */
/** At the orderly end of a process whose profile is complete: the job's digest, if it was asked for
 *  and this is rank 0. Waits for it, 15 s at most. */
void jst_digest(void);

#endif
