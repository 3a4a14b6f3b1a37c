/* A vfork child shares its parent's memory: its dup2, close, _exit and exec are not the parent's. */
#include "../truth.h"

#include <spawn.h>
#include <sys/wait.h>

extern char **environ;
static int fd, other;

static void write_once(int to)
{
    MUST(write(to, "0123456789", 10) == 10);
    DID_WRITE(10);
}

static void must_end(pid_t pid, int wanted)
{
    int status;
    MUST(pid > 0 && waitpid(pid, &status, 0) == pid);
    MUST(WIFEXITED(status) && WEXITSTATUS(status) == wanted);
}

int main(int argc, char **argv)
{
    char *command[] = {(char *)"/bin/sh", (char *)"-c", (char *)"exit 3", NULL};
    char *missing[] = {(char *)"/nonexistent/program", NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    MUST(argc == 2 && chdir(argv[1]) == 0);
    truth_begin();
    fd = open("data", O_RDWR | O_CREAT, 0644);
    other = open("/dev/null", O_RDWR);
    DID(posix_open_ops, 1);
    for (int i = 0; i < 50; i++) {
        write_once(fd);
        pid = vfork();
        if (pid == 0) { /* here fd is no file any more; in the parent it still is */
            dup2(other, fd);
            close(other);
            close(0);
            _exit(7);
        }
        must_end(pid, 7);
        write_once(fd);
        pid = vfork();
        if (pid == 0) {
            write_once(fd);
            dup2(fd, 1);
            execve(command[0], command, environ);
            _exit(1);
        }
        must_end(pid, 3);
        pid = vfork();
        if (pid == 0) {
            execv(missing[0], missing);
            _exit(errno == ENOENT ? 9 : 8);
        }
        must_end(pid, 9);
        write_once(fd);
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fd, 1);
    posix_spawn_file_actions_addclose(&actions, fd);
    MUST(posix_spawn(&pid, command[0], &actions, NULL, command, environ) == 0);
    must_end(pid, 3);
    MUST(posix_spawnp(&pid, "no-such-program", NULL, NULL, missing, environ) == ENOENT);
    must_end(fork() ?: (_exit(4), 0), 4);
    write_once(fd);
    MUST(system("exit 5") == 5 << 8);
    write_once(fd);
    return 0;
}
