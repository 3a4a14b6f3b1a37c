/* Streams without a file behind them: memory, cookies, pipes to commands, wide characters. */
#include "../truth.h"

#include <wchar.h>

static ssize_t cookie_write(void *cookie, const char *text, size_t n)
{
    (void)text;
    *(size_t *)cookie += n;
    return (ssize_t)n;
}

static void memory(void)
{
    char *text = NULL, line[16];
    size_t size = 0, swallowed = 0;
    cookie_io_functions_t functions = {.write = cookie_write};
    FILE *f = open_memstream(&text, &size);
    MUST(fprintf(f, "%d-%s", 42, "abc") == 6 && fputc('!', f) == '!' && fflush(f) == 0);
    MUST(size == 7 && strcmp(text, "42-abc!") == 0);
    MUST(fclose(f) == 0);
    f = fmemopen(text, size, "r");
    MUST(fgets(line, sizeof line, f) == line && strcmp(line, "42-abc!") == 0 && fgetc(f) == EOF);
    fclose(f);
    f = fopencookie(&swallowed, "w", functions);
    MUST(fwrite("12345", 1, 5, f) == 5 && putc('6', f) == '6' && fclose(f) == 0 && swallowed == 6);
    free(text);
    MUST(snprintf(line, sizeof line, "%d", 5) == 1 && sscanf("17", "%zu", &size) == 1 &&
         size == 17);
}

static void commands(void)
{
    char line[64];
    FILE *f = popen("cat >/dev/null", "w");
    MUST(f != NULL && fwrite("0123456789", 1, 10, f) == 10);
    DID(stream_write_ops, 1), DID(stream_write_bytes, 10);
    MUST(pclose(f) == 0);
    f = popen("echo four", "r");
    MUST(fgets(line, sizeof line, f) == line && strcmp(line, "four\n") == 0);
    DID(stream_read_ops, 1), DID(stream_read_bytes, 5);
    MUST(pclose(f) == 0);
}

static void wide(void)
{
    FILE *f = fopen("wide", "w+");
    wchar_t line[32];
    MUST(fputws(L"wide text\n", f) >= 0 && fputwc(L'x', f) == L'x' && fwprintf(f, L"%d\n", 7) == 2);
    rewind(f);
    MUST(fgetws(line, 32, f) == line && wcscmp(line, L"wide text\n") == 0);
    MUST(fgetwc(f) == L'x' && fgetwc(f) == L'7');
    fclose(f);
}

/* A pushed-back character is delivered again; tokens longer than any buffer. */
static void scanning(void)
{
    static char token[30001], again[30001];
    FILE *f = fopen("tokens", "w");
    int number = 0;
    memset(token, 't', 30000);
    fprintf(f, "17 %s 18\n", token);
    DID(stdio_write_ops, 1), DID(stdio_write_bytes, 3 + 30000 + 4);
    fclose(f);
    f = fopen("tokens", "r");
    MUST(fgetc(f) == '1' && ungetc('1', f) == '1');
    DID(stdio_read_ops, 1), DID(stdio_read_bytes, 1);
    MUST(fscanf(f, "%d", &number) == 1 && number == 17);
    DID(stdio_read_ops, 1), DID(stdio_read_bytes, 2);
    /* From here on libc knows where it is: exact for any length. */
    MUST(fseek(f, 2, SEEK_SET) == 0);
    DID(stdio_seek_ops, 1);
    MUST(fscanf(f, "%30000s", again) == 1 && strcmp(token, again) == 0);
    DID(stdio_read_ops, 1), DID(stdio_read_bytes, 30001);
    MUST(fscanf(f, "%d", &number) == 1 && number == 18);
    DID(stdio_read_ops, 1), DID(stdio_read_bytes, 3);
    fclose(f);
}

int main(int argc, char **argv)
{
    MUST(argc == 3 && chdir(argv[1]) == 0);
    truth_begin();
    if (strcmp(argv[2], "memory") == 0) {
        memory();
    } else if (strcmp(argv[2], "commands") == 0) {
        commands();
    } else if (strcmp(argv[2], "wide") == 0) {
        wide();
    } else {
        scanning();
    }
    return 0;
}
