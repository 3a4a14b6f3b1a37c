/* Ten file systems, mounted one after the other, with 1000, 2000 ... 10 000 bytes written to them. */
#include "../truth.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

int main(int argc, char **argv)
{
    static char buffer[10000];
    char path[64];
    MUST(argc == 2 && chdir(argv[1]) == 0);
    truth_begin();
    for (int i = 1; i <= 10; i++) {
        int fd;
        snprintf(path, sizeof path, "m%d", i);
        MUST(mkdir(path, 0755) == 0);
        DID(posix_meta_ops, 1);
        MUST(mount("tmpfs", path, "tmpfs", 0, "size=64k") == 0);
        snprintf(path, sizeof path, "m%d/file", i);
        fd = open(path, O_WRONLY | O_CREAT, 0644);
        MUST(fd >= 0);
        DID(posix_open_ops, 1);
        MUST(write(fd, buffer, (size_t)i * 1000) == i * 1000);
        DID_WRITE(i * 1000);
        MUST(close(fd) == 0);
        DID(posix_close_ops, 1);
    }
    usleep(250000);
    return 0;
}
