/* answer.c: the parser of the receiver's answer, which is not trusted. */
#include "connection/answer.h"

#include <string.h>

/* The rest of a line. */
typedef struct words {
    const char *at, *end;
} words;

/* The next word, which ends at a space or the end of the line. */
static bool next_word(words *w, const char **word, size_t *n)
{
    if (w->at >= w->end)
        return false;
    const char *space = memchr(w->at, ' ', (size_t)(w->end - w->at));
    const char *end = space ? space : w->end;
    *word = w->at;
    *n = (size_t)(end - w->at);
    w->at = space ? space + 1 : w->end;
    return *n > 0;
}

static bool is(const char *word, size_t n, const char *text)
{
    return n == strlen(text) && memcmp(word, text, n) == 0;
}

static bool next_number(words *w, uint64_t most, uint64_t *to)
{
    const char *word;
    size_t n;
    if (!next_word(w, &word, &n) || n > 20)
        return false;
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned digit = (unsigned)(word[i] - '0');
        if (digit > 9 || digit > most || value > (most - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *to = value;
    return true;
}

/* Seconds with a fraction, at most a day. */
static bool next_seconds(words *w, int64_t *ns)
{
    const char *word;
    size_t n;
    if (!next_word(w, &word, &n) || n > 20)
        return false;
    int64_t value = 0, unit = 1000000000;
    bool fraction = false;
    for (size_t i = 0; i < n; i++) {
        if (word[i] == '.' && !fraction) {
            fraction = true;
            continue;
        }
        unsigned digit = (unsigned)(word[i] - '0');
        if (digit > 9)
            return false;
        if (fraction)
            value += (unit /= 10) * digit;
        else if ((value = value * 10 + digit * 1000000000LL) > 86400000000000LL)
            return false;
    }
    *ns = value;
    return true;
}

static void take_text(const words *w, char *to, size_t size)
{
    size_t n = (size_t)(w->end - w->at);
    n = n < size ? n : size - 1;
    memcpy(to, w->at, n);
    to[n] = 0;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)to[i] < ' ' || to[i] == 0x7f)
            to[i] = '?';
}

static bool take_file(words *w, jst_answer *to)
{
    uint64_t owner, done;
    jst_answer_file f;
    if (!next_number(w, UINT32_MAX, &owner) || !next_number(w, UINT64_MAX, &f.id) ||
        !next_number(w, UINT64_MAX, &f.have) || !next_number(w, 1, &done))
        return false;
    if (to->files == JST_ANSWER_FILES)
        return false;
    f.owner = (uint32_t)owner;
    f.done = done;
    take_text(w, f.why, sizeof f.why);
    to->file[to->files++] = f;
    return true;
}

static bool take_line(words w, jst_answer *to)
{
    const char *word;
    size_t n;
    uint64_t time;
    if (!next_word(&w, &word, &n))
        return true;
    if (is(word, n, "file"))
        return take_file(&w, to);
    if (is(word, n, "credit"))
        return next_number(&w, UINT64_MAX, &to->credit);
    if (is(word, n, "after"))
        return next_seconds(&w, &to->after_ns);
    if (is(word, n, "time")) {
        if (!next_number(&w, INT64_MAX, &time))
            return false;
        to->time_ns = (int64_t)time;
    } else if (is(word, n, "error")) {
        take_text(&w, to->error, sizeof to->error);
    } else if (is(word, n, "why")) {
        take_text(&w, to->why, sizeof to->why);
    } else if (is(word, n, "fix")) {
        take_text(&w, to->fix, sizeof to->fix);
    }
    return true;
}

bool jst_answer_parse(const char *bytes, size_t n, jst_answer *to)
{
    static const char first[] = "jostle-ship 1\n";
    const size_t skip = sizeof first - 1;
    to->time_ns = to->after_ns = 0;
    to->credit = UINT64_MAX;
    to->error[0] = to->why[0] = to->fix[0] = 0;
    to->files = 0;
    /* An answer that was cut does not end with a line's end: no number of it is cut. */
    if (n < skip || memcmp(bytes, first, skip) != 0 || bytes[n - 1] != '\n')
        return false;
    const char *end = bytes + n;
    for (const char *line = bytes + skip; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        if (!take_line((words){line, stop}, to))
            return false;
        line = stop + 1;
    }
    return true;
}
