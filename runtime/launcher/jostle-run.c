/* jostle-run: profile one command, without Python.
 *
 * It puts libjostle.so in front of LD_PRELOAD, sets the JOSTLE_* variables for its options, and
 * becomes the command. Exit status: that of the command; 125 for a mistake in our own options or a
 * missing library, 126 when the command cannot be run, 127 when it is not found (as with env(1)).
 */
#include "jst_settings.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define JST_LIBRARY "libjostle.so"
#define JST_INJECTOR "libjostle_inject.so"
#define JST_FOR_LOADERS "jostle-preload/%s/" JST_LIBRARY
#define JST_RECORDER "libjostle_cuda.so"

#define JST_AREA_BYTES (512 * 1024) /* of a profile whose process has just begun: its header */

enum {
    JST_EXIT_OWN = 125,
    JST_EXIT_CANNOT_RUN = 126,
    JST_EXIT_NOT_FOUND = 127,
};

static const char usage[] =
    "Usage: jostle-run [OPTION]... [--] COMMAND [ARGUMENT]...\n"
    "Run COMMAND with jostle's preload library; each process leaves a profile in the spool.\n"
    "\n"
    "  -s, --slice LENGTH    length of a time slice: 100ms to 60s (default 4s)\n"
    "  -j, --job NAME        name of the job (default: the batch system's, else the session)\n"
    "  -d, --spool DIR       folder for the profiles (default /tmp/jostle)\n"
    "      --gpu             count what a GPU does: copies, launches, waits\n"
    "  -h, --help            print this and exit\n"
    "      --version         print the version and exit\n"
    "\n"
    "The profiles become tables with: jostle ingest DIR\n";

static int wants_gpu;

/* Ends the program with a message and its remedy. */
__attribute__((noreturn, format(printf, 2, 3))) static void fail(int status, const char *format,
                                                                 ...)
{
    va_list arguments;

    fputs("jostle-run: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(status);
}

static void set_variable(const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0)
        fail(JST_EXIT_OWN, "cannot set %s: %s", name, strerror(errno));
}

/* Writes dir/middle/JST_LIBRARY into path; 1 when such a file can be read. */
static int library_in(char *path, const char *dir, const char *middle)
{
    int length = middle[0] == '/' ? snprintf(path, PATH_MAX, "%s/%s", middle, JST_LIBRARY)
                                  : snprintf(path, PATH_MAX, "%s/%s/%s", dir, middle, JST_LIBRARY);

    return length > 0 && length < PATH_MAX && access(path, R_OK) == 0;
}

/* Finds the library relative to this program: next to it, or where an installation has it. */
static void find_library(char *library)
{
    char self[PATH_MAX];
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash;

    if (length <= 0)
        fail(JST_EXIT_OWN, "cannot read /proc/self/exe (%s): is /proc mounted?", strerror(errno));
    self[length] = '\0';
    slash = strrchr(self, '/');
    if (slash != NULL)
        *slash = '\0';
    if (!library_in(path, self, ".") && !library_in(path, self, JST_BIN_TO_LIB))
        fail(JST_EXIT_OWN, "%s is neither in %s nor in %s/%s: install jostle again", JST_LIBRARY,
             self, self, JST_BIN_TO_LIB);
    if (realpath(path, library) == NULL)
        fail(JST_EXIT_OWN, "cannot resolve %s: %s", path, strerror(errno));
    /* The loader splits LD_PRELOAD at these and does not allow to quote them. */
    if (strpbrk(library, " :") != NULL)
        fail(JST_EXIT_OWN, "%s: LD_PRELOAD cannot hold a path with a space or a colon", library);
}

static int is_name(const char *text, size_t length, const char *name)
{
    return strlen(name) == length && strncmp(text, name, length) == 0;
}

/* The library by the name that gives each loader one that it can load (preload.cmake). Where the
 * kernel does not give the loader a value for $PLATFORM, or there is no such folder: by its own
 * path. */
