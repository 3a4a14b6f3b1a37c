/* spool.h: files for profiles and the records of short-lived processes (spool.c). */
#ifndef JST_SPOOL_H
#define JST_SPOOL_H

#include "core.h"
#include "sys.h"

char *jst_job_file_name(char *p, const char *end); /* the job's name and a dot */
/* The name of a file of the job's processes of this user. */
void jst_shared_file_name(char *p, const char *end, const char *suffix);
bool jst_size_allowed(uint64_t n); /* may a file grow to n bytes? (ulimit -f) */
int jst_spool_open(void);          /* descriptor of the spool folder, or -errno */
/* The spool, once the root has changed; inode 0: it has not. */
extern JST_HIDDEN uint64_t jst_spool_left_device, jst_spool_left_inode;
int jst_open_shorts(struct stat *st); /* the job's file of compact profiles, or -errno */
int jst_profile_create(int *fd);      /* 0 or -errno; the area is mapped afterwards */
int jst_profile_again(int *fd);       /* the file was removed: a new one with all content */
/* Fills in command and script from /proc/PID/cmdline; program is there already. */
void jst_command_line(const char *path, jst_head *h);
const uint8_t *jst_boot_id(void);              /* 16 bytes */
int jst_head_allocate(int fd, uint32_t bytes); /* 0 or -errno */
uint64_t jst_process_start(void); /* hundredths of a second after the boot, 0: not known */
void jst_short_begin(void);
bool jst_short_recorded(void); /* a record has been written, and the process continues */
void jst_short_record(enum jst_end_reason reason, uint64_t now_ns);
extern char jst_profile_name[160];

#endif
