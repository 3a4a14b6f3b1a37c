/* options.c: the command line. One table; both --name VALUE and --name=VALUE are accepted. */
#include "options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRY "try 'jostle-signal --help'"

static const char usage_head[] =
    "Usage: jostle-signal PATTERN [OPTION]...\n"
    "Make a load whose instants are known, and log what was really done.\n"
    "\n"
    "Patterns, and what one operation of each is:\n";

static const char usage_options[] =
    "What:\n"
    "  --dir DIR            where its files go (default .); it makes a folder in there and removes "
    "it\n"
    "  --chunk SIZE         bytes of an operation (default 1MiB); also the size of a message, and "
    "the\n"
    "                       working set of memory and cache. SIZE: 4096, 64KiB, 1MiB, 1GiB\n"
    "  --piece SIZE         move a chunk by calls of this size (default: the chunk)\n"
    "  --meet DIR           metadata and lock-file: work in this folder, as other signals do\n"
    "  --shared             one file for all, a contiguous section for each process\n"
    "  --api posix|mpiio    by which calls (default posix)\n"
    "  --flush each|end|none  when files are synced (default: each; none for aggregate-write)\n"
    "  --reuse              open-write-close: use the same file repeatedly\n"
    "  --direct             past the page cache (O_DIRECT)\n"
    "  --device N           the GPU, as CUDA numbers it (default 0)\n"
    "  --direction h2d|d2h|both  pcie: to the GPU, back, or both at once (default both)\n"
    "  --pageable           copies from and to memory that is not pinned\n"
    "How long (the first that is reached ends it; default --time 10):\n"
    "  --volume SIZE        bytes of all processes together, in whole chunks\n"
    "  --iterations N       operations of each process\n"
    "  --time S             seconds from the start\n"
    "  --until-stopped      until SIGTERM, SIGINT or SIGUSR1\n"
    "When:\n"
    "  --period S           periodic: on for duty times S from every multiple of S (plus phase) "
    "of\n"
    "                       Unix time; a busy-wait in between (default: sustained; 24 with "
    "--duty,\n"
    "                       --phase or --split)\n"
    "  --duty X             share of a period that it is on (default 0.5)\n"
    "  --phase S            shift of the periods\n"
    "  --every S            begin an operation no sooner than S after the last one began\n"
    "  --rest               sleep between two periods' loads, and leave the cores to others\n"
    "  --start T            Unix time of the first operation (default: the next slice boundary)\n"
    "  --slice L            length of a slice (default JOSTLE_SLICE, else 4s)\n"
    "Who:\n"
    "  --processes N        processes to start (default 1); MPI programs are started by mpirun -n "
    "N\n"
    "  --split              network: even ranks are the probe, odd ranks the periodic noise\n"
    "  --job NAME           default JOSTLE_JOB, else PATTERN-PID\n"
    "Besides:\n"
    "  --log DIR|none       where the log goes (default ${TMPDIR:-/tmp}/jostle-signal-UID)\n"
    "  --max-disk SIZE      hold no more than this at a time (a tenth of the free space is always\n"
    "                       left)\n"
    "  --keep               leave the files\n"
    "  --quiet              no progress line, no summary\n"
    "  --help, --version    print this, or the version, and exit\n";

enum kind { TEXT, SIZE, SECONDS, COUNT, FLAG, API, FLUSH, DUTY, START, DIRECTION, NUMBER };

struct option {
    const char *name;
    size_t offset; /* of the field in struct jst_options */
    const char *example;
    enum kind kind;
    unsigned given;
};

#define FIELD(f) offsetof(struct jst_options, f)

static const struct option table[] = {
    {"dir", FIELD(dir), "/scratch", TEXT, 0},
    {"meet", FIELD(meet), "/scratch/meeting", TEXT, 0},
    {"chunk", FIELD(chunk), "64KiB", SIZE, JST_GIVEN_CHUNK},
    {"piece", FIELD(piece), "4KiB", SIZE, JST_GIVEN_PIECE},
    {"shared", FIELD(shared), NULL, FLAG, 0},
    {"api", FIELD(api), "mpiio", API, JST_GIVEN_API},
    {"flush", FIELD(flush), "each", FLUSH, 0},
    {"reuse", FIELD(reuse), NULL, FLAG, 0},
    {"direct", FIELD(direct), NULL, FLAG, 0},
    {"device", FIELD(device), "1", NUMBER, JST_GIVEN_DEVICE},
    {"direction", FIELD(direction), "h2d", DIRECTION, JST_GIVEN_DIRECTION},
    {"pageable", FIELD(pageable), NULL, FLAG, JST_GIVEN_PAGEABLE},
    {"volume", FIELD(volume), "1GiB", SIZE, JST_GIVEN_VOLUME},
    {"iterations", FIELD(iterations), "1000", COUNT, JST_GIVEN_ITERATIONS},
    {"time", FIELD(time_ns), "30", SECONDS, JST_GIVEN_TIME},
    {"until-stopped", FIELD(until_stopped), NULL, FLAG, 0},
    {"processes", FIELD(processes), "4", COUNT, JST_GIVEN_PROCESSES},
    {"period", FIELD(rhythm.period_ns), "24", SECONDS, JST_GIVEN_PERIOD},
    {"duty", FIELD(duty), "0.5", DUTY, JST_GIVEN_DUTY},
    {"phase", FIELD(rhythm.phase_ns), "6", SECONDS, JST_GIVEN_PHASE},
    {"every", FIELD(every_ns), "20ms", SECONDS, 0},
    {"rest", FIELD(rest), NULL, FLAG, 0},
    {"start", FIELD(start_ns), "1700000000.25", START, 0},
    {"slice", FIELD(slice_ns), "250ms", SECONDS, 0},
    {"split", FIELD(split), NULL, FLAG, 0},
    {"log", FIELD(log), "/tmp/logs", TEXT, 0},
    {"job", FIELD(job), "noise", TEXT, 0},
    {"max-disk", FIELD(max_disk), "10GiB", SIZE, 0},
    {"keep", FIELD(keep), NULL, FLAG, 0},
    {"quiet", FIELD(quiet), NULL, FLAG, 0},
    {"help", 0, NULL, FLAG, 0},
    {"version", 0, NULL, FLAG, 0},
};
enum { OPTIONS = sizeof table / sizeof *table };

