/* Bursts of writes, each in the middle of a slice of 100 ms; for each, the clock before and after it
 * and the number of writes, as notes. */
#include "../truth.h"

#include <time.h>

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
    static char buffer[4096];
    char text[100];
    int fd;
    MUST(argc == 2 && chdir(argv[1]) == 0);
    fd = open("data", O_RDWR | O_CREAT, 0644);
    for (int burst = 1; burst <= 6; burst++) {
        long long begin;
        usleep((useconds_t)((250000000 - now() % 100000000) / 1000));
        begin = now();
        for (int i = 0; i < 50 * burst; i++) {
            MUST(pwrite(fd, buffer, sizeof buffer, 0) == sizeof buffer);
        }
        snprintf(text, sizeof text, "%lld %lld %d", begin, now(), 50 * burst);
        truth_note("burst", text);
    }
    return 0;
}
