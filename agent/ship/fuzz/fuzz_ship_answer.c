/* fuzz_ship_answer.c: fuzzes the parser of answers from a receiver, or from another program in its
 * place. */
#include <stdlib.h>
#include <string.h>

#include "../connection/answer.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static jst_answer answer;
    char *exact = malloc(size + 1); /* so that a read beyond it is detected */
    memcpy(exact, data, size);
    if (jst_answer_parse(exact, size, &answer) &&
        (answer.files > JST_ANSWER_FILES || answer.after_ns < 0))
        abort();
    /* And after a valid beginning. */
    static char whole[1 << 16] = "jostle-ship 1\n";
    if (size < sizeof whole - 15) {
        memcpy(whole + 14, data, size);
        whole[14 + size] = '\n';
        jst_answer_parse(whole, 15 + size, &answer);
    }
    free(exact);
    return 0;
}
