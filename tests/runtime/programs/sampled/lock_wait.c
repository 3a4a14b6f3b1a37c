/* Waits half a second for a lock that another process has. */
#include "../truth.h"

#include <sys/wait.h>

int main(int argc, char **argv)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    int ready[2];
    char byte;
    MUST(argc == 2 && chdir(argv[1]) == 0);
    truth_begin();
    int fd = open("lock", O_RDWR | O_CREAT, 0600);
    MUST(fd >= 0 && pipe(ready) == 0);
    pid_t child = fork();
    if (child == 0) {
        MUST(fcntl(fd, F_SETLK, &lock) == 0 && write(ready[1], "", 1) == 1);
        usleep(500000);
        _exit(0);
    }
    MUST(read(ready[0], &byte, 1) == 1);
    MUST(fcntl(fd, F_SETLKW, &lock) == 0);
    DID(posix_meta_ops, 1);
    waitpid(child, NULL, 0);
    return 0;
}
