/* sys.h: system calls without libc.
 *
 * RATIONALE: jostle makes all its own system calls through these functions. A raw call touches
 * neither errno nor thread-local storage, is no cancellation point, is safe in a signal handler,
 * and is never counted as a call of the program. Results are as the kernel returns them: -errno.
 */
#ifndef JST_SYS_H
#define JST_SYS_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#if defined(__x86_64__)
static inline long jst_sys6(long n, long a, long b, long c, long d, long e, long f)
{
    long r;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(r)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return r;
}
#elif defined(__aarch64__)
static inline long jst_sys6(long n, long a, long b, long c, long d, long e, long f)
{
    register long x8 __asm__("x8") = n;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
}
#else
#error                                                                                             \
    "jostle's runtime knows x86-64 and aarch64; add the system call convention of this machine here"
#endif

#define JST_ARG(x) ((long)(x))
#define jst_sys0(n) jst_sys6(n, 0, 0, 0, 0, 0, 0)
#define jst_sys1(n, a) jst_sys6(n, JST_ARG(a), 0, 0, 0, 0, 0)
#define jst_sys2(n, a, b) jst_sys6(n, JST_ARG(a), JST_ARG(b), 0, 0, 0, 0)
#define jst_sys3(n, a, b, c) jst_sys6(n, JST_ARG(a), JST_ARG(b), JST_ARG(c), 0, 0, 0)
#define jst_sys4(n, a, b, c, d) jst_sys6(n, JST_ARG(a), JST_ARG(b), JST_ARG(c), JST_ARG(d), 0, 0)

static inline int jst_openat(int dir, const char *path, int flags, int mode)
{
    return (int)jst_sys4(SYS_openat, dir, path, flags, mode);
}

static inline int jst_close(int fd)
{
    return (int)jst_sys1(SYS_close, fd);
}

/* /proc/self/io also counts what jostle itself reads and writes; os.c subtracts it. */
extern uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;

static inline long jst_own_read(long r)
{
    jst_own_read_calls++;
    jst_own_read_bytes += r > 0 ? (uint64_t)r : 0;
    return r;
}

static inline long jst_own_write(long r)
{
    jst_own_write_calls++;
    jst_own_write_bytes += r > 0 ? (uint64_t)r : 0;
    return r;
}

static inline long jst_read(int fd, void *buf, size_t n)
{
    return jst_own_read(jst_sys3(SYS_read, fd, buf, n));
}

static inline long jst_pread(int fd, void *buf, size_t n, uint64_t at)
{
    return jst_own_read(jst_sys4(SYS_pread64, fd, buf, n, at));
}

static inline long jst_write(int fd, const void *buf, size_t n)
{
    return jst_own_write(jst_sys3(SYS_write, fd, buf, n));
}

static inline long jst_pwrite(int fd, const void *buf, size_t n, uint64_t at)
{
    return jst_own_write(jst_sys4(SYS_pwrite64, fd, buf, n, at));
}

static inline long jst_fstatat(int dir, const char *path, struct stat *st, int flags)
{
    return jst_sys4(SYS_newfstatat, dir, path, st, flags);
}

static inline long jst_fstat(int fd, struct stat *st)
{
    return jst_sys2(SYS_fstat, fd, st);
}

static inline long jst_mmap_fixed(void *at, size_t n, int flags, int fd)
{
    return jst_sys6(SYS_mmap, JST_ARG(at), JST_ARG(n), PROT_READ | PROT_WRITE, flags | MAP_FIXED,
                    fd, 0);
}

/* An entry as returned by getdents64; the next entry begins `length` bytes further. */
typedef struct jst_entry {
    uint64_t inode;
    int64_t next;
    unsigned short length;
    unsigned char type;
    char name[];
} __attribute__((aligned(8))) jst_entry;

static inline int jst_gettid(void)
{
    return (int)jst_sys0(SYS_gettid);
}

static inline int jst_getpid(void)
{
    return (int)jst_sys0(SYS_getpid);
}

static inline uint64_t jst_clock_ns(int clock)
{
    struct timespec t = {0, 0};
    jst_sys2(SYS_clock_gettime, clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Blocks all signals of this thread, also those that glibc's functions would leave unblocked. */
static inline void jst_block_signals(uint64_t *old)
{
    const uint64_t all = ~UINT64_C(0);
    jst_sys4(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, &all, old, 8);
}

static inline void jst_restore_signals(const uint64_t *old)
{
    jst_sys4(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, old, 0, 8);
}

static inline long jst_futex(_Atomic uint32_t *word, int op, uint32_t val,
                             const struct timespec *ts, uint32_t bits)
{
    return jst_sys6(SYS_futex, JST_ARG(word), op, val, JST_ARG(ts), 0, bits);
}

/* Parts of a device's number. Those of <sys/sysmacros.h> may be functions, which other C libraries
 * lack. */
static inline uint32_t jst_major(uint64_t device)
{
    return (uint32_t)(device >> 8 & 0xfff) | (uint32_t)(device >> 32 & 0xfffff000);
}

static inline uint64_t jst_device(uint64_t maj, uint64_t min)
{
    return (maj & 0xfff) << 8 | (maj & 0xfffff000) << 32 | (min & 0xff) | (min & 0xffffff00) << 12;
}

static inline uint32_t jst_minor(uint64_t device)
{
    return (uint32_t)(device & 0xff) | (uint32_t)(device >> 12 & 0xffffff00);
}

#endif
