/*
 * Counts its threads as CPython does before it warns of a fork, by fopen of /proc/self/stat, and as
 * Chromium's zygote does before it forks, by the links of /proc/self/task, in every way to ask for
 * them. Prints the number, first alone and then with nine threads.
 */
#include "../truth.h"

#include <pthread.h>
#include <sys/stat.h>

static long threads(void)
{
    char text[2000];
    FILE *f = fopen("/proc/self/stat", "r");
    MUST(f != NULL);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    char *p = strrchr(text, ')') + 2;
    for (int field = 3; field < 20; field++) {
        p = strchr(p, ' ') + 1;
    }
    return strtol(p, NULL, 10);
}

static long links(void)
{
    struct stat st[5];
    struct statx x;
    int proc = open("/proc", O_RDONLY | O_DIRECTORY), self = open("/proc/self", O_RDONLY);
    int task = open("/proc/self/task", O_RDONLY | O_DIRECTORY);
    MUST(stat("/proc/self/task", &st[0]) == 0 && lstat("/proc/self/task/", &st[1]) == 0);
    MUST(fstatat(proc, "self/task/", &st[2], 0) == 0 && fstatat(self, "task", &st[3], 0) == 0);
    MUST(fstat(task, &st[4]) == 0 && statx(task, "", AT_EMPTY_PATH, STATX_ALL, &x) == 0);
    for (int i = 0; i < 5; i++) {
        MUST(st[i].st_nlink == x.stx_nlink);
    }
    MUST(stat("/proc/1/task", &st[0]) == 0 && stat("/proc/self/net", &st[1]) == 0);
    MUST(close(proc) == 0 && close(self) == 0 && close(task) == 0);
    return (long)x.stx_nlink - 2;
}

static void *wait_long(void *argument)
{
    sleep(100);
    return argument;
}

int main(int argc, char **argv)
{
    static char bytes[100000];
    pthread_t thread;
    int fd;
    MUST(argc == 2);
    fd = open(argv[1], O_RDWR | O_CREAT, 0644);
    MUST(write(fd, bytes, sizeof bytes) == sizeof bytes);
    MUST(links() == threads());
    printf("%ld", threads());
    for (int i = 0; i < 9; i++) {
        MUST(pthread_create(&thread, NULL, wait_long, NULL) == 0);
    }
    MUST(links() == threads());
    printf(" %ld\n", threads());
    return 0;
}
