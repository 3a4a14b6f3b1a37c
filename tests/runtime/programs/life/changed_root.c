/* What goes on after chroot into an empty folder: main program, thread, children, other user.
 * changed_root JAIL [closed]: with all descriptors closed afterwards.
 *
 * The children share their parent's account, since they cannot open one of their own. */
#include "../truth.h"

#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void work(const char *path, int writes, int size)
{
    static char data[4096];
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0644);
    MUST(fd >= 0);
    for (int i = 0; i < writes; i++) {
        MUST(write(fd, data, size) == size);
        DID_WRITE(size);
    }
    MUST(close(fd) == 0);
}

static void *in_thread(void *path)
{
    work(path, 100, 10);
    return NULL;
}

/* A child that lives as long as one that would have a profile, and has a short one of its own. */
static void in_child(void)
{
    work("/child", 100, 10);
    work("/large", 50, 4096);
    usleep(200000);
    pid_t pid = fork();
    if (pid == 0) {
        work("/grandchild", 7, 10);
        exit(0);
    }
    MUST(waitpid(pid, NULL, 0) == pid);
    exit(0);
}

static void as_other_user(void)
{
    MUST(setgid(65534) == 0 && setuid(65534) == 0);
    MUST(open("/denied", O_CREAT | O_WRONLY, 0644) < 0 && errno == EACCES);
    DID(error_access_ops, 1);
    _exit(0);
}

static void await(void (*child)(void))
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        child();
    }
    MUST(waitpid(pid, &status, 0) == pid && status == 0);
}

/* A directory outside of the new root would be a way out of it. */
static void look_for_directories(void)
{
    struct stat st;
    for (int fd = 0; fd < 65536; fd++) {
        MUST(fstat(fd, &st) < 0 || !S_ISDIR(st.st_mode));
    }
}

int main(int argc, char **argv)
{
    pthread_t thread;
    bool closed = argc > 2 && strcmp(argv[2], "closed") == 0;
    truth_begin();
    MUST(mkdir(argv[1], 0755) == 0 && chroot("/no/such/folder") < 0);
    MUST(chroot(argv[1]) == 0 && chdir("/") == 0);
    look_for_directories();
    if (closed) {
        for (int fd = 3; fd < 65536; fd++) {
            close(fd);
        }
    }
    work("/main", 100, 10);
    MUST(pthread_create(&thread, NULL, in_thread, "/thread") == 0);
    MUST(pthread_join(thread, NULL) == 0);
    await(in_child);
    await(as_other_user);
    return 0;
}
