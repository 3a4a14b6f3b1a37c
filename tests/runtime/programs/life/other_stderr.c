/* Closes standard error and opens its data under the same number: nobody may print there. */
#include "../truth.h"

int main(int argc, char **argv)
{
    static char bytes[100000];
    MUST(argc == 2);
    memset(bytes, 'd', sizeof bytes);
    close(2);
    MUST(open(argv[1], O_RDWR | O_CREAT, 0644) == 2);
    MUST(pwrite(2, bytes, sizeof bytes, 0) == sizeof bytes);
    return 0;
}
