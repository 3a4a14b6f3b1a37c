/* Uses files in ways that test_which_file.py knows: which_file WHAT. It works in the folder it is started in. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MUST(condition) ((condition) ? (void)0 : (perror(#condition), exit(99)))

static char bytes[70000];

static int made(const char *path)
{
    int fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600);
    MUST(fd >= 0);
    return fd;
}

static void put(int fd, size_t n)
{
    MUST(write(fd, bytes, n) == (ssize_t)n);
}

/* Each way to a descriptor, and each kind of call. */
static void ways(void)
{
    int fd = made("a.bin"), copy = dup(fd), other = made("other.bin");
    put(fd, 65536);
    MUST(pwrite(fd, bytes, 100, 0) == 100);
    put(copy, 7);
    put(other, 3);
    MUST(dup2(copy, other) == other); /* other.bin is closed by it */
    put(other, 5);
    MUST(fsync(fd) == 0);
    MUST(close(copy) == 0 && close(other) == 0);
    MUST(pread(fd, bytes, 50, 10) == 50);
    MUST(close(fd) == 0);
    MUST(rename("a.bin", "renamed.bin") == 0); /* what was counted keeps its name */
    FILE *stream = fopen("./b.txt", "w+");
    MUST(stream);
    for (int i = 0; i < 10; i++)
        MUST(fwrite(bytes, 1, 20, stream) == 20);
    MUST(fputc('x', stream) == 'x' && fflush(stream) == 0);
    rewind(stream);
    MUST(fread(bytes, 1, 30, stream) == 30);
    MUST(fclose(stream) == 0);
    MUST(mkdir("sub", 0700) == 0 && chdir("sub") == 0);
    int dir = open("..", O_RDONLY | O_DIRECTORY);
    MUST(dir >= 0);
    fd = openat(dir, "c.bin", O_CREAT | O_WRONLY, 0600);
    put(fd, 11);
    int unseen = made("d.bin"); /* in sub */
    put(unseen, 13);
    MUST(syscall(SYS_close, unseen) == 0);
    MUST(made("e.bin") == unseen);
    put(unseen, 17);
}

static void family(void)
{
    int fd = made("shared.bin");
    put(fd, 65536);
    pid_t child = fork();
    if (child == 0) {
        put(fd, 70000);
        put(made("child.bin"), 19);
        _exit(0);
    }
    MUST(waitpid(child, NULL, 0) == child);
    put(fd, 1);
}

static void *writer(void *fd)
{
    for (int i = 0; i < 20000; i++) {
        put(*(int *)fd, 10);
        if (i % 100 == 0)
            close(open("common.bin", O_CREAT | O_WRONLY, 0600));
    }
    return NULL;
}

static void in_four(void *(*body)(void *), void *of)
{
    pthread_t ids[4];
    for (int i = 0; i < 4; i++)
        MUST(pthread_create(&ids[i], NULL, body, of) == 0);
    for (int i = 0; i < 4; i++)
        MUST(pthread_join(ids[i], NULL) == 0);
}

static void threads(void)
{
    int fd = made("together.bin");
    in_four(writer, &fd);
}

/* Threads make room for each other's files, which they all open. */
static void *opener(void *unused)
{
    for (int i = 0; i < 3000; i++) {
        char name[32];
        snprintf(name, sizeof name, "file.%d", i);
        int fd = open(name, O_CREAT | O_WRONLY | O_APPEND, 0600);
        MUST(fd >= 0);
        put(fd, 10);
        MUST(close(fd) == 0);
    }
    return unused;
}

static void crowd(void)
{
    in_four(opener, NULL);
}

/* 5000 files; each 50th is large, and one stays open. */
static void many(void)
{
    int held = made("held.bin");
    for (int i = 0; i < 5000; i++) {
        char name[32];
        snprintf(name, sizeof name, "file.%d", i);
        int fd = made(name);
        put(fd, i % 50 ? 10 : 4000);
        MUST(close(fd) == 0);
    }
    put(held, 1);
}

static void killed(void)
{
    ways();
    kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {{"ways", ways},   {"family", family}, {"threads", threads},
               {"crowd", crowd}, {"many", many},     {"killed", killed}};
    for (size_t i = 0; argc == 2 && i < sizeof all / sizeof *all; i++)
        if (!strcmp(argv[1], all[i].name))
            all[i].run();
    return 0;
}
