! Sends known messages around a communicator that counts backwards, by each of Fortran's bindings: BINDING is
! 1 for mpif.h, 2 for `use mpi`, 3 for `use mpi_f08`.
program traffic
#if BINDING == 3
   use mpi_f08
#elif BINDING == 2
   use mpi
#endif
   implicit none
#if BINDING == 1
   include 'mpif.h'
#endif
#if BINDING == 3
   type(MPI_Comm) :: backwards
   type(MPI_Request) :: requests(2)
   type(MPI_Status) :: status
#else
   integer :: backwards, requests(2), status(MPI_STATUS_SIZE)
#endif
   integer :: rank, ranks, next, before, round, ierror
   integer :: sent(64), received(64)
   double precision :: one, total

   call MPI_Init(ierror)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, backwards, ierror)
   call MPI_Comm_rank(backwards, rank, ierror)
   call MPI_Comm_size(backwards, ranks, ierror)
   next = mod(rank + 1, ranks)
   before = mod(rank + ranks - 1, ranks)
   sent = rank
   one = 1
   do round = 1, 10
      call MPI_Sendrecv(sent, round, MPI_INTEGER, next, 1, received, 64, MPI_INTEGER, before, 1, &
                        backwards, status, ierror)
      call MPI_Irecv(received, 64, MPI_INTEGER, MPI_ANY_SOURCE, 2, backwards, requests(1), ierror)
      call MPI_Isend(sent, 2 * round, MPI_INTEGER, next, 2, backwards, requests(2), ierror)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
      call MPI_Allreduce(one, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, backwards, ierror)
      call MPI_Bcast(total, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)
   end do
   call MPI_Finalize(ierror)
end program
