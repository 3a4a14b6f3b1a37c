/* Writes a line by pwrite into its standard output, which is a file. */
#include <unistd.h>

int main(void)
{
    return pwrite(STDOUT_FILENO, "a line\n", 7, 0) == 7 ? 0 : 1;
}
