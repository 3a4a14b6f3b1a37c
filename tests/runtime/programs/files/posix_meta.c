/* The calls on names and attributes: both generations of stat, and the directories. */
#include "../truth.h"

#include <dirent.h>
#include <dlfcn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <utime.h>

static void did(long long rc)
{
    MUST(rc == 0);
    DID(posix_meta_ops, 1);
}

#if defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#define STAT_VERSION 1
#elif defined(__aarch64__)
#define OLDEST "GLIBC_2.17"
#define STAT_VERSION 0
#endif

#ifdef OLDEST
/* What a program linked before glibc 2.33 calls. */
#define OLD(name, ...)                                                                             \
    extern int old_##name(__VA_ARGS__);                                                            \
    __asm__(".symver old_" #name "," #name "@" OLDEST)
OLD(__xstat, int, const char *, struct stat *);
OLD(__lxstat, int, const char *, struct stat *);
OLD(__fxstat, int, int, struct stat *);
OLD(__xstat64, int, const char *, struct stat64 *);
OLD(__lxstat64, int, const char *, struct stat64 *);
OLD(__fxstat64, int, int, struct stat64 *);
#if defined(__x86_64__)
__asm__(".symver old_fxstatat,__fxstatat@GLIBC_2.4");
__asm__(".symver old_fxstatat64,__fxstatat64@GLIBC_2.4");
#else
__asm__(".symver old_fxstatat,__fxstatat@GLIBC_2.17");
__asm__(".symver old_fxstatat64,__fxstatat64@GLIBC_2.17");
#endif
extern int old_fxstatat(int, int, const char *, struct stat *, int);
extern int old_fxstatat64(int, int, const char *, struct stat64 *, int);

static void old_stat(int fd)
{
    struct stat s = {0};
    struct stat64 t = {0};
    did(old___xstat(STAT_VERSION, "file", &s));
    MUST(s.st_size == 5);
    did(old___lxstat(STAT_VERSION, "file", &s));
    did(old___fxstat(STAT_VERSION, fd, &s));
    did(old___xstat64(STAT_VERSION, "file", &t));
    MUST(t.st_size == 5);
    did(old___lxstat64(STAT_VERSION, "file", &t));
    did(old___fxstat64(STAT_VERSION, fd, &t));
    did(old_fxstatat(STAT_VERSION, AT_FDCWD, "file", &s, 0));
    did(old_fxstatat64(STAT_VERSION, AT_FDCWD, "file", &t, 0));
}
#endif

static void new_stat(int fd)
{
    struct stat s;
    struct stat64 t;
    struct statx x;
    did(stat("file", &s));
    MUST(s.st_size == 5);
    did(lstat("file", &s));
    did(fstat(fd, &s));
    did(fstatat(AT_FDCWD, "file", &s, 0));
    did(stat64("file", &t));
    did(lstat64("file", &t));
    did(fstat64(fd, &t));
    did(fstatat64(AT_FDCWD, "file", &t, 0));
    did(statx(AT_FDCWD, "file", 0, STATX_SIZE, &x));
    MUST(x.stx_size == 5);
}

static void names(void)
{
    did(mkdir("d", 0755));
    did(mkdirat(AT_FDCWD, "e", 0755));
    did(rename("file", "file2"));
    did(renameat(AT_FDCWD, "file2", AT_FDCWD, "file3"));
    did(renameat2(AT_FDCWD, "file3", AT_FDCWD, "file", 0));
    did(rmdir("d"));
    did(unlinkat(AT_FDCWD, "e", AT_REMOVEDIR));
    did(unlink("file"));
}

/* Ownership, rights, times, links and special files. */
static void attributes(int fd)
{
    struct timespec now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
    struct timeval then[2] = {{1, 0}, {1, 0}};
    struct utimbuf ages = {1, 1};
    char text[64], name[] = "dir-XXXXXX";
    did(access("file", R_OK));
    did(faccessat(AT_FDCWD, "file", R_OK, 0));
    did(chmod("file", 0644));
    did(fchmod(fd, 0644));
    did(fchmodat(AT_FDCWD, "file", 0644, 0));
    did(chown("file", (uid_t)-1, (gid_t)-1));
    did(lchown("file", (uid_t)-1, (gid_t)-1));
    did(fchown(fd, (uid_t)-1, (gid_t)-1));
    did(fchownat(AT_FDCWD, "file", (uid_t)-1, (gid_t)-1, 0));
    did(utimensat(AT_FDCWD, "file", now, 0));
    did(futimens(fd, now));
    did(utime("file", &ages));
    did(utimes("file", then));
    did(link("file", "hard"));
    did(linkat(AT_FDCWD, "file", AT_FDCWD, "hard2", 0));
    did(symlink("file", "soft"));
    did(symlinkat("file", AT_FDCWD, "soft2"));
    did(readlink("soft", text, sizeof text) - 4);
    did(readlinkat(AT_FDCWD, "soft2", text, sizeof text) - 4);
    did(mkfifo("pipe", 0600));
    did(mknod("pipe2", S_IFIFO | 0600, 0));
    did(mkdtemp(name) == NULL);
    did(remove("hard"));
    did(remove(name));
}

static void sizes(int fd)
{
    did(truncate("file", 9));
    did(truncate64("file", 8));
    did(ftruncate(fd, 7));
    did(ftruncate64(fd, 6));
    did(fallocate(fd, 0, 0, 4096));
    did(fallocate64(fd, 0, 0, 4096));
    did(posix_fallocate(fd, 0, 4096));
    did(posix_fallocate64(fd, 0, 4096));
    did(ftruncate(fd, 5));
}

static void locks(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    did(fcntl(fd, F_SETLK, &lock));
    did(fcntl64(fd, F_GETLK, &lock));
    did(lockf(fd, F_ULOCK, 1));
    did(lockf64(fd, F_TLOCK, 1));
    lock = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    did(fcntl(fd, F_SETLKW, &lock));
    lock.l_type = F_UNLCK;
    did(fcntl(fd, F_OFD_SETLKW, &lock));
    did(flock(fd, LOCK_EX));
    did(flock(fd, LOCK_UN));
    MUST(fcntl(fd, F_GETFD) >= 0); /* no lock: counted nowhere */
}

static void directories(void)
{
    DIR *d = opendir(".");
    struct dirent *e;
    MUST(d != NULL);
    DID(posix_meta_ops, 1);
    while ((e = readdir(d)) != NULL) {
        DID(posix_meta_ops, 1);
    }
    MUST(closedir(d) == 0);
    DID(posix_meta_ops, 1);
    d = opendir(".");
    DID(posix_meta_ops, 1);
    while (readdir64(d) != NULL) {
        DID(posix_meta_ops, 1);
    }
    MUST(closedir(d) == 0);
    DID(posix_meta_ops, 1);
}

int main(int argc, char **argv)
{
    int fd;
    MUST(argc == 2 && chdir(argv[1]) == 0);
    fd = open("file", O_RDWR | O_CREAT, 0644);
    MUST(write(fd, "12345", 5) == 5);
    truth_begin();
    sizes(fd);
    locks(fd);
    new_stat(fd);
#ifdef OLDEST
    old_stat(fd);
#endif
    directories();
    attributes(fd);
    names();
    return 0;
}
