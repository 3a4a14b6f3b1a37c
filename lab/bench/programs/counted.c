/*
 * counted: calls of each kind, between marks that strace and callgrind can see.
 *
 *   counted FOLDER N           do each kind of call N times, after the profile has started
 *   counted none               start and end
 *   counted hold N             write and rest for 10 ms, N times; print memory in KiB
 *
 * FOLDER is the working folder too; it has files as lab/bench/counts/files.py makes them. A mark is a
 * failing write of `mark NAME`, and a dump of callgrind's counts so far.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "counted_mark.h"

enum { FILES = 512, IN_A_FOLDER = 32 };

static const char *folder;
static char data[4096];
static int fd, growing, folder_fd;
static FILE *stream;
static char eight[8] = "jostle!";

static void check(int is_right, const char *what)
{
    if (!is_right) {
        perror(what);
        exit(1);
    }
}

static void rest(double seconds)
{
    struct timespec pause = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&pause, NULL);
}

#define REPEAT(NAME, CALL)                                                                         \
    static void NAME(int n)                                                                        \
    {                                                                                              \
        for (int i = 0; i < n; i++)                                                                \
            check(CALL, #NAME);                                                                    \
    }
REPEAT(do_write, write(growing, eight, 8) == 8)
REPEAT(do_pwrite, pwrite(fd, eight, 8, 0) == 8)
REPEAT(do_read, read(fd, eight, 8) == 8)
REPEAT(do_pread, pread(fd, eight, 8, 0) == 8)
REPEAT(do_fwrite, fwrite(eight, 8, 1, stream) == 1)
REPEAT(do_fread, fread(eight, 8, 1, stream) == 1)
REPEAT(do_lseek, lseek(fd, 0, SEEK_SET) == 0)
REPEAT(do_fsync, fsync(fd) == 0)
REPEAT(do_access, access(data, R_OK) == 0)

static void do_stat(int n)
{
    struct stat status;
    for (int i = 0; i < n; i++)
        check(stat(data, &status) == 0, "stat");
}

static void do_open_again(int n)
{
    for (int i = 0; i < n; i++) {
        int opened = open(data, O_RDONLY);
        check(opened >= 0 && close(opened) == 0, "open");
    }
}

static void do_openat_again(int n)
{
    for (int i = 0; i < n; i++) {
        int opened = openat(folder_fd, "data", O_RDONLY);
        check(opened >= 0 && close(opened) == 0, "openat");
    }
}

/* Each file that a format names is opened, read and closed once: name of the group, format. */
static void open_files(int at, const char *format, int in_a_folder)
{
    char path[4096];
    for (int i = 0; i < FILES; i++) {
        int length = *format == '/' ? snprintf(path, sizeof path, "%s", folder) : 0;
        snprintf(path + length, sizeof path - (size_t)length, format, i / in_a_folder, i);
        int opened = at == AT_FDCWD ? open(path, O_RDONLY) : openat(at, path, O_RDONLY);
        check(opened >= 0 && read(opened, eight, 8) == 8 && close(opened) == 0, path);
    }
}

/* As tar does it: a folder is opened, then its files by its descriptor. */
static void open_by_folder(const char *format)
{
    char path[4096];
    for (int i = 0; i < FILES; i++) {
        static int at;
        if (i % IN_A_FOLDER == 0) {
            snprintf(path, sizeof path, format, i / IN_A_FOLDER);
            at = open(path, O_RDONLY | O_DIRECTORY);
        }
        snprintf(path, sizeof path, "%d", i);
        int opened = openat(at, path, O_RDONLY);
        check(opened >= 0 && read(opened, eight, 8) == 8 && close(opened) == 0, path);
        if (i % IN_A_FOLDER == IN_A_FOLDER - 1)
            close(at);
    }
}

static void calls(int n)
{
    static const struct {
        const char *name;
        void (*repeat)(int);
    } KINDS[] = {
        {"write", do_write},
        {"pwrite", do_pwrite},
        {"read", do_read},
        {"pread", do_pread},
        {"lseek", do_lseek},
        {"fsync", do_fsync},
        {"access", do_access},
        {"stat", do_stat},
        {"open+close", do_open_again},
        {"openat+close", do_openat_again},
        {"fwrite", do_fwrite},
        {"fread", do_fread},
    };

    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        KINDS[k].repeat(16); /* what only the first calls do, is of the process */
        if (strcmp(KINDS[k].name, "read") == 0)
            check(lseek(fd, 0, SEEK_SET) == 0, "lseek");
        if (strcmp(KINDS[k].name, "fread") == 0)
            rewind(stream);
        mark_begin();
        KINDS[k].repeat(n);
        mark_end(KINDS[k].name);
    }
}

static void files(void)
{
    mark_begin();
    open_files(AT_FDCWD, "/absolute/%1$d/%2$d", IN_A_FOLDER);
    mark_end("absolute path");
    mark_begin();
    open_files(AT_FDCWD, "relative/%1$d/%2$d", IN_A_FOLDER);
    mark_end("relative path");
    mark_begin();
    open_files(AT_FDCWD, "single/0/%2$d", IN_A_FOLDER);
    mark_end("relative path, one folder");
    mark_begin();
    open_files(AT_FDCWD, "many/%2$d/%2$d", IN_A_FOLDER);
    mark_end("relative path, a folder each");
    mark_begin();
    open_files(folder_fd, "descriptor/%1$d/%2$d", IN_A_FOLDER);
    mark_end("descriptor of a folder above");
    mark_begin();
    open_by_folder("folder/%d");
    mark_end("descriptor of each folder");
}

/* Memory of the process in KiB that is not of unchanged files. */
static long dirty_kib(void)
{
    static char line[4096];
    long kib = 0, value = 0;
    FILE *rollup = fopen("/proc/self/smaps_rollup", "r");
    while (rollup && fgets(line, sizeof line, rollup))
        if (sscanf(line, "Private_Dirty: %ld", &value) == 1 ||
            sscanf(line, "Shared_Dirty: %ld", &value) == 1)
            kib += value;
    return kib;
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return 0;
    if (argc != 3)
        return 2;
    folder = argv[1];
    fd = open("data", O_RDWR);
    check(fd >= 0, "data");
    if (strcmp(folder, "hold") == 0) {
        for (int i = atoi(argv[2]); i > 0; i--) {
            check(write(fd, eight, 8) == 8, "data");
            rest(0.01);
        }
        printf("%ld\n", dirty_kib());
        return 0;
    }
    snprintf(data, sizeof data, "%s/data", folder);
    folder_fd = open(".", O_RDONLY | O_DIRECTORY);
    stream = fopen("stream", "r+");
    growing = open("growing", O_RDWR | O_CREAT | O_TRUNC, 0600);
    check(growing >= 0 && folder_fd >= 0 && stream, folder);
    check(write(fd, eight, 8) == 8, "data");
    rest(0.5); /* at the next call the profile starts */
    check(write(fd, eight, 8) == 8, "data");
    calls(atoi(argv[2]));
    files();
    return 0;
}
