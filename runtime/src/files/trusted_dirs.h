/* trusted_dirs.h: directories whose files are known to be on one mount.
 *
 * To open a file needs no check of its descriptor where the files opened in the same directory were
 * all on the same mount. A link in the last component may leave it, so that is verified: the first
 * two opens in a directory, each descriptor at its first transfer or fstat, and where there are
 * none of these, one open in sixteen. Traffic is never guessed; only the open and the close of a
 * file without reads and writes may be counted for the wrong mount. A directory that was found
 * wrong is never trusted again.
 */
#ifndef JST_TRUST_H
#define JST_TRUST_H

#include "common.h"

/** A step of a hash. */
static inline uint64_t jst_mixed(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 32;
}

/** The last eight of n bytes; of fewer all, in an order of their own. */
static inline uint64_t jst_last_word(const char *text, size_t n)
{
    uint64_t word;
    uint32_t first, last;
    if (n >= sizeof word) {
        __builtin_memcpy(&word, text + n - sizeof word, sizeof word);
        return word;
    }
    if (n >= sizeof first) {
        __builtin_memcpy(&first, text, sizeof first);
        __builtin_memcpy(&last, text + n - sizeof last, sizeof last);
        return (uint64_t)first << 32 | last;
    }
    return n ? (uint64_t)(uint8_t)text[0] << 16 | (uint64_t)(uint8_t)text[n / 2] << 8 |
                   (uint8_t)text[n - 1]
             : 0;
}

/** The key of the directory of a path, its first n bytes. base: a number for the directory at which
 *  a relative path begins (jst_path_base). */
static inline uint64_t jst_directory_key(uint64_t base, const char *path, size_t n)
{
    uint64_t h = jst_mixed(n, path[0] == '/' ? 0 : base), word;
    for (size_t at = 0; at + sizeof word < n; at += sizeof word) {
        __builtin_memcpy(&word, path + at, sizeof word);
        h = jst_mixed(h, word);
    }
    h = jst_mixed(h, jst_last_word(path, n));
    return h | UINT64_C(1) << 63; /* an entry of 0 is free */
}

/** Slot of the files of a directory, 0: the next one must be checked. */
unsigned jst_trust_ask(uint64_t key);
/** A file of it was checked, and is there. */
void jst_trust_tell(uint64_t key, unsigned slot);
/** The number for the directory of a trusted descriptor. */
unsigned jst_trust_source(uint64_t key);
/** A descriptor of this source was elsewhere. */
void jst_trust_misled(unsigned source);
/** A descriptor of this source was on the trusted mount. */
void jst_trust_confirmed(unsigned source);
/** Mounts may have changed: all is learned again. */
void jst_trust_forget(void);

#endif
