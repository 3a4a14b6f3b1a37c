/*
 * Writes whose order is known: argv[2] names the case, argv[1] the folder. What the profile must
 * say of it is in the notes: steps back and their bytes, gaps, files that were written.
 */
#include "../truth.h"

#include <aio.h>
#include <pthread.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/wait.h>

static char block[1 << 16];
static char path[4096];
static const char *folder;

static int opened(const char *name, int flags)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, flags | O_CREAT, 0600);
    MUST(fd >= 0);
    return fd;
}

static void put(int fd, size_t n)
{
    MUST(write(fd, block, n) == (ssize_t)n);
}

static void put_at(int fd, size_t n, off_t at)
{
    MUST(pwrite(fd, block, n, at) == (ssize_t)n);
}

static void expect(long back, long back_bytes, long gap, long files, long file_bytes)
{
    char text[160];
    snprintf(text, sizeof text, "%ld %ld %ld %ld %ld", back, back_bytes, gap, files, file_bytes);
    truth_note("access", text);
}

/* The papers' three patterns: by write, by pwrite, by writev in pieces. */

static void open_write_close(void)
{
    char name[32];
    for (int i = 0; i < 50; i++) {
        snprintf(name, sizeof name, "new-%d", i);
        int fd = opened(name, O_WRONLY | O_TRUNC);
        put(fd, 3000);
        put(fd, 1000);
        MUST(close(fd) == 0);
    }
    expect(0, 0, 0, 50, 200000);
}

static void reused_file(void)
{
    for (int i = 0; i < 50; i++) {
        int fd = opened("again", O_WRONLY);
        put(fd, 4000);
        MUST(close(fd) == 0);
    }
    expect(0, 0, 0, 50, 200000);
}

static void write_seek(void)
{
    int fd = opened("seek", O_WRONLY | O_TRUNC);
    for (int i = 0; i < 40; i++) {
        MUST(lseek(fd, 0, SEEK_SET) == 0);
        for (int piece = 0; piece < 10; piece++)
            put(fd, 1000);
    }
    MUST(close(fd) == 0);
    expect(39, 390000, 0, 1, 400000);
}

static void write_seek_at(void)
{
    int fd = opened("seek", O_WRONLY | O_TRUNC);
    struct iovec parts[2] = {{block, 600}, {block, 400}};
    for (int i = 0; i < 40; i++) {
        put_at(fd, 1000, 5000);
        MUST(pwritev(fd, parts, 2, 6000) == 1000);
        MUST(pwritev2(fd, parts, 2, 7000, 0) == 1000);
    }
    MUST(close(fd) == 0);
    expect(39, 39 * 3000, 0, 1, 120000);
}

static void aggregate_write(void)
{
    int fd = opened("long", O_WRONLY | O_TRUNC);
    struct iovec parts[2] = {{block, 600}, {block, 400}};
    for (int i = 0; i < 40; i++) {
        put(fd, 4000);
        MUST(writev(fd, parts, 2) == 1000);
        MUST(fsync(fd) == 0);
        MUST(lseek(fd, 0, SEEK_CUR) == (i + 1) * 5000);
    }
    MUST(close(fd) == 0);
    expect(0, 0, 0, 1, 200000);
}

static void aggregate_at(void)
{
    int fd = opened("long", O_WRONLY | O_TRUNC);
    for (int i = 0; i < 40; i++)
        put_at(fd, 4000, 1000000 + i * 4000);
    MUST(close(fd) == 0);
    expect(0, 0, 0, 1, 160000);
}

/* What looks like one and is another. */

static void strided(void)
{
    int fd = opened("strided", O_WRONLY | O_TRUNC);
    for (int i = 0; i < 20; i++)
        put_at(fd, 1000, i * 4000);
    for (int i = 0; i < 20; i++) {
        MUST(lseek(fd, 3000, SEEK_CUR) > 0);
        put(fd, 1000);
    }
    MUST(close(fd) == 0);
    /* pwrite left the offset at 0: the first write by lseek steps back */
    expect(1, 20000, 19 + 19, 1, 40000);
}

