/* A tool behind us, preloaded: is called inside the first MPI call of the program, and must be able to
 * see through it to main. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unwind.h>

static int depth, met;

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *main_function)
{
    depth++;
    met |= _Unwind_FindEnclosingFunction((void *)_Unwind_GetIP(context)) == main_function;
    return depth < 100 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

int PMPI_Init(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return 0;
}

int MPI_Init(int *argc, char ***argv)
{
    return PMPI_Init(argc, argv);
}

int MPI_Get_library_version(char *text, int *length)
{
    _Unwind_Backtrace(look, dlsym(RTLD_DEFAULT, "main"));
    printf("main %s\n", met ? "seen" : "not seen");
    strcpy(text, "An MPI that nobody knows, 1.0");
    *length = (int)strlen(text);
    return 0;
}

int MPI_Send(const void *a, int b, void *c, int d, int e, void *f)
{
    return a == (void *)1 && b == 2 && c == (void *)3 && d == 4 && e == 5 && f == (void *)6 ? 0
                                                                                            : 99;
}

int MPI_Bcast(const void *a, int b, void *c, int d, void *e)
{
    return a == (void *)1 && b == 2 && c == (void *)3 && d == 4 && e == (void *)5 ? 0 : 99;
}
