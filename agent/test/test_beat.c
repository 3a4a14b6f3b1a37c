/* test_beat.c: tests the sampler with sources of our own: one that hangs delays no other and loses
 * nothing; slices that go back; a new file. Files are read back by
 * docs/reference/profile-format.md.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../src/beat.c"
#include "harness.h"

#define SLICE (NS / 10)

static char folder[64];

/* ---- sources ---- */

static const char *is_here(void)
{
    return NULL;
}

static void count_calls(jst_sample *s, const char *name, uint64_t *calls)
{
    jst_component *c =
        jst_component_of(s, &(jst_names){.kind = JST_KIND_DISK, .name = name, .path = "/p"});
    jst_counter(c, JST_STORAGE_READ_OPS, ++*calls);
}

static const char *sample_steady(jst_sample *s)
{
    static uint64_t calls;
    count_calls(s, "steady", &calls);
    return NULL;
}

/* Its third sample does not return for four slices. */
static const char *sample_hanging(jst_sample *s)
{
    static uint64_t calls;
    if (calls == 2)
        usleep(420000);
    count_calls(s, "hanging", &calls);
    return NULL;
}

static const char *is_absent(void)
{
    return "no such thing";
}

static const jst_source steady = {.name = "steady", .open = is_here, .sample = sample_steady};
static const jst_source hanging = {.name = "hanging", .open = is_here, .sample = sample_hanging};
static const jst_source absent = {.name = "absent", .open = is_absent};

const jst_source *const jst_sources[] = {&hanging, &steady, &absent, NULL};

/* ---- reading back ---- */

typedef struct row {
    char name[32];
    uint64_t first, span, gained;
    bool epoch;
} row;

static row rows[256];
static unsigned row_count;
static void (*on_row)(const row *r); /* NULL: rows are kept */
static char notes[4096];

static uint64_t varint(const uint8_t **p)
{
    uint64_t v = 0;
    unsigned shift = 0;
    do
        v |= (uint64_t)(**p & 0x7f) << (shift++ * 7);
    while (*(*p)++ & 0x80);
    return v;
}