static void seeks_forward(void)
{
    int fd = opened("forward", O_WRONLY | O_TRUNC);
    for (int i = 0; i < 30; i++) {
        MUST(lseek(fd, i * 2000, SEEK_SET) == i * 2000); /* where it is anyhow */
        put(fd, 2000);
    }
    MUST(close(fd) == 0);
    expect(0, 0, 0, 1, 60000);
}

static void appending(void)
{
    int fd = opened("log", O_WRONLY | O_TRUNC | O_APPEND);
    for (int i = 0; i < 30; i++) {
        MUST(lseek(fd, 0, SEEK_SET) == 0);
        put(fd, 500);
    }
    put_at(fd, 500, 100); /* Linux appends that, too */
    MUST(close(fd) == 0);
    fd = opened("log", O_WRONLY);
    for (int i = 0; i < 10; i++) {
        int flags = fcntl(fd, F_GETFL);
        MUST(fcntl(fd, F_SETFL, i % 2 ? flags & ~O_APPEND : flags | O_APPEND) == 0);
        MUST(lseek(fd, 0, SEEK_SET) == 0);
        put(fd, 500);
    }
    MUST(close(fd) == 0);
    struct iovec part = {block, 500};
    fd = opened("log", O_WRONLY);
    for (int i = 0; i < 10; i++)
        MUST(pwritev2(fd, &part, 1, 0, RWF_APPEND) == 500);
    MUST(close(fd) == 0);
    expect(5, 5 * 500 + 4 * 500, 0, 3, 31 * 500 + 10 * 500 + 10 * 500);
}

static void reading_between(void)
{
    int fd = opened("mixed", O_RDWR | O_TRUNC);
    put(fd, 10000);
    for (int i = 0; i < 10; i++) {
        MUST(lseek(fd, 0, SEEK_SET) == 0);
        for (int k = 0; k < 10 + i; k++)
            MUST(read(fd, block, 1000) == 1000);
        put(fd, 1000); /* back at the end */
    }
    MUST(close(fd) == 0);
    expect(0, 0, 0, 1, 20000);
}

static void only_reading(void)
{
    int fd = opened("read", O_RDWR | O_TRUNC);
    MUST(ftruncate(fd, 50000) == 0);
    for (int i = 0; i < 50; i++) {
        MUST(read(fd, block, 1000) == 1000);
        MUST(write(fd, block, 0) == 0);
        MUST(lseek(fd, i * 1000, SEEK_SET) == i * 1000);
    }
    MUST(close(fd) == 0);
    expect(0, 0, 0, 0, 0);
}

/* Numbers change hands. */

static void duplicates(void)
{
    int fd = opened("one", O_WRONLY | O_TRUNC);
    put(fd, 3000);
    int twin = dup(fd);
    MUST(twin > fd);
    put(twin, 2000); /* a new number begins anew */
    MUST(close(fd) == 0);
    MUST(lseek(twin, 0, SEEK_SET) == 0);
    put(twin, 1000);
    int other = opened("two", O_WRONLY | O_TRUNC);
    put(other, 700);
    MUST(dup2(twin, other) == other); /* closes what was written there */
    MUST(close(other) == 0);
    MUST(close(twin) == 0);
    int three = opened("three", O_WRONLY | O_TRUNC), third = fcntl(three, F_DUPFD, 0);
    put(third, 50);
    MUST(close(third) == 0); /* the file stays open, and was written */
    MUST(close(three) == 0);
    expect(1, 2000, 0, 4, 3000 + 3000 + 700 + 50);
}

/* As a shell writes: a line to a file that it keeps open, then one to a file opened for it. */
static void redirections(void)
{
    int kept = opened("kept", O_WRONLY | O_TRUNC), out = opened("out", O_WRONLY | O_TRUNC);
    for (int k = 0; k < 20; k++) {
        int saved = fcntl(out, F_DUPFD, 10);
        MUST(saved >= 10 && dup2(kept, out) == out);
        put(out, 30);
        MUST(dup2(saved, out) == out && close(saved) == 0);
        saved = fcntl(out, F_DUPFD, 10);
        int once = opened("once", O_WRONLY | O_TRUNC);
        MUST(saved >= 10 && dup2(once, out) == out && close(once) == 0);
        put(out, 7);
        MUST(dup2(saved, out) == out && close(saved) == 0);
    }
    MUST(close(kept) == 0 && close(out) == 0);
    expect(0, 0, 0, 21, 20 * 30 + 20 * 7);
}

