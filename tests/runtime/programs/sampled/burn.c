/* Computes without any call: for a given CPU time, or until it is killed.
 *
 *   burn SECONDS          and end by return
 *   burn SECONDS fork     in a forked child, which ends by _exit
 *   burn SECONDS write F  and write 100 000 bytes to F afterwards, 1000 times in half a second
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long work;

/* The clock is libc's own or the kernel's: neither is wrapped. */
static void burn(double seconds)
{
    struct timespec t;
    do {
        for (int i = 0; i < 1000000; i++)
            work++;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    } while ((double)t.tv_sec + (double)t.tv_nsec / 1e9 < seconds);
}

int main(int count, char **words)
{
    static char buffer[100000];
    const char *how = count > 2 ? words[2] : "";
    double seconds = atof(words[1]);
    if (strcmp(how, "fork") == 0) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            burn(seconds);
            _exit(0);
        }
        return waitpid(child, &status, 0) != child || status != 0;
    }
    burn(seconds);
    if (strcmp(how, "write") == 0) {
        int fd = open(words[3], O_CREAT | O_WRONLY, 0600);
        for (int i = 0; i < 1000; i++) {
            usleep(500);
            if (pwrite(fd, buffer, 100, 0) != 100)
                return 2;
        }
    }
    return 0;
}
