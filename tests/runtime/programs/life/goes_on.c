/*
 * An exec that fails, in a process that is still young and has written to argv[1]. It goes on with calls that move
 * nothing, for a second, and is killed.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void rest(long ms)
{
    const struct timespec t = {0, ms * 1000000};
    nanosleep(&t, NULL);
}

int main(int argc, char **argv)
{
    struct stat st;
    if (argc < 2 || chdir(argv[1]) != 0)
        return 2;
    int fd = open("data", O_CREAT | O_WRONLY, 0600);
    if (write(fd, "ten bytes!", 10) != 10 || close(fd) != 0)
        return 3;
    rest(50);
    execl("/nonexistent/program", "program", (char *)NULL);
    for (int i = 0; i < 500; i++) {
        if (stat("data", &st) != 0)
            return 4;
        rest(2);
    }
    kill(getpid(), SIGKILL);
}
