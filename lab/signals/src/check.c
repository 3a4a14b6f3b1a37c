/* check.c: checks which options fit together, and fills in defaults. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "options.h"

struct answer {
    char *why;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static bool no(struct answer answer, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(answer.why, answer.size, format, arguments);
    va_end(arguments);
    return false;
}

static bool is_for_files(const struct jst_options *o, unsigned given, struct answer answer)
{
    if (o->meet && o->pattern->resource != JST_METADATA)
        return no(answer, "--meet is for patterns of metadata and locks, not for %s; leave it out",
                  o->pattern->name);
    if (o->meet && strlen(o->meet) > 3000)
        return no(answer, "--meet: a path has at most 3000 letters here; name a shorter one");
    const char *option = given & JST_GIVEN_PIECE ? "piece"
                         : given & JST_GIVEN_API ? "api"
                         : o->shared             ? "shared"
                         : o->flush              ? "flush"
                         : o->reuse              ? "reuse"
                         : o->direct             ? "direct"
                                                 : NULL;
    if (option && o->pattern->resource == JST_METADATA && o->pattern != &jst_lock_file &&
        strcmp(option, "shared") == 0)
        return true; /* one folder for all */
    if (option && o->pattern->resource != JST_FILES)
        return no(answer, "--%s is for patterns of files, and %s has none; leave it out", option,
                  o->pattern->name);
    return true;
}

static bool is_for_gpus(const struct jst_options *o, unsigned given, struct answer answer)
{
    const char *option = given & JST_GIVEN_DEVICE      ? "device"
                         : given & JST_GIVEN_DIRECTION ? "direction"
                         : given & JST_GIVEN_PAGEABLE  ? "pageable"
                                                       : NULL;
    if (option && o->pattern->resource != JST_GPU)
        return no(answer, "--%s is for patterns of GPUs, and %s is none; leave it out", option,
                  o->pattern->name);
    if ((given & JST_GIVEN_DIRECTION) && strcmp(o->pattern->name, "pcie") != 0)
        return no(answer, "--direction is for pcie, not for %s; leave it out", o->pattern->name);
    return true;
}

static bool check_mpi(const struct jst_options *o, unsigned given, struct answer answer)
{
    if (o->pattern->needs_mpi && !jst_team_mpi)
        return no(answer,
                  "%s sends messages, and this program has no MPI; start jostle-signal-openmpi or "
                  "jostle-signal-mpich by its mpirun",
                  o->pattern->name);
    if (o->api == JST_MPIIO && !jst_team_mpi)
        return no(answer, "--api mpiio needs MPI, and this program has none; start "
                          "jostle-signal-openmpi or jostle-signal-mpich by its mpirun");
    if ((given & JST_GIVEN_PROCESSES) && jst_team_mpi)
        return no(answer,
                  "--processes is for the program without MPI; of this one mpirun -n %u "
                  "starts as many",
                  o->processes);
    if (o->processes > 4096)
        return no(answer, "--processes %u: at most 4096 on one machine", o->processes);
    if (o->split && o->pattern->resource != JST_NETWORK)
        return no(answer, "--split is for network patterns (ping, all-to-all, incast), not for %s",
                  o->pattern->name);
    return true;
}

static bool check_limits(struct jst_options *o, unsigned given, struct answer answer)
{
    const unsigned limits = JST_GIVEN_TIME | JST_GIVEN_VOLUME | JST_GIVEN_ITERATIONS;

    if (o->until_stopped && (given & limits))
        return no(answer, "--until-stopped and --%s contradict each other; give one of them",
                  given & JST_GIVEN_TIME     ? "time"
                  : given & JST_GIVEN_VOLUME ? "volume"
                                             : "iterations");
    if (!o->pattern->moves && !o->pattern->amount && (given & JST_GIVEN_VOLUME))
        return no(answer,
                  "%s moves no bytes, so --volume never ends it; use --time or --iterations",
                  o->pattern->name);
    if (!o->until_stopped && !(given & limits))
        o->time_ns = 10 * JST_SECOND;
    return true;
}

