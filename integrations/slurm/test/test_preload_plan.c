/* The decisions of the SPANK plugin, with what an operator writes and what a user might try. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../preload_plan.h"

#define OURS "/opt/jostle/lib/libjostle.so"
#define MS ((uint64_t)1000000)

static char out[JST_PRELOAD_MAX + JST_LIBRARY_MAX + 2];

static void test_lengths(void **state)
{
    (void)state;
    assert_int_equal(jst_plan_length("4s"), 4000 * MS);
    assert_int_equal(jst_plan_length("0.5"), 500 * MS);
    assert_int_equal(jst_plan_length("100ms"), 100 * MS);
    assert_int_equal(jst_plan_length("60"), 60000 * MS);
    const char *none[] = {
        "",  "s",   "99ms", "61s", "-1", "4 s", "4sx", "1e1", "999999999999999999999",
        ".", "0x4", "4s\n", "nan"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(jst_plan_length(none[i]), 0);
}

static void test_arguments(void **state)
{
    (void)state;
    struct jst_site site = {.profile = true};
    assert_true(jst_plan_argument(&site, "min_slice=100ms"));
    assert_true(jst_plan_argument(&site, "max_slice=10s"));
    assert_true(jst_plan_argument(&site, "library=" OURS));
    assert_true(jst_plan_argument(&site, "default=off"));
    assert_true(jst_plan_argument(&site, "container=singularity"));
    struct jst_site before = site;
    const char *bad[] = {"",
                         "=",
                         "min_slice=",
                         "max_slice=1h",
                         "library=relative.so",
                         "library=/a b/libjostle.so",
                         "library=/a:b",
                         "default=maybe",
                         "what"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(jst_plan_argument(&site, bad[i]));
    char *endless = malloc(100000);
    memset(endless, '/', 99999);
    memcpy(endless, "library=", 8);
    endless[99999] = 0;
    assert_false(jst_plan_argument(&site, endless));
    free(endless);
    assert_memory_equal(&site, &before, sizeof site);
    assert_int_equal(site.min_slice_ns, 100 * MS);
    assert_int_equal(site.max_slice_ns, 10000 * MS);
    assert_false(site.profile);
    assert_string_equal(site.library, OURS);
    assert_string_equal(site.container, "SINGULARITYENV_LD_PRELOAD");
}

static void test_options(void **state)
{
    (void)state;
    struct jst_site site = {.profile = true};
    struct jst_choice choice = {.profile = true};
    assert_int_equal(jst_plan_option(&site, "1s", &choice), JST_NO_SLICES);
    site.min_slice_ns = 500 * MS;
    assert_int_equal(jst_plan_option(&site, "100ms", &choice), JST_OUTSIDE);
    site.max_slice_ns = 5000 * MS;
    assert_int_equal(jst_plan_option(&site, "6s", &choice), JST_OUTSIDE);
    assert_int_equal(jst_plan_option(&site, "0.50000000000000000001", &choice), JST_UNKNOWN);
    assert_int_equal(jst_plan_option(&site, "on;rm", &choice), JST_UNKNOWN);
    assert_int_equal(jst_plan_option(&site, "", &choice), JST_UNKNOWN);
    assert_true(choice.profile);
    assert_string_equal(choice.slice, "");
    assert_int_equal(jst_plan_option(&site, "1s", &choice), JST_ACCEPTED);
    assert_string_equal(choice.slice, "1s");
    assert_int_equal(jst_plan_option(&site, "off", &choice), JST_ACCEPTED);
    assert_false(choice.profile);
    assert_int_equal(jst_plan_option(&site, "on", &choice), JST_ACCEPTED);
    assert_true(choice.profile);
    assert_string_equal(choice.slice, "");
}

static void becomes(const char *old, bool profile, enum jst_change change, const char *now)
{
    assert_int_equal(jst_plan_preload(old, OURS, profile, out), change);
    if (change == JST_SET)
        assert_string_equal(out, now);
}

static void test_preload(void **state)
{
    (void)state;
    becomes(NULL, true, JST_SET, OURS);
    becomes("", true, JST_SET, OURS);
    becomes("libm.so.6", true, JST_SET, OURS ":libm.so.6");
    becomes("::", true, JST_SET, OURS ":::");
    becomes(OURS, true, JST_LEAVE, NULL);
    becomes("libasan.so.8 /home/u/libjostle.so", true, JST_LEAVE, NULL);
    becomes("/x/libjostle.so.old", true, JST_SET, OURS ":/x/libjostle.so.old");
    becomes(NULL, false, JST_LEAVE, NULL);
    becomes("libm.so.6", false, JST_LEAVE, NULL);
    becomes(OURS, false, JST_UNSET, NULL);
    becomes("a.so:" OURS " b.so", false, JST_SET, "a.so:b.so");
    assert_int_equal(jst_plan_preload(NULL, NULL, true, out), JST_LEAVE);
}

static void test_names_for_loaders(void **state)
{
    (void)state;
    char name[64];
    assert_true(jst_plan_for_loaders(OURS, JST_PLATFORM, name, sizeof name));
    assert_string_equal(name, "/opt/jostle/lib/jostle-preload/$PLATFORM/libjostle.so");
    assert_false(jst_plan_for_loaders(OURS, NULL, name, sizeof name));
    assert_false(jst_plan_for_loaders("/opt/other.so", "x86_64", name, sizeof name));
    assert_false(jst_plan_for_loaders(OURS, "x86_64", name, 48));
    assert_true(jst_plan_inherited(" libm.so.6:" OURS " /b/libjostle.so", name, sizeof name));
    assert_string_equal(name, OURS);
    assert_true(jst_plan_inherited("/a/jostle-preload/$PLATFORM/libjostle.so", name, sizeof name));
    assert_string_equal(name, "/a/jostle-preload/libjostle.so");
    assert_false(jst_plan_inherited("libjostle.so:/a/libjostle.so.1", name, sizeof name));
    assert_false(jst_plan_inherited(OURS, name, 10));
    assert_true(jst_plan_inherited("/$PLATFORM/libjostle.so", name, sizeof name));
    assert_string_equal(name, "/libjostle.so");
}

static void test_huge_preload(void **state)
{
    (void)state;
    char *huge = malloc(JST_PRELOAD_MAX + 1);
    memset(huge, ':', JST_PRELOAD_MAX);
    huge[JST_PRELOAD_MAX] = 0;
    becomes(huge, true, JST_LEAVE, NULL);
    becomes(huge, false, JST_LEAVE, NULL);
    huge[JST_PRELOAD_MAX - 1] = 0;
    assert_int_equal(jst_plan_preload(huge, OURS, true, out), JST_SET);
    assert_int_equal(strlen(out), strlen(OURS) + 1 + JST_PRELOAD_MAX - 1);
    free(huge);
}

static void test_library(void **state)
{
    (void)state;
    char path[64];
    assert_true(jst_plan_library("/opt/jostle/lib/slurm/spank_jostle.so", 0, path, sizeof path));
    assert_string_equal(path, "/opt/jostle/lib/slurm/libjostle.so");
    assert_true(jst_plan_library("/opt/jostle/lib/slurm/spank_jostle.so", 1, path, sizeof path));
    assert_string_equal(path, "/opt/jostle/lib/libjostle.so");
    assert_false(jst_plan_library("spank_jostle.so", 0, path, sizeof path));
    assert_false(jst_plan_library("/spank_jostle.so", 1, path, sizeof path));
    assert_false(jst_plan_library("/a b/spank_jostle.so", 0, path, sizeof path));
    assert_false(jst_plan_library("/opt/jostle/lib/slurm/spank_jostle.so", 0, path, 20));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths),           cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_options),           cmocka_unit_test(test_preload),
        cmocka_unit_test(test_names_for_loaders), cmocka_unit_test(test_huge_preload),
        cmocka_unit_test(test_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
