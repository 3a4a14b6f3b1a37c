/* Prints the fate of the first N calls: -1, or nanoseconds. draw RULES KEY N: the key is that of rank
 * 3, place 0, class 5. */
#include "injector.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char where[64];
    const char *wrong = jst_rules_read(argv[1], where);
    if (argc != 3 || wrong) {
        printf("%s: %s\n", where, wrong);
        return 1;
    }
    uint64_t key = jst_chance_key(jst_rule.seed, 3, 0, 5), ns;
    for (uint64_t n = 0; n < strtoull(argv[2], NULL, 10); n++)
        printf("%lld\n", jst_chance(&jst_rule, key, n, &ns) ? (long long)ns : -1LL);
    return 0;
}
