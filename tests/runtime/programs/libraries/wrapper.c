/* A second preload that wraps write in the usual way and counts; it reports when it is unloaded. */
#include "../truth.h"

#include <dlfcn.h>

static long calls;

ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
    static ssize_t (*real)(int, const void *, size_t, off_t);
    if (real == NULL) {
        real = (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
    }
    calls++;
    return real(fd, buf, n, at);
}

__attribute__((destructor)) static void report(void)
{
    char text[32];
    if (calls > 0) {
        snprintf(text, sizeof text, "%ld", calls);
        truth_note("wrapper", text);
    }
}
