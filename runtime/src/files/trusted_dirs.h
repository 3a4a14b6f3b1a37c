/* trusted_dirs.h: directories whose files are known to lie on one mount.
 *
 * To open a file costs no look at its descriptor where the files opened beside it all lay on the
 * same mount. A link in the last component may leave it, so that is verified: the first opens in
 * a directory, one in sixteen after these, and each descriptor that data passes, at its first
 * transfer. Traffic is never guessed; what may be booked wrongly is the open and the close of a
 * file that nothing was read from or written to. A directory that was seen to mislead is never
 * trusted again.
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
/** Mounts may have changed: all is learned anew. */
void jst_trust_forget(void);

#endif
