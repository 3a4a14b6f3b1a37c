! Calls that fail with ierror left out: an error of this communicator, whose handler lets it return.
! Nobody may ask about their handles: that would be another error, one that ends the program.
program no_ierror
   use mpi_f08
   implicit none
   type(MPI_Comm) :: comm
   type(MPI_Datatype) :: nonsense
   integer :: data(4) = 1
   call MPI_Init()
   call MPI_Comm_dup(MPI_COMM_WORLD, comm)
   call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)
   nonsense%MPI_VAL = 77777
   call MPI_Send(data, 1, nonsense, 0, 0, comm)
   call MPI_Bcast(data, 1, nonsense, 0, comm)
   call MPI_Allreduce(MPI_IN_PLACE, data, 4, MPI_INTEGER, MPI_SUM, comm)
   call MPI_Comm_free(comm)
   call MPI_Finalize()
end program no_ierror
