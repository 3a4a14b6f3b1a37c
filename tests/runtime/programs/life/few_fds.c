/* Opens descriptors until there are no more, prints how many, and moves enough for a profile. */
#include "../truth.h"

int main(int argc, char **argv)
{
    static char buffer[100000];
    int count = 0, fd, last = -1;
    MUST(argc == 2 && chdir(argv[1]) == 0);
    for (int i = 0; i < 3; i++) {
        fd = open("data", O_RDWR | O_CREAT, 0644);
        if (fd >= 0) {
            MUST(write(fd, buffer, sizeof buffer) == sizeof buffer);
            close(fd);
        }
        usleep(120000);
    }
    while ((fd = open("data", O_RDONLY)) >= 0) {
        count++;
        last = fd;
    }
    printf("%d %d %s\n", count, last, strerror(errno));
    return 0;
}
