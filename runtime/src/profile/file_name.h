/* file_name.h: names of files in the spool, by job (file_name.c). */
#ifndef JST_FILE_NAME_H
#define JST_FILE_NAME_H

#include <stdint.h>

/** The job's name as the first part of a file name, and a dot. */
char *jst_put_job(char *p, const char *end, const char *job);

/** The name of a file that processes of a job share: those of one user, whose library has this
 *  fingerprint. Names of jobs that have the same first part in file names are kept apart. */
char *jst_put_shared_name(char *p, const char *end, const char *job, uint32_t uid,
                          uint32_t fingerprint, const char *suffix);

#endif
