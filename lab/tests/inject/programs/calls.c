/* Makes so many calls of each kind as its arguments say: "write=100 socket=20 ...", in their order.
 * Says on stdout what came of them: with delays and without, that must be the same. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MUST(x)                                                                                    \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            fprintf(stderr, "%s:%d: %s: %m\n", __FILE__, __LINE__, #x);                            \
            exit(99);                                                                              \
        }                                                                                          \
    } while (0)

static const char *path;
static int fd;
static FILE *stream;
static unsigned long sum;
static char block[1024];
static sigjmp_buf home;

static void one_write(void)
{
    MUST(write(fd, block, sizeof block) == sizeof block);
}
static void one_read(void)
{
    MUST(pread(fd, block, sizeof block, 0) >= 0);
    sum += (unsigned char)block[7];
}
static void one_open(void)
{
    int other = open(path, O_RDONLY);
    MUST(other >= 0);
    MUST(close(other) == 0);
}
static void one_stat(void)
{
    struct stat st;
    MUST(stat(path, &st) == 0);
    sum += (unsigned long)S_ISREG(st.st_mode);
}
static void one_sync(void)
{
    MUST(fdatasync(fd) == 0);
}
static void one_char(void)
{
    MUST(fputc('x', stream) == 'x');
}
static void one_flush(void)
{
    MUST(fputc('x', stream) == 'x' && fflush(stream) == 0);
}
static void one_printf(void)
{
    MUST(fprintf(stream, "%g %s\n", 1.5, "five") == 9);
}
/* What is no file of anybody's file system. */
static void one_socket(void)
{
    static int pair[2];
    if (!pair[1])
        MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    MUST(write(pair[0], "y", 1) == 1 && read(pair[1], block, 1) == 1);
}
static void one_proc(void)
{
    struct stat st;
    int other = open("/proc/self/stat", O_RDONLY);
    MUST(other >= 0 && read(other, block, 100) == 100 && close(other) == 0);
    MUST(stat("/sys/kernel", &st) == 0 && stat("/dev/null", &st) == 0);
}
/* What fails must fail alike, and nobody else may touch errno. */
static void one_wrong(void)
{
    struct stat st;
    MUST(write(-1, block, 1) == -1 && errno == EBADF);
    MUST(open(path, O_CREAT | O_EXCL, 0600) == -1 && errno == EEXIST);
    MUST(stat((const char *)8, &st) == -1 && errno == EFAULT);
    errno = 77;
    one_write();
    MUST(errno == 77);
}
static void one_fork(void)
{
    int status, pid = fork();
    MUST(pid >= 0);
    if (pid == 0) {
        one_write();
        _exit(0);
    }
    MUST(waitpid(pid, &status, 0) == pid && status == 0);
}
static void *thread(void *unused)
{
    (void)unused;
    for (int i = 0; i < 25; i++)
        MUST(pwrite(fd, block, sizeof block, 0) == sizeof block);
    return NULL;
}
static void one_threads(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        MUST(pthread_create(&threads[i], NULL, thread, NULL) == 0);
    for (int i = 0; i < 4; i++)
        MUST(pthread_join(threads[i], NULL) == 0);
}
/* A handler that interrupts a delay, writes, and leaves it by a jump. */
static void jump(int signal)
{
    (void)signal;
    MUST(write(fd, block, sizeof block) == sizeof block);
    siglongjmp(home, 1);
}
static void one_jump(void)
{
    signal(SIGALRM, jump);
    if (sigsetjmp(home, 1) == 0) {
        ualarm(20000, 0);
        one_write();
        ualarm(0, 0);
    }
}

static const struct {
    const char *name;
    void (*call)(void);
} kinds[] = {
    {"write", one_write},   {"read", one_read},       {"open", one_open},   {"stat", one_stat},
    {"sync", one_sync},     {"char", one_char},       {"flush", one_flush}, {"printf", one_printf},
    {"socket", one_socket}, {"proc", one_proc},       {"wrong", one_wrong}, {"fork", one_fork},
    {"jump", one_jump},     {"threads", one_threads},
};

int main(int argc, char **argv)
{
    char name[4096];
    snprintf(name, sizeof name, "%s/calls", getenv("DATA"));
    path = name;
    fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
    snprintf(block, sizeof block, "%s.stream", path);
    stream = fopen(block, "w");
    MUST(fd >= 0 && stream);
    memset(block, 'z', sizeof block);
    for (int i = 1; i < argc; i++)
        for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            size_t n = strlen(kinds[k].name);
            if (strncmp(argv[i], kinds[k].name, n) == 0 && argv[i][n] == '=')
                for (int c = atoi(argv[i] + n + 1); c > 0; c--)
                    kinds[k].call();
        }
    struct stat st;
    MUST(fstat(fd, &st) == 0);
    printf("%lu %ld %ld\n", sum, (long)st.st_size, ftell(stream));
    return 0;
}
