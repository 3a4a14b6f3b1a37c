/* Included first in every C file of a portable build: functions that newer versions of glibc moved
 * or gave new versions keep their names of glibc 2.28. A program that uses the old version gets it
 * on every newer glibc, too.
 *
 * 2.34 moved what was libdl into libc: such libraries are linked with libdl.so.2, which is empty there. */
#if defined __x86_64__
#define JST_OLDEST "GLIBC_2.2.5"
#elif defined __aarch64__
#define JST_OLDEST "GLIBC_2.17"
#else
#error "JOSTLE_PORTABLE: the oldest version of glibc on this processor is not known"
#endif

/* clang-format off */
__asm__(".symver dladdr,dladdr@" JST_OLDEST);
__asm__(".symver dlclose,dlclose@" JST_OLDEST);
__asm__(".symver dlerror,dlerror@" JST_OLDEST);
__asm__(".symver dlopen,dlopen@" JST_OLDEST);
__asm__(".symver dlsym,dlsym@" JST_OLDEST);
/* clang-format on */
