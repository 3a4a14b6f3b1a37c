/* For a portable build: before glibc 2.33 stat and similar calls were macros on functions with the
 * version of their structure. Not for libjostle.so, which wraps both kinds. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* as in the files before which this is included */
#endif
#include <sys/stat.h>

#if defined __x86_64__
#define JST_STAT_LAYOUT 1
#define JST_SECOND_STAT "GLIBC_2.4"
#else
#define JST_STAT_LAYOUT 0
#define JST_SECOND_STAT JST_OLDEST
#endif

int __xstat(int layout, const char *path, struct stat *facts);
int __lxstat(int layout, const char *path, struct stat *facts);
int __fxstat(int layout, int fd, struct stat *facts);
int __fxstatat(int layout, int folder, const char *path, struct stat *facts, int flags);
__asm__(".symver __xstat,__xstat@" JST_OLDEST);
__asm__(".symver __lxstat,__lxstat@" JST_OLDEST);
__asm__(".symver __fxstat,__fxstat@" JST_OLDEST);
__asm__(".symver __fxstatat,__fxstatat@" JST_SECOND_STAT);

#define stat(path, facts) __xstat(JST_STAT_LAYOUT, path, facts)
#define lstat(path, facts) __lxstat(JST_STAT_LAYOUT, path, facts)
#define fstat(fd, facts) __fxstat(JST_STAT_LAYOUT, fd, facts)
#define fstatat(folder, path, facts, flags) __fxstatat(JST_STAT_LAYOUT, folder, path, facts, flags)
