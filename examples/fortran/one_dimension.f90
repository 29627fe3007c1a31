! SPDX-License-Identifier: BSD-3-Clause
! Transforms of one process, from Fortran: a cosine has two peaks; a real field there and back; an
! array of another type is refused.
program one_dimension
  use, intrinsic :: iso_c_binding
  use weft
  implicit none
  integer, parameter :: n = 60, nx = 10, ny = 6
  real(c_double), parameter :: pi = acos(-1.0_c_double)
  type(weft_plan) :: plan, there, back
  complex(c_double_complex) :: wave(n), spectrum(n), expected
  real(c_double) :: field(nx, ny), again(nx, ny), error
  complex(c_double_complex) :: modes(nx/2 + 1, ny)
  complex(c_float_complex) :: other(n)
  integer(c_int) :: status
  integer :: i, j

  wave = [(cmplx(cos(2*pi*3*i/n), 0, c_double_complex), i=0, n - 1)]
  call plan%create(weft_c2c, [n])
  call plan%execute(wave, spectrum)
  error = 0
  do i = 0, n - 1
    expected = merge(n/2, 0, i == 3 .or. i == n - 3)
    error = max(error, abs(spectrum(i + 1) - expected))
  end do
  print '(3a, es8.1)', 'weft ', weft_version(), ': two peaks, largest error', error
  if (error > 1e-12_c_double) error stop 1

  call plan%execute(wave)   ! in place
  if (maxval(abs(wave - spectrum)) > 1e-12_c_double) error stop 2

  ! The first dimension is adjacent in memory and the one that a real transform halves.
  do j = 1, ny
    do i = 1, nx
      field(i, j) = sin(real(i*i, c_double)) + j
    end do
  end do
  call there%create(weft_r2c, [nx, ny])
  call back%create(weft_c2r, [nx, ny], normalization=weft_norm_backward, threads=2)
  call there%execute(field, modes)
  if (abs(modes(1, 1) - sum(field)) > 1e-11_c_double) error stop 3
  call back%execute(modes, again)
  error = maxval(abs(again - field))
  print '(a, es8.1)', 'a real field there and back, largest error', error
  if (error > 1e-12_c_double) error stop 4

  ! Only the second dimension.
  call plan%create(weft_c2c, [nx/2 + 1, ny], axes=[2])
  call there%create(weft_c2c, [nx/2 + 1, ny], axes=[2], direction=weft_backward, &
                    normalization=weft_norm_backward)
  block
    complex(c_double_complex) :: lines(nx/2 + 1, ny), sums(nx/2 + 1, ny)
    lines = modes
    call plan%execute(lines, sums)
    if (maxval(abs(sums(:, 1) - sum(modes, dim=2))) > 1e-10_c_double) error stop 5
    call there%execute(sums)
    if (maxval(abs(sums - modes)) > 1e-11_c_double) error stop 6
  end block

  call plan%create(weft_c2c, [n])
  call plan%execute(other, status)
  if (status /= weft_invalid_argument) error stop 7
  if (index(weft_error_message(), 'another type') == 0) error stop 8
  call plan%execute(wave(1:n - 1), spectrum, status)
  if (status /= weft_invalid_argument) error stop 9
  call plan%create(weft_c2c, [-3], status=status)
  if (status /= weft_invalid_argument) error stop 10
  call plan%execute(wave, spectrum, status)
  if (status /= weft_invalid_argument) error stop 11
  if (len(back%text(weft_text_recipe)) < 5) error stop 12
end program
