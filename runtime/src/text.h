/* text.h: small text functions (text.c): no libc, no locale. */
#ifndef JST_TEXT_H
#define JST_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

size_t jst_strlen(const char *s);
char *jst_put_text(char *p, const char *end, const char *s);
char *jst_put_number(char *p, const char *end, uint64_t v);
bool jst_str_equal(const char *a, const char *b);
bool jst_begins_with(const char *text, const char *with);
const char *jst_env(const char *name);
void jst_copy(void *to, const void *from, size_t n);
void jst_zero(void *to, size_t n);
long jst_read_file(const char *path, char *buf, size_t n);  /* NUL-terminated; length or -errno */
long jst_read_lines(const char *path, char *buf, size_t n); /* the same of less than a page */
/* The same for a path that a user or an operator named: only a regular file of less than n bytes.
 * -ESPIPE when it is no regular file, -EFBIG when it is too large. Where there is nothing, buf is
 * not changed. */
long jst_read_regular(const char *path, char *buf, size_t n);
uint64_t jst_next_number(const char **p); /* the first in a text; p: after it */
const char *jst_base_name(const char *path);
/* Length of the folder of our libraries in the path of libjostle.so, with its last slash: launchers
 * also name it as FOLDER/jostle-preload/PLATFORM/libjostle.so. */
size_t jst_library_folder(const char *path);

/** The next of several texts in one, each with a NUL after it. */
const char *jst_behind(const char *s);

/** Sets values[i] to the value in the environment of the i-th of `count` names in one text, each
 *  with a NUL after it; NULL where it is not set. One pass, and nothing in a set-uid program. */
#define JST_NAMES 32 /* at most */
void jst_env_all(const char *names, const char **values, unsigned count);

#endif