static const char *option_name(size_t i)
{
    return table[i].name;
}

static const char *pattern_name(size_t i)
{
    return jst_patterns[i]->name;
}

static size_t pattern_count(void)
{
    size_t n = 0;
    while (jst_patterns[n])
        n++;
    return n;
}

/* All ranks of an MPI read the same command line: one of them reports errors. */
static bool speaks(void)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                        "SLURM_PROCID"};
    if (!jst_team_mpi)
        return true;
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        const char *rank = getenv(ranks[i]);
        if (rank)
            return strcmp(rank, "0") == 0;
    }
    return true;
}

__attribute__((format(printf, 1, 2))) static bool wrong(const char *format, ...)
{
    va_list arguments;

    if (!speaks())
        return false;
    fputs("jostle-signal: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return false;
}

static bool read_count(const char *text, uint64_t *count)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    *count = strtoull(text, &end, 10);
    return !*end && *count > 0 && *count < UINT64_C(1) << 62;
}

static bool read_word(const char *text, const char *const *words, unsigned count, unsigned *which)
{
    for (*which = 0; *which < count; (*which)++)
        if (strcmp(text, words[*which]) == 0)
            return true;
    return false;
}

/* Puts the value of an option into its field; false when it is no such value. */
static bool set_value(void *field, const struct option *option, const char *text)
{
    static const char *const apis[] = {"posix", "mpiio"};
    static const char *const flushes[] = {"each", "end", "none"};
    static const char *const directions[] = {"both", "h2d", "d2h"};
    uint64_t number = 0;
    unsigned word = 0;
    char *end;

    switch (option->kind) {
    case TEXT:
        *(const char **)field = text;
        return *text != '\0';
    case SIZE:
        return jst_parse_size(text, field) && *(uint64_t *)field > 0;
    case SECONDS:
    case START:
        /* Later sums of a start, a period and a time must not overflow. */
        return jst_parse_seconds(text, field) &&
               (*(int64_t *)field > 0 || strcmp(option->name, "phase") == 0) &&
               *(int64_t *)field < INT64_MAX / (option->kind == START ? 4 : 8);
    case COUNT:
        if (!read_count(text, &number))
            return false;
        if (strcmp(option->name, "processes") == 0)
            *(unsigned *)field = number > 65536 ? 65536 : (unsigned)number;
        else
            *(uint64_t *)field = number;
        return true;
    case API:
        if (!read_word(text, apis, 2, &word))
            return false;
        *(enum jst_api *)field = word ? JST_MPIIO : JST_POSIX;
        return true;
    case FLUSH:
        if (!read_word(text, flushes, 3, &word))
            return false;
        *(enum jst_flush *)field = (enum jst_flush)(JST_FLUSH_EACH + word);
        return true;
    case DIRECTION:
        if (!read_word(text, directions, 3, &word))
            return false;
        *(enum jst_direction *)field = (enum jst_direction)word;
        return true;
    case NUMBER:
        number = strtoull(text, &end, 10);
        *(unsigned *)field = (unsigned)number;
        return *text >= '0' && *text <= '9' && !*end && number < 65536;
    case DUTY:
        *(double *)field = strtod(text, &end);
        return end != text && !*end && *(double *)field >= 0 && *(double *)field <= 1;
    case FLAG:
        break;
    }
    return false;
}

static const char *what_it_wants(enum kind kind)
{
    static const char *const wants[] = {
        [TEXT] = "a text that is not empty",
        [SIZE] = "a size above 0: a number, optionally with B, KiB, MiB, GiB or TiB",
        [SECONDS] = "a time above 0: seconds, or with ms, s or min",
        [COUNT] = "a whole number above 0",
        [FLAG] = "no value",
        [API] = "posix or mpiio",
        [FLUSH] = "each, end or none",
        [DIRECTION] = "h2d, d2h or both",
        [NUMBER] = "a whole number from 0",
        [DUTY] = "a share from 0 to 1",
        [START] = "a Unix time in seconds, such as date +%s prints",
    };
    return wants[kind];
}

