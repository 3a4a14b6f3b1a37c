/*
 * Counts its threads as CPython does before it warns of a fork: by fopen of /proc/self/stat. Prints
 * the number, first alone and then beside nine threads.
 */
#include "truth.h"

#include <pthread.h>

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
    printf("%ld", threads());
    for (int i = 0; i < 9; i++) {
        MUST(pthread_create(&thread, NULL, wait_long, NULL) == 0);
    }
    printf(" %ld\n", threads());
    return 0;
}