static const char *name_for_loaders(const char *library, char *name)
{
    const char *platform =
        (const char *)getauxval(AT_PLATFORM); // NOLINT(performance-no-int-to-ptr)
    int folder = (int)(strrchr(library, '/') + 1 - library);

    if (platform == NULL ||
        snprintf(name, PATH_MAX, "%.*s" JST_FOR_LOADERS, folder, library, platform) >= PATH_MAX ||
        access(name, R_OK) != 0 ||
        snprintf(name, PATH_MAX, "%.*s" JST_FOR_LOADERS, folder, library, "$PLATFORM") >= PATH_MAX)
        return library;
    return name;
}

/* Puts the library in front of other preloads; once only, also when nested, by either name. */
static void preload(const char *library)
{
    const char *others = getenv("LD_PRELOAD");
    char ours[PATH_MAX];
    const char *name = name_for_loaders(library, ours);
    char *value, *end;

    if (others == NULL)
        others = "";
    value = malloc(strlen(name) + 1 + strlen(others) + 1);
    if (value == NULL)
        fail(JST_EXIT_OWN, "out of memory");
    end = stpcpy(value, name);
    while (*(others += strspn(others, " :")) != '\0') {
        size_t length = strcspn(others, " :");

        if (!is_name(others, length, name) && !is_name(others, length, library)) {
            *end++ = ':';
            end = mempcpy(end, others, length);
        }
        others += length;
    }
    *end = '\0';
    set_variable("LD_PRELOAD", value);
    free(value);
}

/* JOSTLE_INJECT requests delays (`jostle inject`): the library that makes them is in the folder of
 * ours and comes after it. To be called before preload. */
static void preload_injector(const char *library)
{
    const char *others = getenv("LD_PRELOAD");
    char path[PATH_MAX];
    char *value;

    if (getenv("JOSTLE_INJECT") == NULL || (others != NULL && strstr(others, JST_INJECTOR) != NULL))
        return;
    if ((size_t)snprintf(path, sizeof path, "%.*s" JST_INJECTOR,
                         (int)(strrchr(library, '/') + 1 - library), library) >= sizeof path ||
        access(path, R_OK) != 0)
        fail(JST_EXIT_OWN, "%s is missing, and JOSTLE_INJECT needs it: install jostle again", path);
    if (asprintf(&value, others != NULL && others[0] != '\0' ? "%s:%s" : "%s", path, others) < 0)
        fail(JST_EXIT_OWN, "out of memory");
    set_variable("LD_PRELOAD", value);
    free(value);
}

/* --gpu: the CUDA driver loads the recorder by the first variable, libjostle.so that for AMD by the second. */
static void set_recorders(const char *library)
{
    const char *taken = getenv("CUDA_INJECTION64_PATH"), *option = getenv("JOSTLE_GPU");
    char path[PATH_MAX];

    if ((size_t)snprintf(path, sizeof path, "%.*s" JST_RECORDER,
                         (int)(strrchr(library, '/') + 1 - library), library) >= sizeof path ||
        access(path, R_OK) != 0)
        fail(JST_EXIT_OWN, "%s is missing, and --gpu needs it: install jostle again", path);
    if (taken != NULL && taken[0] != '\0' && strcmp(taken, path) != 0)
        fail(JST_EXIT_OWN,
             "CUDA_INJECTION64_PATH names %s, another tool's library, and CUDA loads only one: "
             "leave "
             "out --gpu, or unset it",
             taken);
    set_variable("CUDA_INJECTION64_PATH", path);
    if (option == NULL || strcmp(option, "kernels") != 0)
        set_variable("JOSTLE_GPU", "on");
}

/* Sets JOSTLE_SPOOL to an absolute path, since the program may change its folder. */
static void set_spool(const char *dir)
{
    char absolute[PATH_MAX];
    struct stat status;

    if (realpath(dir, absolute) == NULL)
        fail(JST_EXIT_OWN, "spool %s: %s; make it first (mkdir -m 1777 for a shared one)", dir,
             strerror(errno));
    if (stat(absolute, &status) != 0 || !S_ISDIR(status.st_mode))
        fail(JST_EXIT_OWN, "spool %s: it is no folder; name another one with -d", absolute);
    if (access(absolute, W_OK | X_OK) != 0)
        fail(JST_EXIT_OWN, "spool %s: %s; choose another one with -d", absolute, strerror(errno));
    set_variable("JOSTLE_SPOOL", absolute);
}

