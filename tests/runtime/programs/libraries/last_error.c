/*
 * What dlerror has for the program outlives the first calls of functions that we wrap. Arguments: a
 * folder.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct stat st;
    char path[4096];
    void *library = dlopen("/no/such/library.so", RTLD_NOW);
    int fd = open(argv[argc - 1], O_RDONLY | O_DIRECTORY);
    if (library != NULL || fd < 0 || fstat(fd, &st) != 0 || access(argv[argc - 1], R_OK) != 0) {
        return 1;
    }
    snprintf(path, sizeof path, "%s/log", argv[argc - 1]);
    FILE *log = fopen(path, "w");
    if (log == NULL || fputs("cannot load: ", log) < 0 || fflush(log) != 0) {
        return 2;
    }
    const char *text = dlerror();
    puts(text != NULL ? text : "nothing");
    fclose(log);
    return close(fd);
}
