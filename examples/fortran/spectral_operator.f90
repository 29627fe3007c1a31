! SPDX-License-Identifier: BSD-3-Clause
! A Poisson equation and a gradient of a real field, each by one operator: transform, a function of
! the modes, transform back. The text's x is the first index of the arrays.
program spectral_operator
  use, intrinsic :: iso_c_binding
  use weft
  implicit none
  integer, parameter :: nx = 16, ny = 12
  real(c_double), parameter :: pi = acos(-1.0_c_double)
  real(c_double), target :: f(nx, ny), u(nx, ny), ux(nx, ny), uy(nx, ny)
  real(c_double) :: x, y, worst
  type(weft_operator) :: solve, gradient
  integer(c_int) :: status
  integer :: i, j

  do j = 1, ny
    do i = 1, nx
      x = 2*pi*(i - 1)/nx
      y = 2*pi*(j - 1)/ny
      f(i, j) = sin(3*x)*cos(2*y)
    end do
  end do
  call solve%create(weft_r2c, [nx, ny], 'where(k2 == 0, 0, -1/k2) * u0')
  call solve%execute(f, u)
  call gradient%create(weft_r2c, [nx, ny], 'dx*u0; dy*u0')
  call gradient%execute_fields([c_loc(u)], [c_loc(ux), c_loc(uy)])

  worst = maxval(abs(u + f/13))
  do j = 1, ny
    do i = 1, nx
      x = 2*pi*(i - 1)/nx
      y = 2*pi*(j - 1)/ny
      worst = max(worst, abs(ux(i, j) + 3*cos(3*x)*cos(2*y)/13))
      worst = max(worst, abs(uy(i, j) - 2*sin(3*x)*sin(2*y)/13))
    end do
  end do
  print '(a, es8.1)', 'largest error:', worst
  if (worst > 1e-13_c_double) error stop 1

  call solve%create(weft_r2c, [nx, ny], 'u0 * foo', status=status)
  if (status /= weft_invalid_argument) error stop 2
  print '(a)', weft_error_message()
end program
