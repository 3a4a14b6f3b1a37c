/* fuzz_preload.c: arbitrary arguments of the SPANK plugin, a user's option and LD_PRELOAD. */
#include <stdlib.h>

#include "../../integrations/slurm/preload_plan.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char out[JST_PRELOAD_MAX + JST_LIBRARY_MAX + 2];
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    struct jst_site site = {.min_slice_ns = 1};
    struct jst_choice choice = {0};
    (void)jst_plan_argument(&site, text);
    (void)jst_plan_option(&site, text, &choice);
    (void)jst_plan_preload(text, "/l/libjostle.so", true, out);
    enum jst_change change = jst_plan_preload(text, NULL, false, out);
    if (change == JST_SET && holds_ours(out))
        abort();
    (void)jst_plan_library(text, 0, out, JST_LIBRARY_MAX);
    (void)jst_plan_library(text, 1, out, JST_LIBRARY_MAX);
    (void)jst_plan_inherited(text, out, 100);
    (void)jst_plan_for_loaders(text, JST_PLATFORM, out, 100);
    free(text);
    return 0;
}
