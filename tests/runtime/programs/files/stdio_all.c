/* The stdio families on a file; compiled plain and with _FORTIFY_SOURCE, which changes names. */
#include "../truth.h"

#include <stdarg.h>
#include <stdio_ext.h>
#include <wchar.h>

static void wrote(long long bytes, long long wanted)
{
    MUST(bytes == wanted);
    DID(stdio_write_ops, 1);
    DID(stdio_write_bytes, bytes);
}

static void got(long long bytes, long long wanted)
{
    MUST(bytes == wanted);
    DID(stdio_read_ops, 1);
    DID(stdio_read_bytes, bytes);
}

static FILE *opened(FILE *f)
{
    MUST(f != NULL);
    DID(stdio_open_ops, 1);
    return f;
}

static void closed(FILE *f)
{
    MUST(fclose(f) == 0);
    DID(stdio_close_ops, 1);
}

__attribute__((format(printf, 2, 3))) static int through_v(FILE *f, const char *format, ...)
{
    va_list list;
    int n;
    va_start(list, format);
    n = vfprintf(f, format, list);
    va_end(list);
    return n;
}

__attribute__((format(printf, 1, 2))) static int through_stdout(const char *format, ...)
{
    va_list list;
    int n;
    va_start(list, format);
    n = vprintf(format, list);
    va_end(list);
    return n;
}

__attribute__((format(scanf, 2, 3))) static int scan_v(FILE *f, const char *format, ...)
{
    va_list list;
    int n;
    va_start(list, format);
    n = vfscanf(f, format, list);
    va_end(list);
    return n;
}

/* With optimisation the compiler expands the unlocked character functions: nobody can see them. */
#ifdef __OPTIMIZE__
#define DID_CHARACTER(kind) ((void)0)
#else
#define DID_CHARACTER(kind) (DID(stdio_##kind##_ops, 1), DID(stdio_##kind##_bytes, 1))
#endif

static void writing(FILE *f, char *volatile text)
{
    wrote((long long)fwrite(text, 1, 26, f), 26);
    wrote((long long)fwrite_unlocked(text, 2, 5, f) * 2, 10);
    MUST(fputs(text, f) >= 0);
    wrote(26, 26);
    MUST(fputs_unlocked(text, f) >= 0);
    wrote(26, 26);
    MUST(fputc('\n', f) == '\n');
    wrote(1, 1);
    MUST(putc('x', f) == 'x');
    wrote(1, 1);
    MUST((fputc_unlocked)('y', f) == 'y');
    DID_CHARACTER(write);
    MUST((putc_unlocked)('\n', f) == '\n');
    DID_CHARACTER(write);
    wrote(fprintf(f, "%s %d\n", text, 12345), 33);
    wrote(through_v(f, "%s %d\n", text, 12345), 33);
    MUST(fflush(f) == 0);
    DID(stdio_sync_ops, 1);
}

/* stdout is a file in this test. */
static void printing(char *volatile text)
{
    wrote(printf("%s=%s\n", text, text), 54);
    wrote(through_stdout("%s %d\n", text, 1), 29);
    MUST(puts(text) >= 0);
    wrote(27, 27);
    MUST(putchar('z') == 'z');
    wrote(1, 1);
    MUST((putchar_unlocked)('\n') == '\n');
    DID_CHARACTER(write);
    MUST(fflush(stdout) == 0);
    DID(stdio_sync_ops, 1);
}

static void reading(FILE *f)
{
    static char buffer[4096];
    volatile size_t size = sizeof buffer;
    char *line = NULL;
    size_t room = 0;
    int number = 0;
    got((long long)fread(buffer, 1, 26, f), 26);
    got((long long)fread_unlocked(buffer, 2, 5, f) * 2, 10);
    got((long long)fread(buffer, 1, 52, f), 52);
    MUST(fgets(buffer, (int)size, f) == buffer);
    got((long long)strlen(buffer), 1);
    MUST(fgetc(f) == 'x');
    got(1, 1);
    MUST(getc(f) == 'y');
    got(1, 1);
    MUST((getc_unlocked)(f) == '\n');
    DID_CHARACTER(read);
    got(getline(&line, &room, f), 33);
    MUST(fseek(f, -33, SEEK_CUR) == 0);
    DID(stdio_seek_ops, 1);
    MUST((fgetc_unlocked)(f) == 'a');
    DID_CHARACTER(read);
    got(getdelim(&line, &room, ' ', f), 26);
    MUST(fgets_unlocked(buffer, (int)size, f) == buffer);
    got((long long)strlen(buffer), 6);
    free(line);
    MUST(fscanf(f, "%26s %d", buffer, &number) == 2 && number == 12345);
    got(32, 32);
    rewind(f);
    DID(stdio_seek_ops, 1);
    MUST(scan_v(f, "%26c", buffer) == 1);
    got(26, 26);
}

static void seeking(FILE *f)
{
    fpos_t here;
    MUST(fseeko(f, 3, SEEK_SET) == 0);
    MUST(fseeko64(f, 4, SEEK_SET) == 0);
    MUST(fgetpos(f, &here) == 0 && fsetpos(f, &here) == 0);
    DID(stdio_seek_ops, 3);
}

int main(int argc, char **argv)
{
    static char big[1 << 14];
    char text[] = "abcdefghijklmnopqrstuvwxyz";
    FILE *f;
    int fd;
    MUST(argc == 2 && chdir(argv[1]) == 0);
    truth_begin();
    f = opened(fopen("a", "w"));
    MUST(setvbuf(f, big, _IOFBF, sizeof big) == 0);
    DID(stdio_meta_ops, 1);
    writing(f, text);
    closed(f);
    f = opened(fopen64("a", "r"));
    reading(f);
    seeking(f);
    f = opened(freopen("b", "w", f));
    writing(f, text);
    closed(f);
    fd = open("c", O_RDWR | O_CREAT, 0644);
    f = opened(fdopen(fd, "w"));
    wrote((long long)fwrite(big, 1, sizeof big, f), sizeof big);
    closed(f);
    f = opened(tmpfile());
    wrote(fprintf(f, "%d", 7), 1);
    closed(f);
    MUST(freopen("out", "w", stdout) == stdout);
    DID(stdio_open_ops, 1);
    printing(text);
    return 0;
}