static bool set_option(struct jst_options *options, const struct option *option, const char *value,
                       unsigned *given)
{
    void *field = (char *)options + option->offset;

    *given |= option->given;
    if (option->kind == FLAG) {
        if (value)
            return wrong("--%s takes no value, but '%s' was given; leave it out", option->name,
                         value);
        *(bool *)field = true;
        return true;
    }
    if (!value)
        return wrong("--%s needs a value: %s; for example --%s %s", option->name,
                     what_it_wants(option->kind), option->name, option->example);
    if (!set_value(field, option, value))
        return wrong("--%s '%s': it takes %s; for example --%s %s", option->name, value,
                     what_it_wants(option->kind), option->name, option->example);
    return true;
}

static const struct option *find_option(const char *name, size_t length)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if (strlen(table[i].name) == length && strncmp(table[i].name, name, length) == 0)
            return &table[i];
    return NULL;
}

static bool unknown_option(const char *argument, size_t length)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), argument + 2);
    const char *near = jst_nearest(name, option_name, OPTIONS);
    if (near)
        return wrong("there is no option --%s; did you mean --%s?", name, near);
    return wrong("there is no option --%s; " TRY, name);
}

static bool set_pattern(struct jst_options *options, const char *name)
{
    if (options->pattern)
        return wrong(
            "'%s' is one pattern too many: %s is given already; start one program for each", name,
            options->pattern->name);
    for (size_t i = 0; jst_patterns[i]; i++)
        if (strcmp(jst_patterns[i]->name, name) == 0) {
            options->pattern = jst_patterns[i];
            return true;
        }
    const char *near = jst_nearest(name, pattern_name, pattern_count());
    if (near)
        return wrong("there is no pattern '%s'; did you mean %s?", name, near);
    char all[256] = "";
    for (size_t i = 0, n = 0; jst_patterns[i] && n < sizeof all; i++)
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", i ? ", " : "", pattern_name(i));
    return wrong("there is no pattern '%s'; the patterns are %s", name, all);
}

static void print_usage(void)
{
    if (!speaks())
        return;
    fputs(usage_head, stdout);
    for (size_t i = 0; jst_patterns[i]; i++)
        printf("  %-17s %s%s\n", jst_patterns[i]->name, jst_patterns[i]->operation,
               jst_patterns[i]->needs_mpi ? " (needs MPI)" : "");
    printf("\n%s\nExamples, and what reads its logs: jostle signal --help\n", usage_options);
}

/* The environment of the job that this signal is part of. */
static bool take_environment(struct jst_options *options)
{
    const char *slice = getenv("JOSTLE_SLICE");
    const char *job = getenv("JOSTLE_JOB");

    options->slice_ns = 4 * JST_SECOND;
    if (slice && *slice && (!jst_parse_seconds(slice, &options->slice_ns) || !options->slice_ns))
        return wrong("JOSTLE_SLICE '%s' is not a length; give one such as 250ms or 4s", slice);
    if (job && *job)
        options->job = job;
    return true;
}

bool jst_read_options(struct jst_options *options, int count, char **values, int *status)
{
    char why[512];
    unsigned given = 0;

    *status = JST_EXIT_USAGE;
    *options = (struct jst_options){.dir = ".",
                                    .chunk = JST_MIB,
                                    .processes = 1,
                                    .duty = 0.5,
                                    .count = count,
                                    .values = values};
    if (!take_environment(options))
        return false;
    for (int i = 1; i < count; i++) {
        const char *argument = values[i];
        if (strcmp(argument, "-h") == 0 || strcmp(argument, "--help") == 0) {
            print_usage();
            *status = 0;
            return false;
        }
        if (strcmp(argument, "--options") == 0) { /* for jostle signal --help */
            fputs(usage_options, stdout);
            *status = 0;
            return false;
        }
        if (strcmp(argument, "--version") == 0) {
            if (speaks())
                puts("jostle-signal " JST_VERSION);
            *status = 0;
            return false;
        }
        if (argument[0] != '-') {
            if (!set_pattern(options, argument))
                return false;
            continue;
        }
        if (argument[1] != '-')
            return wrong("there is no option %s; options are written out, as --chunk; " TRY,
                         argument);
        size_t length = strcspn(argument + 2, "=");
        const struct option *option = find_option(argument + 2, length);
        if (!option)
            return unknown_option(argument, length);
        const char *value = argument[length + 2] ? argument + length + 3 : NULL;
        if (!value && option->kind != FLAG && i + 1 < count)
            value = values[++i];
        if (!set_option(options, option, value, &given))
            return false;
    }
    if (!options->pattern)
        return wrong("no pattern is given; write-seek is one; " TRY);
    if (!jst_check_options(options, given, why, sizeof why))
        return wrong("%s", why);
    return true;
}
