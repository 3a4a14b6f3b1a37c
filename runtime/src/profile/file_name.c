/* file_name.c: names of files in the spool, by job.
 *
 * A job's name may have characters that a file name should not have, and be longer. Files of single
 * processes have the process in their name, and the job's whole name in their header. A file that
 * processes share has a checksum of the job's whole name.
 */
#include "file_name.h"
#include "encode.h"
#include "text.h"

#define LONGEST 64 /* bytes of the job's name */

char *jst_put_job(char *p, const char *end, const char *job)
{
    for (unsigned i = 0; i < LONGEST && job[i] && p + 1 < end; i++) {
        char c = job[i];
        bool fine = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                    c == '_' || c == '-';
        *p++ = fine ? c : '_';
    }
    return jst_put_text(p, end, ".");
}

char *jst_put_shared_name(char *p, const char *end, const char *job, uint32_t uid,
                          uint32_t fingerprint, const char *suffix)
{
    uint32_t sum = jst_crc32(fingerprint, job, jst_strlen(job));
    char hex[9];
    for (unsigned i = 0; i < 8; i++)
        hex[i] = "0123456789abcdef"[sum >> (28 - 4 * i) & 15];
    hex[8] = 0;
    p = jst_put_number(jst_put_job(p, end, job), end, uid);
    p = jst_put_text(jst_put_text(p, end, "."), end, hex);
    return jst_put_text(p, end, suffix);
}
