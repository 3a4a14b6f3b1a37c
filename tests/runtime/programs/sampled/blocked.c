/* blocked.c: starts its profile, then waits in one read of a pipe for as long as a child sleeps; the
 * clock before and after it as a note. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "../truth.h"

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
    static char data[70000];
    char text[100];
    int ends[2];
    MUST(argc == 3 && chdir(argv[1]) == 0 && pipe(ends) == 0);
    int fd = open("moved", O_CREAT | O_WRONLY, 0600);
    MUST(write(fd, data, sizeof data) == sizeof data); /* enough for a profile */
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        usleep((useconds_t)atoi(argv[2]) * 1000);
        MUST(write(ends[1], "x", 1) == 1);
        _exit(0);
    }
    long long begin = now();
    MUST(read(ends[0], data, 1) == 1);
    snprintf(text, sizeof text, "%lld %lld", begin, now());
    truth_note("waited", text);
    MUST(waitpid(child, NULL, 0) == child);
    return 0;
}
