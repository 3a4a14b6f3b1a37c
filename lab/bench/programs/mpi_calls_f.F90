! mpi_calls_f: the calls that mpi_calls.c repeats, from Fortran. One of BENCH_MPIFH, BENCH_MPI and
! BENCH_F08 selects the binding.
#if defined BENCH_F08
#define COMM_TYPE type(MPI_Comm)
#define REQUEST_TYPE type(MPI_Request)
#else
#define COMM_TYPE integer
#define REQUEST_TYPE integer
#endif
#if defined BENCH_MPIFH
#define USE_MPI
#define INCLUDE_MPI include 'mpif.h'
#elif defined BENCH_MPI
#define USE_MPI use mpi
#define INCLUDE_MPI
#else
#define USE_MPI use mpi_f08
#define INCLUDE_MPI
#endif

module bench_state
    implicit none
    integer, parameter :: tag = 1, never_tag = 2
    integer :: self, other
    double precision :: received, sent = 1
end module bench_state

subroutine bench_start(rank, size) bind(C)
    use iso_c_binding, only: c_int
    use bench_state
    USE_MPI
    implicit none
    INCLUDE_MPI
    integer(c_int), intent(out) :: rank, size
    integer :: error
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, self, error)
    call MPI_Comm_size(MPI_COMM_WORLD, size, error)
    rank = self
    other = 1 - self
end subroutine bench_start

subroutine bench_agree(count) bind(C)
    use iso_c_binding, only: c_int
    USE_MPI
    implicit none
    INCLUDE_MPI
    integer(c_int), intent(inout) :: count
    integer :: error
    call MPI_Bcast(count, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
end subroutine bench_agree

subroutine bench_stop() bind(C)
    USE_MPI
    implicit none
    INCLUDE_MPI
    integer :: error
    call MPI_Finalize(error)
end subroutine bench_stop

subroutine send_receive(count)
    use bench_state
    USE_MPI
    implicit none
    INCLUDE_MPI
    integer, intent(in) :: count
    integer :: i, error
    do i = 1, count
        if (self == 0) then
            call MPI_Send(sent, 1, MPI_DOUBLE_PRECISION, other, tag, MPI_COMM_WORLD, error)
            call MPI_Recv(received, 1, MPI_DOUBLE_PRECISION, other, tag, MPI_COMM_WORLD, &
                          MPI_STATUS_IGNORE, error)
        else
            call MPI_Recv(received, 1, MPI_DOUBLE_PRECISION, other, tag, MPI_COMM_WORLD, &
                          MPI_STATUS_IGNORE, error)
            call MPI_Send(sent, 1, MPI_DOUBLE_PRECISION, other, tag, MPI_COMM_WORLD, error)
        end if
    end do
end subroutine send_receive

subroutine exchange(count, partner, comm)
    use bench_state
    USE_MPI
    implicit none
    INCLUDE_MPI
    integer, intent(in) :: count, partner
    COMM_TYPE, intent(in) :: comm
    REQUEST_TYPE :: receive, send
    integer :: i, error
    do i = 1, count
        call MPI_Irecv(received, 1, MPI_DOUBLE_PRECISION, partner, tag, comm, receive, error)
        call MPI_Isend(sent, 1, MPI_DOUBLE_PRECISION, partner, tag, comm, send, error)
        call MPI_Wait(receive, MPI_STATUS_IGNORE, error)
        call MPI_Wait(send, MPI_STATUS_IGNORE, error)
    end do
end subroutine exchange

subroutine reduce(count, comm)
    use bench_state
    USE_MPI
    implicit none
    INCLUDE_MPI
    integer, intent(in) :: count
    COMM_TYPE, intent(in) :: comm
    integer :: i, error
    do i = 1, count
        call MPI_Allreduce(sent, received, 1, MPI_DOUBLE_PRECISION, MPI_SUM, comm, error)
    end do
end subroutine reduce

subroutine bench_repeat(operation, count) bind(C)
    use iso_c_binding, only: c_int
    use bench_state
    USE_MPI
    implicit none
    INCLUDE_MPI
    interface
        subroutine exchange(count, partner, comm)
#if defined BENCH_F08
            use mpi_f08, only: MPI_Comm
#endif
            integer, intent(in) :: count, partner
            COMM_TYPE, intent(in) :: comm
        end subroutine exchange
        subroutine reduce(count, comm)
#if defined BENCH_F08
            use mpi_f08, only: MPI_Comm
#endif
            integer, intent(in) :: count
            COMM_TYPE, intent(in) :: comm
        end subroutine reduce
    end interface
    integer(c_int), value :: operation, count
    integer :: i, error
    logical :: flag
    REQUEST_TYPE :: request
    select case (operation)
    case (0)
        call send_receive(count)
    case (1)
        call exchange(count, other, MPI_COMM_WORLD)
    case (2)
        call reduce(count, MPI_COMM_WORLD)
    case (3)
        do i = 1, count
            call MPI_Barrier(MPI_COMM_WORLD, error)
        end do
    case (4)
        call reduce(count, MPI_COMM_SELF)
    case (5)
        do i = 1, count
            call MPI_Iprobe(0, tag, MPI_COMM_SELF, flag, MPI_STATUS_IGNORE, error)
        end do
    case (6)
        call exchange(count, 0, MPI_COMM_SELF)
    case (8)
        call exchange(count, 0, MPI_COMM_WORLD)
    case (7)
        call MPI_Irecv(received, 1, MPI_DOUBLE_PRECISION, 0, never_tag, MPI_COMM_SELF, request, &
                       error)
        do i = 1, count
            call MPI_Test(request, flag, MPI_STATUS_IGNORE, error)
        end do
        call MPI_Cancel(request, error)
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    end select
end subroutine bench_repeat
