/* mount_record.h: 'M' records of the profile (mount_record.c). */
#ifndef JST_MOUNT_RECORD_H
#define JST_MOUNT_RECORD_H

/** A profile begins: no mount has been written to it. */
void jst_mount_records_begin(void);
/** Appends a record for each mount in the header that has none yet; reads /proc/self/mountinfo if
 * so. */
void jst_mount_records_write(int fd);

#endif
