/* Calls whose last arguments differ in type: locks, owners, pipe sizes, exec with lists. */
#include "../truth.h"

#include <sys/prctl.h>
#include <sys/wait.h>

int main(int argc, char **argv)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 5, .l_len = 10};
    struct f_owner_ex owner = {F_OWNER_PID, getpid()};
    struct f_owner_ex seen = {0, 0};
    char name[16] = "";
    char *env[] = {(char *)"ENV=3", NULL};
    int ends[2], fd, status;
    pid_t pid;
    MUST(argc == 2 && chdir(argv[1]) == 0);
    fd = open("data", O_RDWR | O_CREAT, 0644);
    MUST(fcntl(fd, F_SETLK, &lock) == 0);
    MUST(fcntl(fd, F_GETFD) == 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0);
    MUST(fcntl(fd, F_GETFD) == FD_CLOEXEC);
    MUST(fcntl(fd, F_SETFL, O_APPEND) == 0 && (fcntl(fd, F_GETFL) & O_APPEND));
    pid = fork();
    if (pid == 0) {
        lock = (struct flock){.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 100};
        MUST(fcntl(fd, F_GETLK, &lock) == 0);
        MUST(lock.l_type == F_WRLCK && lock.l_start == 5 && lock.l_pid == getppid());
        _exit(0);
    }
    MUST(waitpid(pid, &status, 0) == pid && status == 0);
    MUST(pipe(ends) == 0);
    MUST(fcntl(ends[0], F_SETOWN_EX, &owner) == 0 && fcntl(ends[0], F_GETOWN_EX, &seen) == 0);
    MUST(seen.pid == getpid());
    MUST(fcntl(ends[1], F_SETPIPE_SZ, 65536) >= 65536 && fcntl(ends[1], F_GETPIPE_SZ) >= 65536);
    MUST(prctl(PR_SET_NAME, "renamed") == 0 && prctl(PR_GET_NAME, name) == 0);
    MUST(strcmp(name, "renamed") == 0);
    MUST(execl("/nonexistent", "a", "b", (char *)NULL) == -1 && errno == ENOENT);
    execle("/bin/sh", "sh", "-c", "echo $0 $1 ENV=$ENV", "one", "two", (char *)NULL, env);
    return 1;
}
