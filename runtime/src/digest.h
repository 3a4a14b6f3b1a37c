/* digest.h: the job's digest at its end (digest.c). */
#ifndef JST_DIGEST_H
#define JST_DIGEST_H

/** At the graceful end of a process whose profile is complete: prints the job's digest, if it was
 *  requested and this is rank 0. Waits for it, 15 s at most. */
void jst_digest(void);

#endif
