/*
 * Loads the library that is its first argument; its constructor does all the work.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc < 2 || dlopen(argv[1], RTLD_NOW) == NULL) {
        fprintf(stderr, "not loaded: %s\n", dlerror());
        return 1;
    }
    return dlerror() == NULL ? 0 : 2; /* an error of somebody else's */
}
