/* fuzz_text.h: gives a fuzzer's input, as a text, to the parser `parse` of the including file:
 * twice, so that the second numbers are compared with the first.
 */
#include <string.h>

#include "component.h"

static void parse(jst_sample *s, char *input);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char input[65536];
    jst_sample s = {0};
    if (size >= sizeof input)
        return 0;
    for (int round = 0; round < 2; round++) {
        memcpy(input, data, size);
        input[size] = 0;
        jst_sample_begin(&s);
        parse(&s, input);
        jst_sample_end(&s);
    }
    jst_sample_free(&s);
    return 0;
}
