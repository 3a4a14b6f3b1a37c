/* blocked.c: starts its profile, then waits in one read of a pipe for as long as a child sleeps. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "truth.h"

int main(int argc, char **argv)
{
    static char data[70000];
    int ends[2];
    MUST(argc == 3 && chdir(argv[1]) == 0 && pipe(ends) == 0);
    int fd = open("moved", O_CREAT | O_WRONLY, 0600);
    MUST(write(fd, data, sizeof data) == sizeof data); /* enough for a profile */
    pid_t child = fork();
    if (child == 0) {
        usleep((useconds_t)atoi(argv[2]) * 1000);
        MUST(write(ends[1], "x", 1) == 1);
        _exit(0);
    }
    MUST(read(ends[0], data, 1) == 1);
    MUST(waitpid(child, NULL, 0) == child);
    return 0;
}
