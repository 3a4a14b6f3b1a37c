/*
 * Shared parts of the programs that model codes of the papers: options, stamped data, work, phases,
 * and the line of JSON in which rank 0 reports at the end what all ranks did. Its counts can be
 * compared with a profile; they include the calls that make the line.
 *
 * Each program includes this once: it holds the program's state.
 */
#ifndef JST_CODE_H
#define JST_CODE_H

#include "code_calls.h"

enum { CODE_PHASES = 6, CODE_PAGE = 4096 };

/* An option `--name VALUE`: a number (k, m, g multiply by 1024) or a word. */
struct code_option {
    const char *name, *help;
    long *number;
    const char **word;
};

static int64_t code_wrong;
static double code_begun, code_phase_begun;
static struct {
    const char *name;
    double seconds;
    int64_t bytes;
} code_phases[CODE_PHASES];
static int code_phase_count, code_phase_now = -1;
static const char *code_dir = ".";
static const struct code_option *code_options;
static long code_keep;

/* ---- options ---- */

static inline void code_usage(const struct code_option *options, const char *wrong,
                              const char *word)
{
    if (code_rank == 0) {
        if (wrong)
            fprintf(stderr, "%s: %s: %s\n", code_name, word, wrong);
        fprintf(stderr, "usage: %s [--OPTION VALUE]...\n", code_name);
        for (; options->name; options++)
            if (options->number)
                fprintf(stderr, "  --%-12s %s [%ld]\n", options->name, options->help,
                        *options->number);
            else
                fprintf(stderr, "  --%-12s %s [%s]\n", options->name, options->help,
                        *options->word);
        fputs("  --dir          folder of its files [.]\n"
              "  --keep         1: its files stay [0]\n",
              stderr);
    }
    MPI_Finalize();
    exit(2);
}

static inline int code_number(const char *text, long *number)
{
    char *end;
    errno = 0;
    *number = strtol(text, &end, 10);
    long unit = *end == 'k' ? 1024 : *end == 'm' ? 1024 * 1024 : *end == 'g' ? 1024L << 20 : 1;
    end += unit > 1;
    return !errno && end > text && !*end && *number >= 0 &&
           !__builtin_mul_overflow(*number, unit, number);
}

static inline void code_read_option(const struct code_option *options, const char *name,
                                    const char *value)
{
    static const struct code_option common[] = {{"dir", "", NULL, &code_dir},
                                                {"keep", "", &code_keep, NULL}};
    const struct code_option *option = options;
    while (option->name && strcmp(option->name, name))
        option++;
    for (int i = 0; i < 2 && !option->name; i++)
        if (!strcmp(common[i].name, name))
            option = &common[i];
    if (!option->name)
        code_usage(options, "there is no such option", name);
    if (option->word)
        *option->word = value;
    else if (!code_number(value, option->number))
        code_usage(options, "a number was expected", value);
}

/* Whether a word is the first of two that an option may have; ends the program if it is neither. */
static inline int code_choice(const struct code_option *options, const char *word,
                              const char *first, const char *second)
{
    if (strcmp(word, first) && strcmp(word, second))
        code_usage(options, "it must be one of those named below", word);
    return !strcmp(word, first);
}

/* DIR/NAME[.SUFFIX]; a number below 0 is left out. */
static inline const char *code_path(const char *kind, int number)
{
    static char path[4096];
    int n = number < 0
                ? snprintf(path, sizeof path, "%s/%s.%s", code_dir, code_name, kind)
                : snprintf(path, sizeof path, "%s/%s.%s.%d", code_dir, code_name, kind, number);
    if (n < 0 || n >= (int)sizeof path)
        errno = ENAMETOOLONG, code_fail(code_dir);
    return path;
}

/* ---- data, work, phases ---- */

/* Stamps each page of what is to be written, and counts the stamps that came back wrong. */
static inline void code_stamp(char *data, size_t bytes, uint64_t seed)
{
    for (size_t at = 0; at + sizeof seed <= bytes; at += CODE_PAGE, seed++)
        memcpy(data + at, &seed, sizeof seed);
}

static inline void code_check(const char *data, size_t bytes, uint64_t seed)
{
    for (size_t at = 0; at + sizeof seed <= bytes; at += CODE_PAGE, seed++)
        code_wrong += memcmp(data + at, &seed, sizeof seed) != 0;
}

/* Computes for so many thousand operations, the same in every run. */
static inline void code_work(long thousands)
{
    static volatile double kept = 1;
    double x = kept;
    for (long i = 0; i < thousands * 500; i++)
        x = x * 0.999 + 1e-3;
    kept = x;
}

