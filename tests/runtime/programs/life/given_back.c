/* What stays in memory of the preloaded library once its profile has begun. given_back [written]: prints the
 * KiB of its file that are mapped and those of them that are in memory. written: as after a checkpoint, its first page is no longer the
 * file's, and must stay as it is. */
#include "../truth.h"

#include <dlfcn.h>
#include <link.h>

static char *base;

static int find(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (strstr(info->dlpi_name, "libjostle.so"))
        base = (char *)info->dlpi_addr;
    return base != NULL;
}

static void print_mapped(void)
{
    char line[512];
    long size = 0, rss = 0, n, ours = 0;
    FILE *smaps = fopen("/proc/self/smaps", "r");
    MUST(smaps);
    while (fgets(line, sizeof line, smaps)) {
        if (strstr(line, " r-xp ") || strstr(line, " r--p ") || strstr(line, " rw-p "))
            ours = strstr(line, "libjostle.so") != NULL;
        if (ours && sscanf(line, "Size: %ld kB", &n) == 1)
            size += n;
        if (ours && sscanf(line, "Rss: %ld kB", &n) == 1)
            rss += n;
    }
    fclose(smaps);
    printf("%ld %ld\n", size, rss);
}

int main(int argc, char **argv)
{
    (void)argv;
    dl_iterate_phdr(find, NULL);
    MUST(base);
    if (argc > 1) {
        MUST(mprotect(base, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
        base[12] = 90; /* padding of the ELF header */
    }
    usleep(150000);
    MUST(write(open("file", O_WRONLY | O_CREAT, 0600), "x", 1) == 1); /* the profile begins */
    usleep(400000);
    print_mapped();
    MUST(base[12] == (argc > 1 ? 90 : 0));
    MUST(dlsym(RTLD_DEFAULT, "fputws") &&
         dlsym(RTLD_DEFAULT, "MPI_Send")); /* names are still found */
    return 0;
}
