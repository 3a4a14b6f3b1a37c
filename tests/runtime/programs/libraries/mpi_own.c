/* A library with functions of its own that are called as some Fortran compilers call MPI's. */
double mpi_init(double a, int b, double c)
{
    return a + b + c;
}

long MPI_SEND(long a, long b, long c, long d, long e, long f, long g, long h)
{
    return a + 10 * (b + 10 * (c + 10 * (d + 10 * (e + 10 * (f + 10 * (g + 10 * h))))));
}
