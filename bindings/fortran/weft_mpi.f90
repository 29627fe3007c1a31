! SPDX-License-Identifier: BSD-3-Clause
! Ranks from an MPI communicator, for Fortran. It takes the integer of `use mpi`; with `use mpi_f08`
! pass comm%MPI_VAL. So one module serves every MPI; link weft::mpi.
module weft_mpi
  use, intrinsic :: iso_c_binding
  use weft, only: weft_comm, weft_finish_comm
  implicit none
  private
  public :: weft_comm_from_mpi

  interface
    function c_comm_from_mpi(comm, mpi_comm) bind(c, name='weft_comm_from_mpi_f')
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: comm
      integer(c_int), value :: mpi_comm
      integer(c_int) :: c_comm_from_mpi
    end function
  end interface

contains

  ! Collective. Destroy `comm`, and plans made with it, before MPI_Finalize.
  subroutine weft_comm_from_mpi(comm, mpi_comm, status)
    type(weft_comm), intent(inout) :: comm
    integer, intent(in) :: mpi_comm
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: own
    handle = c_null_ptr
    own = c_comm_from_mpi(handle, int(mpi_comm, c_int))
    call weft_finish_comm(comm, handle, own, status)
  end subroutine

end module
