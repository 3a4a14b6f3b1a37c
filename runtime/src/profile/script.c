/* script.c: finds what an interpreter runs: a script's base name, a module or a class, never its
 * arguments. src/jostle/names/identity.py has the same rules; tests/data/scripts.txt tests both.
 *
 * RATIONALE: the command line belongs to the program, which may have overwritten it. Whatever is in
 * it, no byte after `length` is read, and at worst a name is wrong or absent. A command line that
 * was cut when it was read gives its script only if that is complete.
 */
#include "script.h"

#include "../text.h"

/* A shell's options may begin with '+', and their values are arguments of their own; '-' ends them.
 * Others read standard input for '-'. NO_PLAIN: an argument that is no option is no script.
 * STATEMENTS: the name is the first word of its code. */
enum { SHELL = 1, NO_PLAIN = 2, STATEMENTS = 4 };

/* Lists are words with a space before and after each. Arrays, not pointers: those would be
 * relocated, and cost every process a page of its own. */
typedef struct interpreter {
    char programs[48]; /* base names; a version may follow, as in python3.11 */
    char value[176];   /* options whose next argument is their value */
    char name[24];     /* options whose next argument is what it runs */
    char code[20];     /* options with code: there is no script */
    char letters[8];   /* letters with a value: the rest of the argument, else the next one */
    char rest[10];     /* letters that take the rest of the argument */
    char stop[4];      /* letters that mean code, or standard input */
    char module;       /* the letter whose value is a module */
    unsigned flags;
} interpreter;

static const interpreter known[] = {
    {" python pypy ", " --check-hash-based-pycs ", "", "", "WXQ", "", "c", 'm', 0},
    {" sh bash dash ash ksh mksh zsh csh tcsh fish ", " --rcfile --init-file ", "", "", "oO", "",
     "cs", 0, SHELL},
    {" Rscript ", "", "", " -e ", "", "", "", 0, 0},
    {" R ", " -d -g --debugger --gui --encoding ", " -f --file ", " -e --args ", "", "", "", 0,
     NO_PLAIN},
    {" julia ", " --load --threads --procs --sysimage --cpu-target --home --machine-file ", "",
     " --eval --print ", "LtpJCH", "", "eE", 0, 0},
    {" perl ", "", "", "", "I", "MmixFDdV", "eE", 0, 0},
    {" ruby ", "", "", "", "IrCE", "ixFK", "e", 0, 0},
    {" node nodejs ", " --require --import --loader --experimental-loader --conditions --env-file ",
     "", " --eval --print ", "rC", "", "ep", 0, 0},
    {" java ",
     " -cp -classpath --class-path -p --module-path --add-modules --add-exports --add-opens "
     "--add-reads --upgrade-module-path --limit-modules --patch-module --source ",
     " -jar -m --module ", "", "", "", "", 0, 0},
    {" MATLAB matlab ", " -sd -logfile ", " -batch -r ", "", "", "", "", 0, NO_PLAIN | STATEMENTS},
    {" octave octave-cli octave-gui ", " -p --path --image-path --exec-path ", "", " --eval ", "",
     "", "", 0, 0},
};
#define COUNT (sizeof known / sizeof *known)

/* Python modules that run the script among their arguments within their own process. */
static const char in_process[] =
    " mpi4py mpi4py.run mpi4py.futures cProfile profile trace coverage ";

static bool is_listed(const char *list, const char *word, size_t length)
{
    for (const char *p = list; length && *p; p++) {
        size_t i = 0;
        while (*p == ' ' && i < length && p[1 + i] == word[i])
            i++;
        if (*p == ' ' && i == length && p[1 + i] == ' ')
            return true;
    }
    return false;
}

static bool has(const char *letters, char letter)
{
    while (*letters && *letters != letter)
        letters++;
    return *letters != 0;
}

static const interpreter *find(const char *program)
{
    const char *base = jst_base_name(program);
    size_t n = jst_strlen(base), whole = n;
    for (unsigned i = 0; i < COUNT; i++)
        if (is_listed(known[i].programs, base, whole))
            return &known[i];
    while (n &&
           ((base[n - 1] >= '0' && base[n - 1] <= '9') || base[n - 1] == '.' || base[n - 1] == '-'))
        n--;
    for (unsigned i = 0; i < COUNT; i++)
        if (n < whole && is_listed(known[i].programs, base, n))
            return &known[i];
    return NULL;
}

