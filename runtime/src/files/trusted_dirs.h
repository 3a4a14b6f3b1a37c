/* trusted_dirs.h: directories whose files are known to lie on one mount.
 *
 * To open a file costs no look at its descriptor where the files opened in the same directory all lay on
 * the same mount. A link in the last component may leave it, so that is verified: the first two opens in
 * a directory, each descriptor at its first transfer or fstat, and where there are none of these, one open
 * in sixteen. Traffic is never guessed; what may be booked wrongly is the open and the close of a file that
 * nothing was read from or written to. A directory that was seen to mislead is never trusted again.
 */
#ifndef JST_TRUST_H
#define JST_TRUST_H

#include "common.h"

/** Names the directory of a path: what stands before its last slash, `length` bytes of `end`. base: a
 *  number that stands for the directory at which a relative path begins. */
uint64_t jst_directory_key(uint64_t base, const char *path, size_t *length, size_t *end);
/** Slot of the files of a directory, 0: the next one must be looked at. */
unsigned jst_trust_ask(uint64_t key);
/** A file of it was looked at, and lies there. */
void jst_trust_tell(uint64_t key, unsigned slot);
/** What stands for the directory of a trusted descriptor. */
unsigned jst_trust_source(uint64_t key);
/** A descriptor of this source lay elsewhere. */
void jst_trust_misled(unsigned source);
/** A descriptor of this source lay where it was trusted to. */
void jst_trust_confirmed(unsigned source);
/** Mounts may have changed: all is learned anew. */
void jst_trust_forget(void);

#endif
