/* Prints what a program can see of its own process: children, signals, limits, threads by wait. */
#include "../truth.h"

#include <langinfo.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void *nothing(void *argument)
{
    return argument;
}

int main(int argc, char **argv)
{
    static char big[200000];
    char name[32] = "";
    sigset_t mask;
    pthread_t thread;
    int fd, waited;
    MUST(argc == 2 && chdir(argv[1]) == 0);
    fd = open("data", O_RDWR | O_CREAT, 0644);
    MUST(write(fd, big, sizeof big) == sizeof big);
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
    usleep(250000);
    printf("fd %d\n", fd);
    waited = (int)waitpid(-1, NULL, WNOHANG | __WALL);
    printf("wait %d %s\n", waited, strerror(errno));
    sigprocmask(SIG_SETMASK, NULL, &mask);
    for (int i = 1; i < 65; i++) {
        struct sigaction action;
        if (sigaction(i, NULL, &action) == 0) {
            printf("%d:%d%c", i, action.sa_handler != SIG_DFL, sigismember(&mask, i) ? 'b' : ' ');
        }
    }
    prctl(PR_GET_NAME, name);
    printf("\numask %o dumpable %d slack %d\n", umask(022), prctl(PR_GET_DUMPABLE),
           (int)prctl(PR_GET_TIMERSLACK));
    printf("locale %s\n", nl_langinfo(CODESET));
    return 0;
}
