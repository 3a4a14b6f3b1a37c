/* The other names of wrapped functions: libc's own, the old ones, and the seldom used. */
#include "../truth.h"

#include <stdarg.h>

int __open(const char *path, int flags, ...);
int __open64(const char *path, int flags, ...);
int __close(int fd);
ssize_t __read(int fd, void *buf, size_t n);
ssize_t __write(int fd, const void *buf, size_t n);
ssize_t __pread64(int fd, void *buf, size_t n, off64_t at);
ssize_t __pwrite64(int fd, const void *buf, size_t n, off64_t at);
off_t __lseek(int fd, off_t at, int whence);
int __fcntl(int fd, int command, ...);
#if defined(__aarch64__)
#define OLDEST "GLIBC_2.17"
#else
#define OLDEST "GLIBC_2.2.5"
#endif
int old_getc(FILE *f);
int old_putc(int c, FILE *f);
__asm__(".symver old_getc,_IO_getc@" OLDEST);
__asm__(".symver old_putc,_IO_putc@" OLDEST);

static void wrote(long long n)
{
    DID(stdio_write_ops, 1), DID(stdio_write_bytes, n);
}

static void got(long long n)
{
    DID(stdio_read_ops, 1), DID(stdio_read_bytes, n);
}

__attribute__((format(printf, 2, 3))) static int through_v(int fd, const char *format, ...)
{
    va_list list;
    int n;
    va_start(list, format);
    n = vdprintf(fd, format, list);
    va_end(list);
    return n;
}

static void internal_names(void)
{
    char c[10] = "abcdefghi";
    int fd = __open("data", O_RDWR | O_CREAT, 0644), copy;
    MUST(fd >= 0 && __close(__open64("data", O_RDONLY)) == 0);
    DID(posix_open_ops, 2), DID(posix_close_ops, 1);
    MUST(__write(fd, c, 10) == 10 && __pwrite64(fd, c, 10, 10) == 10);
    DID_WRITE(10);
    DID_WRITE(10);
    MUST(__lseek(fd, 0, SEEK_SET) == 0);
    DID(posix_seek_ops, 1);
    MUST(__read(fd, c, 10) == 10 && __pread64(fd, c, 10, 0) == 10);
    DID_READ(10);
    DID_READ(10);
    copy = __fcntl(fd, F_DUPFD, 50);
    MUST(copy >= 50 && dprintf(copy, "%s", "hello") == 5 && through_v(copy, "%d", 17) == 2);
    DID_WRITE(5);
    DID_WRITE(2);
    MUST(__close(copy) == 0 && __close(fd) == 0);
    DID(posix_close_ops, 2);
}

static void old_names(void)
{
    static char big[BUFSIZ];
    FILE *f = fopen("stream", "w+");
    setbuf(f, NULL);
    setbuffer(f, big, sizeof big);
    setlinebuf(f);
    DID(stdio_open_ops, 1), DID(stdio_meta_ops, 3);
    MUST(putw(0x41424344, f) == 0);
    wrote(sizeof(int));
    MUST(old_putc('x', f) == 'x');
    wrote(1);
    MUST(fflush_unlocked(f) == 0);
    DID(stdio_sync_ops, 1);
    rewind(f);
    DID(stdio_seek_ops, 1);
    MUST(getw(f) == 0x41424344);
    got(sizeof(int));
    MUST(old_getc(f) == 'x');
    got(1);
    MUST(fclose(f) == 0);
    DID(stdio_close_ops, 1);
}

int main(int argc, char **argv)
{
    MUST(argc == 2 && chdir(argv[1]) == 0);
    truth_begin();
    internal_names();
    old_names();
    return 0;
}
