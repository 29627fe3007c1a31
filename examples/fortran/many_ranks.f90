! SPDX-License-Identifier: BSD-3-Clause
! An array that is spread over MPI ranks, from Fortran: slabs of the last dimension there, slabs of the
! first one in the spectrum, and back.
program many_ranks
  use, intrinsic :: iso_c_binding
  use mpi_f08
  use weft
  use weft_mpi
  implicit none
  integer, parameter :: n(3) = [12, 10, 9]
  real(c_double) :: error, largest
  integer :: ranks

  call MPI_Init()
  call transform_there_and_back()   ! what weft owns goes when it returns, before MPI_Finalize
  call MPI_Finalize()
  if (largest > 1e-12_c_double) error stop 1

contains

  subroutine transform_there_and_back()
    type(weft_comm) :: comm
    type(weft_boxes) :: input, output
    type(weft_distributed_plan) :: forward, backward
    complex(c_double_complex), allocatable, target :: x(:, :, :), y(:, :, :), field(:, :, :)
    integer :: lower(3), upper(3), i, j, k
    integer(c_int) :: status

    call weft_comm_from_mpi(comm, MPI_COMM_WORLD%MPI_VAL)
    ranks = comm%size()
    call input%slabs(n, 3, ranks, comm%rank())
    call output%slabs(n, 1, ranks, comm%rank())
    call forward%create(weft_c2c, n, comm, input, output)
    call backward%create(weft_c2c, n, comm, output, input, direction=weft_backward, &
                         normalization=weft_norm_backward, share=forward)

    call input%bounds(1, lower, upper)
    allocate (field(lower(1):upper(1), lower(2):upper(2), lower(3):upper(3)))
    do k = lower(3), upper(3)
      do j = lower(2), upper(2)
        do i = lower(1), upper(1)
          field(i, j, k) = cmplx(sin(real(i*i, c_double)), cos(real(j*k, c_double)), c_double_complex)
        end do
      end do
    end do
    x = field
    call output%bounds(1, lower, upper)
    allocate (y(lower(1):upper(1), lower(2):upper(2), lower(3):upper(3)))

    call forward%execute(x, y)
    x = 0
    call backward%start(c_loc(y), c_loc(x))
    do while (.not. backward%test())
    end do
    call backward%wait()
    error = maxval(abs(x - field))
    call MPI_Allreduce(error, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    if (comm%rank() == 0) &
      print '(a, i0, a, es8.1)', 'there and back on ', ranks, ' ranks, largest error', largest

    ! A rank with an array that is too small: every rank gets an error.
    if (comm%rank() == ranks - 1) then
      call forward%execute(x(:, :, 1:0), y, status)
    else
      call forward%execute(x, y, status)
    end if
    if (status == weft_success) error stop 2
  end subroutine

end program
