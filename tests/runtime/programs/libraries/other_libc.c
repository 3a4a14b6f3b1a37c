/* other_libc.c: for another C library than glibc: descriptors, streams, threads, a jump and a child; says "fine",
 * and ends with status 7. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void *thread(void *name)
{
    FILE *out = fopen(name, "w+");
    char line[100], word[20];
    int n;
    if (out == NULL || fprintf(out, "%s %d\n%c", "number", 17, 'x') != 11 || fflush(out) != 0)
        return NULL;
    rewind(out);
    if (fgets(line, sizeof line, out) == NULL || sscanf(line, "%19s %d", word, &n) != 2 || n != 17)
        return NULL;
    if (fgetc(out) != 'x' || fgetc(out) != EOF || fseek(out, 2, SEEK_SET) != 0)
        return NULL;
    if (fread(line, 1, 4, out) != 4 || memcmp(line, "mber", 4) != 0 || fclose(out) != 0)
        return NULL;
    return name;
}

int main(void)
{
    static char data[200000];
    jmp_buf back;
    pthread_t t;
    struct stat st;
    void *done = NULL;
    int status, fd = open("data", O_CREAT | O_RDWR, 0600);
    if (fd < 0 || write(fd, data, sizeof data) != sizeof data || fstat(fd, &st) != 0)
        return 1;
    if (st.st_size != sizeof data || pread(fd, data, 100, 50) != 100 || close(fd) != 0)
        return 2;
    if (pthread_create(&t, NULL, thread, "stream") != 0 || pthread_join(t, &done) != 0 || !done)
        return 3;
    if (setjmp(back) == 0)
        longjmp(back, 1);
    pid_t child = fork();
    if (child == 0)
        _exit(thread("child") ? 5 : 6);
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 5)
        return 4;
    puts("fine");
    return 7;
}
