! Uses MPI through each of Fortran's three bindings and accounts for it: BINDING is 1 for
! mpif.h, 2 for `use mpi`, 3 for `use mpi_f08`. The account itself is in account_fortran.c.

#if BINDING == 3
#define COMM_T type(MPI_Comm)
#define REQUEST_T type(MPI_Request)
#define TYPE_T type(MPI_Datatype)
#define FILE_T type(MPI_File)
#define WIN_T type(MPI_Win)
#define STATUS_T type(MPI_Status)
#define MESSAGE_T type(MPI_Message)
#else
#define COMM_T integer
#define REQUEST_T integer
#define TYPE_T integer
#define FILE_T integer
#define WIN_T integer
#define MESSAGE_T integer
#endif

module account
   use iso_c_binding
   implicit none
   interface
      subroutine account_open() bind(c)
      end subroutine
      subroutine account_did(name, ops, bytes) bind(c)
         import
         character(kind=c_char), intent(in) :: name(*)
         integer(c_long_long), value :: ops, bytes
      end subroutine
   end interface
contains
   subroutine did(name, ops, bytes)
      character(len=*), intent(in) :: name
      integer, intent(in) :: ops, bytes
      call account_did(name // c_null_char, int(ops, c_long_long), int(bytes, c_long_long))
   end subroutine

   subroutine must(ok, what)
      logical, intent(in) :: ok
      character(len=*), intent(in) :: what
      if (.not. ok) then
         write (0, *) 'wrong: ', what
         stop 99
      end if
   end subroutine
end module

module work
   use account
#if BINDING == 3
   use mpi_f08
#elif BINDING == 2
   use mpi
#endif
   implicit none
#if BINDING == 1
   include 'mpif.h'
#endif
   integer :: rank, nranks, right, left, ierr
   integer, save :: a(64), b(64), c(512), d(512)
   double precision, save :: x(32), y(32)
contains

   subroutine p2p()
      REQUEST_T :: r(2)
      MESSAGE_T :: m
#if BINDING == 3
      STATUS_T :: s, ss(2)
#else
      integer :: s(MPI_STATUS_SIZE), ss(MPI_STATUS_SIZE, 2)
#endif
      logical :: flag
      integer :: i, n
      call MPI_Irecv(b, 25, MPI_INTEGER, left, 7, MPI_COMM_WORLD, r(1), ierr)
      call did('mpi_irecv', 1, 100)
      call MPI_Send(a, 25, MPI_INTEGER, right, 7, MPI_COMM_WORLD, ierr)
      call did('mpi_send', 1, 100)
      call MPI_Wait(r(1), s, ierr)
      call did('mpi_wait', 1, 0)
      call MPI_Get_count(s, MPI_INTEGER, n, ierr)
      call must(n == 25, 'count of the received message')
      call MPI_Isend(x, 3, MPI_DOUBLE_PRECISION, right, 8, MPI_COMM_WORLD, r(1), ierr)
      call did('mpi_isend', 1, 24)
      call MPI_Recv(y, 30, MPI_DOUBLE_PRECISION, left, MPI_ANY_TAG, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierr)
      call did('mpi_recv', 1, 24)
      call MPI_Wait(r(1), MPI_STATUS_IGNORE, ierr)
      call did('mpi_wait', 1, 0)
      call MPI_Sendrecv(a, 10, MPI_INTEGER, right, 3, b, 20, MPI_INTEGER, left, 3, &
                        MPI_COMM_WORLD, s, ierr)
      call did('mpi_sendrecv', 1, 40)
      call did('sendrecv_got', 0, 40)
      call MPI_Sendrecv_replace(b, 12, MPI_INTEGER, right, 4, left, 4, MPI_COMM_WORLD, s, ierr)
      call did('mpi_sendrecv', 1, 48)
      call did('sendrecv_got', 0, 48)
      call MPI_Issend(a, 5, MPI_INTEGER, right, 1, MPI_COMM_WORLD, r(1), ierr)
      call did('mpi_isend', 1, 20)
      call MPI_Probe(left, 1, MPI_COMM_WORLD, s, ierr)
      call did('mpi_probe', 1, 0)
      call MPI_Mprobe(left, 1, MPI_COMM_WORLD, m, s, ierr)
      call did('mpi_probe', 1, 0)
      call MPI_Mrecv(b, 5, MPI_INTEGER, m, s, ierr)
      call did('mpi_recv', 1, 20)
      flag = .false.
      do while (.not. flag)
         call MPI_Test(r(1), flag, s, ierr)
         call did('mpi_test', 1, 0)
      end do
      call MPI_Recv_init(b, 9, MPI_INTEGER, left, 2, MPI_COMM_WORLD, r(1), ierr)
      call MPI_Send_init(a, 9, MPI_INTEGER, right, 2, MPI_COMM_WORLD, r(2), ierr)
      call did('mpi_request', 2, 0)
      do i = 1, 3
         if (i < 3) then
            call MPI_Startall(2, r, ierr)
            call did('mpi_request', 1, 0)
         else
            call MPI_Start(r(1), ierr)
            call MPI_Start(r(2), ierr)
            call did('mpi_request', 2, 0)
         end if
         call did('mpi_irecv', 1, 36)
         call did('mpi_isend', 1, 36)
         call MPI_Waitall(2, r, ss, ierr)
         call did('mpi_wait', 1, 0)
      end do
      call MPI_Request_free(r(1), ierr)
      call MPI_Request_free(r(2), ierr)
      call did('mpi_request', 2, 0)
   end subroutine

   subroutine collectives()
      integer :: counts(64), displs(64), i, own
      REQUEST_T :: r
      do i = 1, nranks
         counts(i) = i
         displs(i) = i * (i - 1) / 2
      end do
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
      call did('mpi_barrier', 1, 0)
      call MPI_Bcast(a, 7, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
      call did('mpi_one_to_all', 1, 28)
      call MPI_Scatter(c, 3, MPI_INTEGER, b, 3, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
      own = 12
      if (rank == 0) own = 12 * nranks
      call did('mpi_one_to_all', 1, own)
      call MPI_Reduce(x, y, 5, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
      call did('mpi_all_to_one', 1, 40)
      if (rank == 0) then
         call MPI_Reduce(MPI_IN_PLACE, y, 5, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
         call MPI_Gather(MPI_IN_PLACE, 0, MPI_INTEGER, d, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
      else
         call MPI_Reduce(y, x, 5, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
         call MPI_Gather(a, 4, MPI_INTEGER, d, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
      end if
      call did('mpi_all_to_one', 2, 56)
      call MPI_Gatherv(a, rank + 1, MPI_INTEGER, d, counts, displs, MPI_INTEGER, 0, &
                       MPI_COMM_WORLD, ierr)
      call did('mpi_all_to_one', 1, 4 * (rank + 1))
      call MPI_Allreduce(x, y, 6, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
      call did('mpi_all_to_all', 1, 48)
      call MPI_Allreduce(MPI_IN_PLACE, y, 6, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
      call did('mpi_all_to_all', 1, 48)
      call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, d, 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
      call did('mpi_all_to_all', 1, 8)
      call MPI_Allgatherv(a, rank + 1, MPI_INTEGER, d, counts, displs, MPI_INTEGER, &
                          MPI_COMM_WORLD, ierr)
      call did('mpi_all_to_all', 1, 4 * (rank + 1))
      call MPI_Alltoall(c, 3, MPI_INTEGER, d, 3, MPI_INTEGER, MPI_COMM_WORLD, ierr)
      call did('mpi_all_to_all', 1, 12 * nranks)
      call MPI_Reduce_scatter(c, d, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
      call did('mpi_all_to_all', 1, 4 * (nranks * (nranks + 1)) / 2)
      call MPI_Scan(a, b, 6, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
      call did('mpi_scan', 1, 24)
      call MPI_Ibcast(a, 7, MPI_INTEGER, 0, MPI_COMM_WORLD, r, ierr)
      call did('mpi_ione_to_all', 1, 28)
      call MPI_Wait(r, MPI_STATUS_IGNORE, ierr)
      call MPI_Iallreduce(x, y, 6, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, r, ierr)
      call did('mpi_iall_to_all', 1, 48)
      call MPI_Wait(r, MPI_STATUS_IGNORE, ierr)
      call MPI_Ibarrier(MPI_COMM_WORLD, r, ierr)
      call did('mpi_ibarrier', 1, 0)
      call MPI_Wait(r, MPI_STATUS_IGNORE, ierr)
      call did('mpi_wait', 3, 0)
   end subroutine

   subroutine types_and_topologies()
      TYPE_T :: t
      COMM_T :: grid, half
      integer :: dims(1)
      logical :: periods(1)
      dims(1) = nranks
      periods(1) = .true.
      call MPI_Type_vector(3, 2, 4, MPI_INTEGER, t, ierr)
      call MPI_Type_commit(t, ierr)
      call MPI_Bcast(c, 2, t, 0, MPI_COMM_WORLD, ierr)
      call did('mpi_one_to_all', 1, 48)
      call MPI_Type_free(t, ierr)
      call MPI_Bcast(c, 3, MPI_2INTEGER, 0, MPI_COMM_WORLD, ierr)
      call did('mpi_one_to_all', 1, 24)
      call MPI_Bcast(c, 5, MPI_CHARACTER, 0, MPI_COMM_WORLD, ierr)
      call did('mpi_one_to_all', 1, 5)
      call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, .false., grid, ierr)
      call MPI_Neighbor_alltoall(c, 2, MPI_INTEGER, d, 2, MPI_INTEGER, grid, ierr)
      call did('mpi_neighbor', 1, 16)
      call MPI_Comm_free(grid, ierr)
      call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierr)
      call MPI_Allreduce(a, b, 2, MPI_INTEGER, MPI_SUM, half, ierr)
      call did('mpi_all_to_all', 1, 8)
      call MPI_Comm_free(half, ierr)
      call did('mpi_comm', 4, 0)
   end subroutine

   subroutine memory()
      WIN_T :: w
      integer(MPI_ADDRESS_KIND) :: bytes, at
      bytes = 8 * 32
      at = 0
      call MPI_Win_create(x, bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, w, ierr)
      call MPI_Win_fence(0, w, ierr)
      call MPI_Put(y, 3, MPI_DOUBLE_PRECISION, right, at, 3, MPI_DOUBLE_PRECISION, w, ierr)
      call did('mpi_put', 1, 24)
      call MPI_Win_fence(0, w, ierr)
      call MPI_Get(y, 4, MPI_DOUBLE_PRECISION, right, at, 4, MPI_DOUBLE_PRECISION, w, ierr)
      call did('mpi_get', 1, 32)
      call MPI_Win_fence(0, w, ierr)
      call MPI_Accumulate(y, 5, MPI_DOUBLE_PRECISION, right, at, 5, MPI_DOUBLE_PRECISION, MPI_SUM, &
                          w, ierr)
      call did('mpi_accumulate', 1, 40)
      call MPI_Win_fence(0, w, ierr)
      call did('mpi_rma_sync', 4, 0)
      call MPI_Win_free(w, ierr)
      call did('mpi_window', 2, 0)
   end subroutine

   subroutine files()
      FILE_T :: f
      character(len=400) :: folder
      integer(MPI_OFFSET_KIND) :: at
#if BINDING == 3
      STATUS_T :: s
#else
      integer :: s(MPI_STATUS_SIZE)
#endif
      call get_environment_variable('DATA', folder)
      at = 4096 * rank
      call MPI_File_open(MPI_COMM_WORLD, trim(folder) // '/fortran', &
                         MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, f, ierr)
      call must(ierr == MPI_SUCCESS, 'open')
      call did('mpiio_open', 1, 0)
      call MPI_File_set_view(f, at, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL, ierr)
      call did('mpiio_meta', 1, 0)
      call MPI_File_write(f, a, 8, MPI_INTEGER, s, ierr)
      call did('mpiio_write', 1, 32)
      at = 0
      call MPI_File_write_at_all(f, at, a, 9, MPI_INTEGER, s, ierr)
      call did('mpiio_write_all', 1, 36)
      call MPI_File_sync(f, ierr)
      call did('mpiio_sync', 1, 0)
      call MPI_File_read_at(f, at, b, 4, MPI_INTEGER, s, ierr)
      call did('mpiio_read', 1, 16)
      call MPI_File_read_at_all(f, at, b, 5, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
      call did('mpiio_read_all', 1, 20)
      call MPI_File_close(f, ierr)
      call did('mpiio_close', 1, 0)
   end subroutine
end module

program bindings
   use work
   implicit none
   call account_open()
   call MPI_Init(ierr)
   call did('mpi_init', 1, 0)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
   call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr)
   right = mod(rank + 1, nranks)
   left = mod(rank + nranks - 1, nranks)
   call p2p()
   call collectives()
   call types_and_topologies()
   if (nranks > 1) call memory()
   call files()
   call MPI_Finalize(ierr)
   call did('mpi_finalize', 1, 0)
   print '(a,i0)', 'rank ', rank
end program
