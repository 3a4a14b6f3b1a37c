/*
 * Locks what it maps from now on, and may lock 64 KiB only: no profile can be mapped. Writes 100 KiB into argv[1].
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static char path[4096], block[1024];
    const struct rlimit limit = {65536, 65536};
    if (argc < 2 || setrlimit(RLIMIT_MEMLOCK, &limit) != 0)
        return 2;
    if (geteuid() == 0 && setuid(65534) != 0) /* root may lock more */
        return 3;
    snprintf(path, sizeof path, "%s/data", argv[1]);
    if (mlockall(MCL_FUTURE) != 0)
        return 4;
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    for (int i = 0; i < 100; i++)
        if (write(fd, block, sizeof block) != (ssize_t)sizeof block)
            return 5;
    return close(fd) == 0 ? 0 : 6;
}
