/* Linked with an MPI, and never in it: a batch tool of an MPI suite, say. */
#include "account.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int begun = 1, ended = 1;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int n = 0;
    account_begin("TRUTH");
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    MPI_Get_library_version(text, &n);
    printf("%d %d %s\n", begun, ended, n > 0 ? "version" : "");
    account_sleep(200000000);
    if (argc == 1 || argv[1] == NULL) {
        fopen("/dev/null", "r"); /* late enough for a profile of its own */
    }
    return 3;
}
