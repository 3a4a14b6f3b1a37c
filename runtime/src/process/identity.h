/* identity.h: finds the job of this process (identity.c). */
#ifndef JST_IDENTITY_H
#define JST_IDENTITY_H

/** Fills in job, batch, world and launcher of jst_cfg. */
void jst_identify(void);

#endif