static void reused_number(void)
{
    int first = opened("a", O_WRONLY | O_TRUNC);
    put(first, 9000);
    MUST(close(first) == 0);
    int fd = opened("b", O_WRONLY | O_TRUNC);
    MUST(fd == first);
    put_at(fd, 100, 10); /* no step back: that was another file */
    MUST(syscall(SYS_close, fd) == 0);
    fd = opened("c", O_WRONLY | O_TRUNC);
    MUST(fd == first);
    put_at(fd, 100, 10); /* nor here */
    MUST(close(fd) == 0);
    int pair[2];
    MUST(pipe(pair) == 0);
    MUST(write(pair[1], block, 100) == 100 && close(pair[0]) == 0 && close(pair[1]) == 0);
    expect(0, 0, 0, 2, 9100);
}

static void children(void)
{
    int fd = opened("shared", O_WRONLY | O_TRUNC), status;
    put(fd, 8000);
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (child == 0) { /* what the parent wrote is not the child's to close */
            MUST(close(fd) == 0);
            fd = opened("child", O_WRONLY | O_TRUNC);
            put(fd, 600);
            MUST(lseek(fd, 0, SEEK_SET) == 0);
            put(fd, 400);
            MUST(close(fd) == 0);
            _exit(0);
        }
        MUST(waitpid(child, &status, 0) == child && status == 0);
    }
    pid_t child = vfork();
    if (child == 0) {
        close(fd);
        _exit(0);
    }
    MUST(waitpid(child, &status, 0) == child);
    put(fd, 1000);
    MUST(close(fd) == 0);
    expect(3, 1800, 0, 4, 9000 + 3000);
}

/* Threads, each with a file of its own. */

