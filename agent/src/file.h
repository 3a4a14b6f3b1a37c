/* file.h: the profile of this machine in the spool (file.c). Only the sampler's main thread calls
 * it.
 *
 * One file a day; a further one is the next part of the same sampler.
 */
#ifndef JST_FILE_H
#define JST_FILE_H

#include "component.h"

#define JST_FILE_COMPONENTS 8000 /* numbers of components that one file may have */

/** Takes the spool for this sampler. A descriptor, or -errno; -EWOULDBLOCK: another sampler has it. */
int jst_spool_take(void);
/** Makes the first file, or the next part; the one before it ends. 0 or -errno. */
int jst_file_begin(enum jst_machine_role role);
/** A new day (UTC) has begun since the file was made. */
bool jst_file_is_of_yesterday(uint64_t now_ns);
/** How many components may still get a number. */
unsigned jst_file_room(void);
/** Bytes by which the files of this day may still grow until the end of a slice. */
uint64_t jst_file_space(uint64_t slice);
/** Once a second: the file lives; one that was removed from the spool is written again. */
void jst_file_look(uint64_t now_ns, enum jst_machine_role role);
/** At a boundary: the state of the clock. */
void jst_file_clock(uint64_t now_ns);
void jst_file_note(uint64_t now_ns, const char *text);
/** Appends the increases of the components in [first, end). 0: they are written, and *bytes has the
 *  size of the record; else -errno, and nothing has changed. */
int jst_file_write(jst_component **components, unsigned n, uint64_t first, uint64_t end,
                   uint64_t *bytes);
/** A slice has begun. */
void jst_file_slice(uint64_t open_slice);
/** The sampler ends. */
void jst_file_end(uint64_t now_ns);

#endif