static bool check_rhythm(struct jst_options *o, unsigned given, struct answer answer)
{
    if (!(given & JST_GIVEN_PERIOD)) {
        if (!(given & (JST_GIVEN_DUTY | JST_GIVEN_PHASE)) && !o->split)
            return !o->rest || no(answer, "--rest is for the pauses of --period, and there are "
                                          "none; leave it out");
        o->rhythm.period_ns = 24 * JST_SECOND; /* six slices of the default length */
    }
    o->rhythm.active_ns = (int64_t)((double)o->rhythm.period_ns * o->duty + 0.5);
    if (o->duty > 0 && o->rhythm.active_ns < JST_MS)
        return no(answer, "--period and --duty leave less than a millisecond of load; make one of "
                          "them longer");
    return true;
}

static bool check_files(struct jst_options *o, unsigned given, struct answer answer)
{
    const bool closes = strcmp(o->pattern->name, "open-write-close") == 0;

    if (o->reuse && !closes)
        return no(answer, "--reuse is for open-write-close; %s has one file anyway",
                  o->pattern->name);
    if (closes && o->flush == JST_FLUSH_END)
        return no(answer, "open-write-close closes each file, so nothing is left to flush at the "
                          "end; use --flush each or none");
    if (o->pattern == &jst_read && o->flush && o->flush != JST_FLUSH_NONE)
        return no(answer, "read writes nothing that could be flushed; leave --flush out");
    if (!(given & JST_GIVEN_PIECE))
        o->piece = o->chunk < JST_GIB ? o->chunk : JST_GIB;
    if (o->piece > o->chunk)
        return no(answer,
                  "--piece %llu is more than the chunk of %llu bytes; a chunk is moved by "
                  "calls of a piece each",
                  (unsigned long long)o->piece, (unsigned long long)o->chunk);
    if (o->piece > JST_GIB)
        return no(answer, "--piece: no system call moves more than 1 GiB; leave it out or make it "
                          "smaller");
    if (o->direct && o->api == JST_MPIIO)
        return no(answer, "--direct is O_DIRECT of POSIX files; leave --api mpiio out");
    if (o->direct && (o->chunk % 512 || o->piece % 512))
        return no(answer, "--direct needs whole sectors: a chunk and a piece that are multiples of "
                          "4KiB (of 512 at least)");
    return true;
}

bool jst_check_options(struct jst_options *o, unsigned given, char *why, size_t size)
{
    const struct answer answer = {why, size};

    if (!(given & JST_GIVEN_CHUNK) && o->pattern->default_chunk)
        o->chunk = o->pattern->default_chunk();
    if (!is_for_files(o, given, answer) || !is_for_gpus(o, given, answer) ||
        !check_mpi(o, given, answer) || !check_limits(o, given, answer) ||
        !check_rhythm(o, given, answer))
        return false;
    if (!check_files(o, given, answer))
        return false;
    if (o->chunk > UINT64_C(1) << 46)
        return no(answer, "--chunk: no machine holds more than 64 TiB at once; make it smaller");
    if (o->every_ns && (o->pattern->votes || (o->pattern->collective && o->pattern->collective(o))))
        return no(answer,
                  "--every is for processes that work each by itself, and those of %s here "
                  "meet; leave it out",
                  o->pattern->name);
    if (o->slice_ns < JST_MS || o->slice_ns > 3600 * JST_SECOND)
        return no(answer, "--slice: a slice is 1ms to 3600s long; 4s is usual");
    if (o->job && strlen(o->job) > 128)
        return no(answer, "--job: a name has at most 128 letters");
    if (!o->flush)
        o->flush = o->pattern->flush ? o->pattern->flush : JST_FLUSH_NONE;
    if (o->pattern->fits && !o->pattern->fits(o, why, size))
        return false;
    return true;
}