/* Checks a slice length here, where the user sees the message: NUMBER, NUMBERs or NUMBERms. */
static void set_slice(const char *text)
{
    char *unit = NULL;
    double seconds = strtod(text, &unit);
    int known = unit != text && (*unit == '\0' || strcmp(unit, "s") == 0);

    if (unit != text && strcmp(unit, "ms") == 0) {
        seconds /= 1000;
        known = 1;
    }
    if (!known || !(seconds >= 0.1 && seconds <= 60))
        fail(JST_EXIT_OWN, "slice length '%s': give 100ms to 60s, for example -s 1s", text);
    set_variable("JOSTLE_SLICE", text);
}

/* Marks the program as the one that was started by hand, which watches what it starts itself. It has our process
 * id; `self`: its children, which find the mark in their environment too, were not started by hand. */
static void set_first(void)
{
    char pid[24];

    snprintf(pid, sizeof pid, "%d,self", (int)getpid());
    set_variable("JOSTLE_FIRST", pid);
}

/* Warns before the start that a full file system will store no profile: the runtime warns only
 * users that named the spool, and a program's own output may hide it. */
static void warn_if_full(void)
{
    const char *spool = getenv("JOSTLE_SPOOL");
    const char *enabled = getenv("JOSTLE");
    struct statvfs facts;

    if (spool == NULL || spool[0] == '\0')
        spool = JST_DEFAULT_SPOOL;
    if ((enabled != NULL && strcmp(enabled, "off") == 0) || statvfs(spool, &facts) != 0)
        return;
    if ((uint64_t)facts.f_bavail * facts.f_frsize < JST_AREA_BYTES)
        fprintf(stderr,
                "jostle-run: the file system of the spool %s is full, so that no profile can be "
                "kept; free some space there, or choose another folder with -d\n",
                spool);
}

static void read_options(int count, char **values)
{
    static const struct option options[] = {
        {"slice", required_argument, NULL, 's'},
        {"job", required_argument, NULL, 'j'},
        {"spool", required_argument, NULL, 'd'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {"gpu", no_argument, NULL, 'G'},
        {NULL, 0, NULL, 0},
    };
    int option;

    /* '+': stop at the command, whose options are its own. */
    while ((option = getopt_long(count, values, "+s:j:d:h", options, NULL)) != -1) {
        switch (option) {
        case 's':
            set_slice(optarg);
            break;
        case 'j':
            if (optarg[0] == '\0')
                fail(JST_EXIT_OWN, "the job's name is empty");
            set_variable("JOSTLE_JOB", optarg);
            break;
        case 'd':
            set_spool(optarg);
            break;
        case 'G':
            wants_gpu = 1;
            break;
        case 'h':
            fputs(usage, stdout);
            exit(0);
        case 'V':
            puts("jostle-run " JST_VERSION);
            exit(0);
        default:
            fail(JST_EXIT_OWN, "try 'jostle-run --help'");
        }
    }
    if (optind >= count)
        fail(JST_EXIT_OWN, "no command; try 'jostle-run --help'");
}

int main(int count, char **values)
{
    char library[PATH_MAX];

    read_options(count, values);
    set_first();
    find_library(library);
    warn_if_full();
    preload_injector(library);
    preload(library);
    if (wants_gpu)
        set_recorders(library);
    execvp(values[optind], values + optind);
    if (errno == ENOENT && strchr(values[optind], '/') != NULL && access(values[optind], F_OK) == 0)
        fail(JST_EXIT_CANNOT_RUN, "%s: the interpreter it names is missing", values[optind]);
    if (errno == ENOENT)
        fail(JST_EXIT_NOT_FOUND, "%s: no such command", values[optind]);
    fail(JST_EXIT_CANNOT_RUN, "%s: %s", values[optind], strerror(errno));
}