static void *one_thread(void *arg)
{
    char mine[4096];
    snprintf(mine, sizeof mine, "%s/thread-%ld", folder, (long)arg);
    for (int round = 0; round < 20; round++) {
        int fd = open(mine, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        MUST(fd >= 0);
        for (int i = 0; i < 5; i++)
            put_at(fd, 1000, 0);
        MUST(close(fd) == 0);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t thread[8];
    for (long i = 0; i < 8; i++)
        MUST(pthread_create(&thread[i], NULL, one_thread, (void *)i) == 0);
    for (int i = 0; i < 8; i++)
        MUST(pthread_join(thread[i], NULL) == 0);
    expect(8 * 20 * 4, 8 * 20 * 4000, 0, 8 * 20, 8 * 20 * 5000);
}

/* One descriptor for all: only the bytes are certain. */

static int together;

static void *one_writer(void *arg)
{
    for (int i = 0; i < 2000; i++)
        put_at(together, 100, ((long)arg * 2000 + i) * 100);
    return NULL;
}

static void one_descriptor(void)
{
    pthread_t thread[4];
    together = opened("together", O_WRONLY | O_TRUNC);
    for (long i = 0; i < 4; i++)
        MUST(pthread_create(&thread[i], NULL, one_writer, (void *)i) == 0);
    for (int i = 0; i < 4; i++)
        MUST(pthread_join(thread[i], NULL) == 0);
    MUST(close(together) == 0);
    expect(-1, -1, -1, 1, -1);
}

/* Copies, asynchronous writes, streams. */

static void copies(void)
{
    int in = opened("source", O_RDWR | O_TRUNC), out = opened("target", O_WRONLY | O_TRUNC);
    off64_t from = 0, to = 0;
    put(in, 5000);
    for (int i = 0; i < 10; i++) {
        from = 0;
        to = 0;
        MUST(copy_file_range(in, &from, out, &to, 5000, 0) == 5000);
    }
    MUST(lseek(out, 5000, SEEK_SET) == 5000);
    off_t at = 0;
    MUST(sendfile(out, in, &at, 1000) == 1000);
    MUST(close(in) == 0 && close(out) == 0);
    expect(9, 45000, 0, 2, 5000 + 51000);
}

static void asynchronous(void)
{
    int fd = opened("aio", O_WRONLY | O_TRUNC);
    for (int i = 0; i < 10; i++) {
        struct aiocb request = {.aio_fildes = fd, .aio_buf = block, .aio_nbytes = 1000};
        const struct aiocb *list[1] = {&request};
        request.aio_offset = i * 1000;
        MUST(aio_write(&request) == 0);
        while (aio_error(&request) == EINPROGRESS)
            aio_suspend(list, 1, NULL);
        MUST(aio_return(&request) == 1000);
    }
    MUST(close(fd) == 0);
    expect(0, 0, 0, 1, 10000);
}

static FILE *stream(const char *name, const char *mode)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *fp = fopen(path, mode);
    MUST(fp != NULL);
    return fp;
}

static void streams(void)
{
    char name[32];
    for (int i = 0; i < 20; i++) { /* files one after the other */
        snprintf(name, sizeof name, "stream-%d", i);
        FILE *fp = stream(name, "w");
        MUST(fwrite(block, 1, 3000, fp) == 3000 && fputs("hello", fp) >= 0);
        for (int k = 0; k < 95; k++)
            MUST(putc('x', fp) == 'x');
        MUST(fclose(fp) == 0);
    }
    FILE *fp = stream("rewritten", "w+");
    for (int i = 0; i < 11; i++) { /* rewritten; small enough to stay in the buffer, and not */
        rewind(fp);
        size_t n = i % 2 ? 20000 : 200;
        MUST(fwrite(block, 1, n, fp) == n && fprintf(fp, "%05d", i) == 5);
    }
    for (int i = 0; i < 10; i++) { /* characters, and a look at what is there */
        MUST(fseek(fp, 100, SEEK_SET) == 0);
        MUST(getc(fp) != EOF);
        MUST(fseek(fp, 200, SEEK_SET) == 0);
        MUST(putc('x', fp) == 'x' && putc('y', fp) == 'y');
    }
    MUST(fseek(fp, 0, SEEK_END) == 0 && fseek(fp, 0, SEEK_CUR) == 0);
    MUST(fclose(fp) == 0);
    fp = stream("appended", "a+");
    for (int i = 0; i < 10; i++) {
        rewind(fp);
        MUST(fputs("line\n", fp) >= 0);
    }
    MUST(fclose(fp) == 0);
    fp = stream("appended", "r");
    while (getc(fp) != EOF)
        ;
    MUST(fclose(fp) == 0);
    /* 10 rewinds behind a write; the last of these wrote 205 bytes, and then ten times two at 200 */
    expect(20, 5 * 20005 + 5 * 205 + 205 + 9 * 2, 0, 22,
           20 * 3100 + (5 * 20005 + 6 * 205 + 20) + 50);
}

/* A shell's child that is redirected: what its parent wrote to that number is no file of the child,
 * also when dup2 is the first that the child does. */
static void redirected_child(void)
{
    int fd = opened("parents", O_WRONLY | O_TRUNC), other = opened("childs", O_WRONLY | O_TRUNC);
    put(fd, 5000);
    pid_t child = fork();
    if (child == 0) {
        MUST(dup2(other, fd) == fd);
        put(fd, 100);
        MUST(close(fd) == 0);
        _exit(0);
    }
    MUST(child > 0 && waitpid(child, NULL, 0) == child);
    MUST(close(fd) == 0 && close(other) == 0);
    expect(0, 0, 0, 1, 5000); /* the child never closed the number it was made from */
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"open-write-close", open_write_close},
        {"reused-file", reused_file},
        {"write-seek", write_seek},
        {"write-seek-at", write_seek_at},
        {"aggregate-write", aggregate_write},
        {"aggregate-at", aggregate_at},
        {"strided", strided},
        {"seeks-forward", seeks_forward},
        {"appending", appending},
        {"reading-between", reading_between},
        {"only-reading", only_reading},
        {"duplicates", duplicates},
        {"redirections", redirections},
        {"reused-number", reused_number},
        {"children", children},
        {"redirected-child", redirected_child},
        {"threads", threads},
        {"one-descriptor", one_descriptor},
        {"copies", copies},
        {"asynchronous", asynchronous},
        {"streams", streams},
    };
    MUST(argc == 3);
    truth_begin();
    folder = argv[1];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(argv[2], cases[i].name)) {
            cases[i].run();
            return 0;
        }
    return 2;
}
