/* fuzz_inject.c: arbitrary text as JOSTLE_INJECT, and the delays that follow from it. */
#include <stdlib.h>
#include <string.h>

#include "../../lab/inject/random_delays.c"
#include "../../lab/inject/rules.c"

#define LONGEST UINT64_C(1000000000000000000) /* 30 years: no rule can request such a delay */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[2048], where[64];
    uint64_t ns;
    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    const char *wrong = jst_rules_read(text, where);
    if (memchr(where, 0, sizeof where) == NULL || (wrong == NULL) != (jst_rule.classes != 0))
        abort();
    if (wrong)
        return 0;
    for (int64_t rank = -1; rank < 3; rank++) {
        jst_rules_rank(rank);
        uint64_t key = jst_chance_key(jst_rule.seed, rank, 1, (unsigned)size % 64);
        for (uint64_t n = 0; n < 16; n++)
            if (jst_chance(&jst_rule, key, n * size, &ns) && ns > LONGEST)
                abort();
    }
    return 0;
}
