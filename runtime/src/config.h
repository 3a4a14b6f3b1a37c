/* config.h: what config.c (options) and identity.c (the job) share. */
#ifndef JST_CONFIG_H
#define JST_CONFIG_H

/** Sets values[i] to what the environment says of names[i], NULL where it says nothing. One pass, and
 *  nothing in a set-uid program. */
void jst_env_all(const char *const *names, const char **values, unsigned count);
/** Fills in job, batch, world and launcher of jst_cfg. */
void jst_identify(void);

#endif
