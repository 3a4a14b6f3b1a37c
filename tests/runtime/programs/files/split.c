/* argv: two directories on different file systems; known work on each, reported as notes. */
#include "../truth.h"

#include <sys/stat.h>

int main(int argc, char **argv)
{
    static char buffer[70000];
    char path[512];
    struct stat s;
    MUST(argc == 3);
    truth_begin();
    for (int side = 0; side < 2; side++) {
        int fd;
        FILE *f;
        snprintf(path, sizeof path, "%s/file", argv[1 + side]);
        fd = open(path, O_RDWR | O_CREAT, 0644);
        MUST(fd >= 0);
        for (int i = 0; i < 10 * (side + 1); i++) {
            MUST(write(fd, buffer, 7000 + (size_t)side) == 7000 + side);
        }
        MUST(lseek(fd, 0, SEEK_SET) == 0);
        for (int i = 0; i < 5 * (side + 1); i++) {
            MUST(read(fd, buffer, 100) == 100);
        }
        MUST(fsync(fd) == 0 && close(fd) == 0 && stat(path, &s) == 0);
        snprintf(path, sizeof path, "%s/stream", argv[1 + side]);
        f = fopen(path, "w");
        for (int i = 0; i < 3 * (side + 1); i++) {
            MUST(fwrite(buffer, 1, 64, f) == 64);
        }
        fclose(f);
        snprintf(path, sizeof path, "%s/none/none", argv[1 + side]);
        MUST(open(path, O_RDONLY) == -1 && errno == ENOENT);
        snprintf(path, sizeof path, "%s/none", argv[1 + side]);
        for (int i = 0; i <= side; i++) {
            MUST(stat(path, &s) == -1);
        }
    }
    return 0;
}