/* The next argument; NULL after the last. */
static const char *next(const char *at, const char *end)
{
    at += jst_strlen(at) + 1;
    return at < end ? at : NULL;
}

/* RATIONALE: an option that is not known here may put code, which may contain secrets, where a
 * script is expected. Code has blanks, brackets and quotes; only names without these are taken. */
static bool is_name_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           has("_.+-@%,:~$#", c) || (c & 0x80);
}

static void put(const char *name, char *to, size_t room)
{
    const char *p = name;
    while (*p && is_name_letter(*p))
        p++;
    if (!*p && !jst_str_equal(name, ".") && !jst_str_equal(name, ".."))
        jst_put_text(to, to + room, name);
}

/* MATLAB gets statements: they are named by their first word, if that is a function or a script. */
static void put_statement(const char *text, char *to, size_t room)
{
    size_t n = 0;
    for (; n + 1 < room &&
           ((text[n] >= 'a' && text[n] <= 'z') || (text[n] >= 'A' && text[n] <= 'Z') ||
            (text[n] >= '0' && text[n] <= '9') || text[n] == '_' || text[n] == '.');
         n++)
        to[n] = text[n];
    to[has(" ;,(", text[n]) || !text[n] ? n : 0] = 0;
}

static bool is_script_file(const char *name)
{
    size_t n = jst_strlen(name);
    return n > 3 && jst_str_equal(name + n - 3, ".py");
}

static void put_module(const char *name, const char *end, char *to, size_t room)
{
    const char *at = is_listed(in_process, name, jst_strlen(name)) ? next(name, end) : NULL;
    while (at && !is_script_file(at))
        at = next(at, end);
    put(at ? jst_base_name(at) : name, to, room);
}

enum follows { OPTION, VALUE, NOTHING, MODULE };

/* Reads the letters of one argument, and returns what comes next. For a module, *name is the part
 * in the argument itself: "" where the next argument names it. */
static enum follows read_letters(const interpreter *of, const char *letter, const char **name)
{
    for (; *letter; letter++) {
        if (has(of->stop, *letter))
            return NOTHING;
        if (of->module && *letter == of->module) {
            *name = letter + 1;
            return MODULE;
        }
        if (has(of->letters, *letter))
            return letter[1] && !(of->flags & SHELL) ? OPTION : VALUE;
        if (has(of->rest, *letter))
            return OPTION;
    }
    return OPTION;
}

/* Reads one option and what belongs to it. Returns its last argument, NULL if no script follows. */
static const char *read_option(const interpreter *of, const char *at, const char *end, char *to,
                               size_t room)
{
    size_t n = 0;
    while (at[n] && at[n] != '=')
        n++;
    bool whole = !at[n];
    if (is_listed(of->code, at, n))
        return NULL;
    if (is_listed(of->name, at, n)) {
        const char *name = whole ? next(at, end) : at + n + 1;
        if (name && of->flags & STATEMENTS)
            put_statement(name, to, room);
        else if (name)
            put(jst_base_name(name), to, room);
        return NULL;
    }
    if (is_listed(of->value, at, n))
        return whole ? next(at, end) : at;
    if (!at[1])
        return of->flags & SHELL ? at : NULL;
    if (at[1] == '-' || !*of->stop)
        return at;
    const char *name = "";
    switch (read_letters(of, at + 1, &name)) {
    case OPTION:
        return at;
    case VALUE:
        return next(at, end);
    case MODULE:
        name = *name ? name : next(at, end);
        if (name)
            put_module(name, end, to, room);
        break;
    case NOTHING:
        break;
    }
    return NULL;
}

void jst_script_name(const char *program, const char *arguments, size_t length, char *to,
                     size_t room)
{
    const char *end = arguments + length;
    to[0] = 0;
    const interpreter *of = length ? find(*program ? program : arguments) : NULL;
    const char *at = of ? next(arguments, end) : NULL;
    for (; at; at = next(at, end)) {
        if (at[0] == '-' || (at[0] == '+' && of->flags & SHELL)) {
            at = read_option(of, at, end, to, room);
            if (!at)
                return;
        } else if (!(of->flags & NO_PLAIN) &&
                   at[0] != '@') { /* java reads more options from @FILE */
            put(jst_base_name(at), to, room);
            return;
        }
    }
}