static inline int64_t code_file_bytes(void)
{
    return code_count[CODE_posix_read_bytes] + code_count[CODE_posix_write_bytes] +
           code_count[CODE_mpiio_read_bytes] + code_count[CODE_mpiio_write_bytes] +
           code_count[CODE_mpiio_read_all_bytes] + code_count[CODE_mpiio_write_all_bytes];
}

/* Ends the phase that runs, if any, and begins (or goes on with) another, if one is named. All
 * ranks begin together. */
static inline void code_phase(const char *name)
{
    static int64_t bytes;
    if (code_phase_now >= 0) {
        code_phases[code_phase_now].seconds += MPI_Wtime() - code_phase_begun;
        code_phases[code_phase_now].bytes += code_file_bytes() - bytes;
    }
    code_phase_now = -1;
    if (!name)
        return;
    code_phase_now = 0;
    while (code_phase_now < code_phase_count && strcmp(code_phases[code_phase_now].name, name))
        code_phase_now++;
    if (code_phase_now == code_phase_count)
        code_phases[code_phase_count++].name = name;
    code_barrier();
    bytes = code_file_bytes();
    code_phase_begun = MPI_Wtime();
}

/* ---- begin and end ---- */

static inline void code_begin(const char *name, int *argc, char ***argv,
                              const struct code_option *options)
{
    code_name = name;
    code_options = options;
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &code_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &code_size);
    for (int i = 1; i < *argc; i += 2) {
        const char *word = (*argv)[i];
        if (strncmp(word, "--", 2) || i + 1 == *argc)
            code_usage(options, strcmp(word, "--help") ? "--OPTION VALUE was expected" : NULL,
                       word);
        code_read_option(options, word + 2, (*argv)[i + 1]);
    }
    code_barrier();
    code_begun = MPI_Wtime();
}

static inline void code_print(const int64_t *sums, const double *most)
{
    const char *names[] = {CODE_COUNTS(CODE_NAME)};
    const char *comma = "";
    printf("{\"code\": \"%s\", \"ranks\": %d, \"seconds\": %.6f, \"wrong\": %lld, \"phases\": {",
           code_name, code_size, most[CODE_PHASES], (long long)sums[CODE_COUNT + CODE_PHASES]);
    for (int i = 0; i < code_phase_count; i++, comma = ", ")
        printf("%s\"%s\": {\"seconds\": %.6f, \"bytes\": %lld}", comma, code_phases[i].name,
               most[i], (long long)sums[CODE_COUNT + i]);
    fputs("}, \"counted\": {", stdout);
    comma = "";
    for (int i = 0; i < CODE_COUNT; i++)
        if (sums[i]) {
            printf("%s\"%s\": %lld", comma, names[i], (long long)sums[i]);
            comma = ", ";
        }
    fputs("}, \"options\": {", stdout);
    comma = "";
    for (const struct code_option *o = code_options; o->name; o++, comma = ", ")
        if (o->number)
            printf("%s\"%s\": %ld", comma, o->name, *o->number);
        else
            printf("%s\"%s\": \"%s\"", comma, o->name, *o->word);
    puts("}}");
}

/* Sums up over the ranks, prints the line, and ends MPI; returns the program's status. */
static inline int code_end(void)
{
    int64_t own[CODE_COUNT + CODE_PHASES + 1] = {0}, sums[CODE_COUNT + CODE_PHASES + 1] = {0};
    double longest[CODE_PHASES + 1] = {0}, most[CODE_PHASES + 1] = {0};
    code_phase(NULL);
    code_barrier();
    longest[CODE_PHASES] = MPI_Wtime() - code_begun;
    COUNT(mpi_all_to_one_ops, 2);
    COUNT(mpi_all_to_one_bytes, (int64_t)(sizeof own + sizeof longest));
    memcpy(own, code_count, sizeof code_count);
    for (int i = 0; i < code_phase_count; i++) {
        own[CODE_COUNT + i] = code_phases[i].bytes;
        longest[i] = code_phases[i].seconds;
    }
    own[CODE_COUNT + CODE_PHASES] = code_wrong;
    MPI_Reduce(own, sums, CODE_COUNT + CODE_PHASES + 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(longest, most, CODE_PHASES + 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (code_rank == 0)
        code_print(sums, most);
    int wrong = code_wrong != 0;
    MPI_Finalize();
    return wrong;
}

#endif
