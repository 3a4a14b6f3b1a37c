/* record.h: appends records to the profile (record.c): in the heartbeat, or before it starts. */
#ifndef JST_RECORD_H
#define JST_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/encode.h"

/** Buffer for one record: a payload of JST_RECORD_MAX bytes after JST_FRAME_GAP. */
extern uint8_t jst_record_buffer[JST_RECORD_MAX + JST_FRAME_GAP + 8];

/** Appends a record whose payload of n bytes is at frame + JST_FRAME_GAP. False: not written. */
bool jst_append(int fd, uint8_t type, uint8_t *frame, size_t n);
/** Appends an 'N' record: a sentence for readers of the profile. */
void jst_note(int fd, uint64_t now_ns, const char *text);

#endif
