/* Prints which window of each of COUNT periods is on: places SEED FIRST PLACES COUNT. */
#include "injector.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    uint64_t value[4];
    if (argc != 5)
        return 1;
    for (int i = 0; i < 4; i++)
        value[i] = strtoull(argv[i + 1], NULL, 10);
    for (uint64_t k = value[1]; k < value[1] + value[3]; k++)
        printf("%llu\n", (unsigned long long)jst_place(value[0], k, value[2]));
    return 0;
}