static int64_t svarint(const uint8_t **p)
{
    uint64_t v = varint(p);
    return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

static void read_slices(const uint8_t *p, char names[][32], uint64_t *expected)
{
    uint64_t first = *expected + (uint64_t)svarint(&p), span = varint(&p), number = 0;
    uint64_t n = varint(&p);
    *expected = first + span;
    for (uint64_t i = 0; i < n; i++) {
        number += varint(&p);
        uint64_t counts = varint(&p);
        assert_int_equal(counts >> 1, 1); /* one counter each */
        assert_int_equal(varint(&p), 2 * JST_STORAGE_READ_OPS);
        row r = {.first = first, .span = span, .epoch = counts & 1};
        strcpy(r.name, names[number++]);
        r.gained = varint(&p);
        if (on_row)
            on_row(&r);
        else
            rows[row_count++] = r;
    }
}

static ssize_t file_bytes; /* of the file that was read last */
static uint32_t end_reason;

static void read_file(const char *path)
{
    static uint8_t bytes[1 << 24];
    static char names[512][32];
    int fd = open(path, O_RDONLY);
    file_bytes = read(fd, bytes, sizeof bytes);
    assert_true(file_bytes > 4096);
    close(fd);
    const jst_head *h = (const jst_head *)bytes;
    uint64_t end, expected = h->first_slice;
    end_reason = h->end_reason;
    memcpy(&end, bytes + h->commit_offset + (h->generation & 1) * h->commit_bytes, 8);
    for (const uint8_t *p = bytes + h->head_bytes; p < bytes + end;) {
        uint8_t type = *p++;
        uint64_t n = varint(&p);
        const uint8_t *payload = p;
        p += n + 4;
        if (type == 'K') {
            uint64_t number = varint(&payload);
            for (int i = 0; i < 3; i++)
                varint(&payload);
            n = varint(&payload);
            snprintf(names[number], 32, "%.*s", (int)n, (const char *)payload);
        } else if (type == 'X') {
            read_slices(payload, names, &expected);
        } else if (type == 'N') {
            varint(&payload);
            n = varint(&payload);
            strncat(notes, (const char *)payload, n);
            strcat(notes, "\n");
        }
    }
}

static void read_spool(void)
{
    char command[256], path[256];
    row_count = 0;
    notes[0] = 0;
    snprintf(command, sizeof command, "ls %s/machine.*.jsm", folder);
    FILE *names = popen(command, "r");
    while (fscanf(names, "%255s", path) == 1)
        read_file(path);
    pclose(names);
}

/* ---- tests ---- */

static int begin(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/jst-beat-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    strcpy(jst_cfg.spool, folder);
    jst_cfg.slice_ns = SLICE;
    return 0;
}

static int end(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void run_for(unsigned ms)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        const jst_sampling how = {.role = -1};
        _exit(jst_sample_machine(&how));
    }
    usleep(1000 * ms);
    kill(child, SIGTERM);
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static void a_source_that_hangs_delays_nobody(void **state)
{
    (void)state;
    run_for(1500);
    read_spool();
    uint64_t gained[2] = {0, 0}, longest[2] = {0, 0}, next[2] = {0, 0};
    for (unsigned i = 0; i < row_count; i++) {
        unsigned at = strcmp(rows[i].name, "steady") == 0;
        gained[at] += rows[i].gained;
        longest[at] = rows[i].span > longest[at] ? rows[i].span : longest[at];
        if (next[at])
            assert_int_equal(rows[i].first, next[at]); /* without a gap, and nothing twice */
        next[at] = rows[i].first + rows[i].span;
    }
    assert_int_equal(longest[1], 1);
    assert_in_range(gained[1], 13, 17);
    assert_in_range(longest[0], 4, 6);
    assert_in_range(gained[0], 8, 13);
    assert_int_equal(next[0], next[1]);
    assert_non_null(strstr(notes, "hanging: it did not answer"));
    assert_non_null(strstr(notes, "not here: absent (no such thing)"));
}

static jst_component *component_with(uint64_t gained)
{
    static jst_sample s;
    static uint64_t calls;
    jst_sample_begin(&s);
    calls += gained - 1;
    count_calls(&s, "steady", &calls);
    jst_sample_end(&s);
    for (uint32_t i = 0; i < s.room; i++)
        if (s.table[i])
            return s.table[i];
    return NULL;
}

/* A clock that is set back, and a further file: names come again. */
static void slices_may_go_back_and_files_follow_each_other(void **state)
{
    static const struct {
        uint64_t first, end, gained;
    } steps[] = {{1000, 1001, 5}, {1001, 1004, 6}, {900, 901, 7}, {901, 902, 8}};
    uint64_t bytes;
    (void)state;
    assert_int_equal(jst_file_begin(JST_ROLE_SERVER), 0);
    uint64_t now = jst_clock_ns(CLOCK_REALTIME);
    assert_false(jst_file_is_of_yesterday(now));
    assert_true(jst_file_is_of_yesterday(now + 86400 * NS));
    jst_component *c = component_with(1);
    for (unsigned i = 0; i < 4; i++) {
        if (i == 3)
            assert_int_equal(jst_file_begin(JST_ROLE_SERVER), 0);
        component_with(steps[i].gained);
        assert_int_equal(jst_file_write(&c, 1, steps[i].first, steps[i].end, &bytes), 0);
        assert_true(bytes > 0);
        assert_false(jst_component_gained(c));
    }
    jst_file_end(1);
    read_spool();
    assert_int_equal(row_count, 4);
    assert_int_equal(end_reason, JST_END_EXIT);
    for (unsigned i = 0; i < 4; i++) {
        const row *r = &rows[i];
        assert_string_equal(r->name, "steady");
        assert_int_equal(r->first, steps[i].first);
        assert_int_equal(r->span, steps[i].end - steps[i].first);
        assert_int_equal(r->gained, steps[i].gained);
    }
}

/* The clock is set back by ten slices: increases meanwhile are recorded, once. */
static void a_clock_that_is_set_back_loses_nothing(void **state)
{
    const uint64_t from = 10000;
    const int64_t steps[] = {1, 2, 3, -7, -6, -5};
    int status;
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        jst_file_begin(JST_ROLE_NODE);
        jst_runners_begin("hanging,absent", NULL);
        jst_runners_ask(1);
        jst_runners_wait(1, NS);
        take_all(from * SLICE, from);
        for (unsigned i = 0; i < 6; i++) {
            uint64_t slice = from + (uint64_t)steps[i];
            boundary(slice * SLICE, slice);
        }
        jst_file_end(1);
        _exit(0);
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    read_spool();
    assert_int_equal(row_count, 6);
    for (unsigned i = 0; i < 6; i++) {
        uint64_t first = from + (uint64_t)(i == 3 ? 3 : steps[i] - 1);
        assert_int_equal(rows[i].first, first);
        assert_int_equal(rows[i].span, 1);
        assert_int_equal(rows[i].gained, 1);
    }
}

static const char *const day_names[3] = {"small", "large", "huge"};
static uint64_t day_longest[3], day_gained[3];

static void add_up(const row *r)
{
    for (unsigned k = 0; k < 3; k++)
        if (strncmp(r->name, day_names[k], strlen(day_names[k])) == 0) {
            day_longest[k] = r->span > day_longest[k] ? r->span : day_longest[k];
            day_gained[k] += r->gained;
        }
}

/* A day of sources of three sizes. */
static void a_day_fits_into_its_space_and_nobody_starves(void **state)
{
    static const unsigned sizes[3] = {5, 40, 120};
    uint64_t calls = 0, first;
    (void)state;
    first = jst_clock_ns(CLOCK_REALTIME) / SLICE;
    assert_int_equal(jst_file_begin(JST_ROLE_NODE), 0);
    memset(jst_runners, 0, sizeof jst_runners);
    jst_runner_count = 3;
    for (uint64_t slice = first; slice <= first + 21600; slice++) {
        calls += 1000;
        for (unsigned i = 0; i < 3; i++) {
            jst_sample *s = &jst_runners[i].sample;
            jst_runners[i].source = &steady;
            jst_sample_begin(s);
            for (unsigned n = 0; n < sizes[i]; n++) {
                char name[32];
                uint64_t one_less = calls - 1;
                snprintf(name, sizeof name, "%s%u", day_names[i], n);
                count_calls(s, name, &one_less);
            }
            jst_sample_end(s);
            jst_runners[i].state = JST_DONE;
        }
        take_all(slice * SLICE, slice);
    }
    jst_file_end(1);
    on_row = add_up;
    read_spool();
    on_row = NULL;
    assert_true(file_bytes <= 10 * 1000 * 1000);
    assert_int_equal(day_longest[0], 1);
    assert_in_range(day_longest[1], 2, 8);
    assert_in_range(day_longest[2], 2, 16);
    for (unsigned k = 0; k < 3; k++) /* except what still waits */
        assert_in_range(day_gained[k], sizes[k] * 1000 * (21600 - day_longest[k]),
                        sizes[k] * 1000 * 21600);
    for (unsigned i = 0; i < 3; i++)
        jst_sample_free(&jst_runners[i].sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_source_that_hangs_delays_nobody, begin, end),
        cmocka_unit_test_setup_teardown(a_clock_that_is_set_back_loses_nothing, begin, end),
        cmocka_unit_test_setup_teardown(a_day_fits_into_its_space_and_nobody_starves, begin, end),
        cmocka_unit_test_setup_teardown(slices_may_go_back_and_files_follow_each_other, begin, end),
    };
    return cmocka_run_group_tests_name("beat", tests, NULL, NULL);
}
