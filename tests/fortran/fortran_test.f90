! SPDX-License-Identifier: BSD-3-Clause
! The module weft: weft_details, workspaces and wisdom as text against sums in this program; bad
! arguments give a status and a text, never a crash.
program fortran_test
  use, intrinsic :: iso_c_binding
  use weft
  implicit none
  integer, parameter :: n = 12, nx = 6, ny = 5
  real(c_double), parameter :: pi = acos(-1.0_c_double), small = 1e-12_c_double
  integer :: failures = 0

  call spectra()
  call padding()
  call cosines()
  call halfcomplex()
  call windows()
  call transposition()
  call parts()
  call workspaces()
  call wisdom()
  call bad_plans()
  call bad_executions()
  call bad_ranks()
  if (failures > 0) error stop 1

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    print '(2a)', 'wrong: ', what
    failures = failures + 1
  end subroutine

  subroutine refuses(status, what)
    integer(c_int), intent(in) :: status
    character(len=*), intent(in) :: what
    call check(status /= weft_success, what//' was taken')
    call check(len(weft_error_message()) > 10, what//' says nothing')
  end subroutine

  ! The modes of a line, from their definition.
  pure function dft(x) result(modes)
    complex(c_double_complex), intent(in) :: x(:)
    complex(c_double_complex) :: modes(size(x))
    integer :: j, k
    do k = 1, size(x)
      modes(k) = sum([(x(j)*exp(cmplx(0, -2*pi*(j - 1)*(k - 1)/size(x), c_double_complex)), &
                       j=1, size(x))])
    end do
  end function

  pure function line(count) result(x)
    integer, intent(in) :: count
    real(c_double) :: x(count)
    integer :: i
    x = [(sin(real(3*i*i, c_double)), i=1, count)]
  end function

  subroutine spectra()
    type(weft_plan) :: plan, back
    real(c_double) :: x(n), again(n)
    complex(c_double_complex) :: modes(n), expected(n)
    x = line(n)
    expected = dft(cmplx(x, 0, c_double_complex))
    call plan%create(weft_r2c, [n], details=weft_details(spectrum=weft_spectrum_full))
    call plan%execute(x, modes)
    call check(maxval(abs(modes - expected)) < small, 'the full spectrum of a real line')
    call back%create(weft_r2c, [n], normalization=weft_norm_backward, &
                     details=weft_details(spectrum=weft_spectrum_full, inverse=.true.))
    call back%execute(modes, again)
    call check(maxval(abs(again - x)) < small, 'the inverse of a described transform')
  end subroutine

  subroutine padding()
    type(weft_plan) :: plan
    complex(c_double_complex) :: x(n), modes(n), few(4)
    x = 0
    x(1:5) = cmplx(line(5), 1, c_double_complex)
    call plan%create(weft_c2c, [n], details=weft_details(input_extents=[5_c_int64_t]))
    call plan%execute(x(1:5), modes)
    call check(maxval(abs(modes - dft(x))) < small, 'zero padding')
    call plan%create(weft_c2c, [n], details=weft_details(output_extents=[4_c_int64_t], &
                                                         modes=weft_modes_around_zero))
    call plan%execute(x, few)
    call check(maxval(abs(few - modes([1, 2, n - 1, n]))) < small, 'the modes around zero')
  end subroutine

  subroutine cosines()
    type(weft_plan) :: plan
    real(c_double) :: x(n), y(n)
    x = line(n)
    call plan%create(weft_r2r, [n], r2r=[weft_dct2], normalization=weft_norm_ortho, &
                     details=weft_details(orthogonalize=.true.))
    call plan%execute(x, y)
    call check(abs(sum(y*y) - sum(x*x)) < small, 'an orthogonal cosine transform')
  end subroutine

  ! FFTW's order: real parts ascending, then imaginary parts descending.
  subroutine halfcomplex()
    type(weft_plan) :: plan, back
    real(c_double) :: x(n), y(n), again(n)
    complex(c_double_complex) :: modes(n)
    integer :: half
    half = (n - 1)/2
    x = line(n)
    modes = dft(cmplx(x, 0, c_double_complex))
    call plan%create(weft_r2r, [n], r2r=[weft_r2hc])
    call plan%execute(x, y)
    call check(maxval(abs(y(:n - half) - real(modes(:n - half)))) < small, 'real parts')
    call check(maxval(abs(y(n:n - half + 1:-1) - aimag(modes(2:half + 1)))) < small, 'imaginary parts')
    call back%create(weft_r2r, [n], r2r=[weft_hc2r])
    call back%execute(y, again)
    call check(maxval(abs(again - n*x)) < small, 'halfcomplex and back')
  end subroutine

  ! Windows of n points that slide over a line by 2.
  subroutine windows()
    type(weft_plan) :: plan
    complex(c_double_complex), target :: x(n + 4), modes(n, 3)
    integer :: j
    x = cmplx(line(n + 4), 1, c_double_complex)
    call plan%create(weft_c2c, [n, 3], axes=[1], input_strides=int([1, 2], c_int64_t))
    call plan%execute(c_loc(x), c_loc(modes))
    do j = 1, 3
      call check(maxval(abs(modes(:, j) - dft(x(2*j - 1:2*j + n - 2)))) < small, 'a sliding window')
    end do
  end subroutine

  ! No axis: the array is copied, here with other strides into its own place.
  subroutine transposition()
    type(weft_plan) :: plan
    real(c_double), target :: x(nx*ny)
    real(c_double) :: kept(nx, ny)
    integer(c_int) :: none(0)
    x = line(nx*ny)
    kept = reshape(x, [nx, ny])
    call plan%create(weft_r2r, [nx, ny], axes=none, output_strides=int([ny, 1], c_int64_t), &
                     details=weft_details(in_place=.true.))
    call plan%execute(c_loc(x), c_loc(x))
    call check(all(reshape(x, [ny, nx]) == transpose(kept)), 'a transposition in place')
  end subroutine

  subroutine parts()
    type(weft_plan) :: plan
    real(c_double), target :: re(n), im(n)
    complex(c_double_complex), target :: modes(n)
    integer(c_int) :: status
    re = line(n)
    im = 1 - re
    call plan%create(weft_c2c, [n], details=weft_details(input_storage=weft_split))
    call plan%execute_split(c_loc(re), c_loc(im), c_loc(modes), c_null_ptr)
    call check(maxval(abs(modes - dft(cmplx(re, im, c_double_complex)))) < small, 'split numbers')
    call plan%execute_split(c_loc(re), c_null_ptr, c_loc(modes), c_null_ptr, status)
    call refuses(status, 'a split side without imaginary parts')
    call plan%execute(modes, modes, status)
    call refuses(status, 'a split plan executed as another')
  end subroutine

  subroutine workspaces()
    type(weft_plan) :: plan
    type(weft_workspace) :: workspace, small_one
    complex(c_double_complex), target :: x(1009), y(1009), z(1009)
    integer(c_int) :: status
    type(c_ptr) :: memory
    x = cmplx(line(1009), 0, c_double_complex)
    call plan%create(weft_c2c, [1009])
    call plan%execute(x, y)
    memory = weft_alloc(plan%workspace_bytes())
    call workspace%use_memory(memory, plan%workspace_bytes())
    call plan%execute_with(c_loc(x), c_loc(z), workspace)
    call check(all(y == z), 'memory of the caller')
    call workspace%create(plan%workspace_bytes())
    call plan%execute_with(c_loc(x), c_loc(z), workspace)
    call check(all(y == z), 'a workspace')
    call small_one%create(0_c_int64_t, status)
    call plan%execute_with(c_loc(x), c_loc(z), small_one, status)
    call refuses(status, 'a workspace that is too small')
    call small_one%create(-5_c_int64_t, status)
    call refuses(status, 'a workspace of negative size')
    call small_one%use_memory(c_null_ptr, 64_c_int64_t, status)
    call refuses(status, 'a workspace nowhere')
    call weft_free(memory)
  end subroutine

  subroutine wisdom()
    character(len=:), allocatable :: text
    type(weft_comm) :: nobody
    integer(c_int) :: status
    text = weft_wisdom_text()
    call weft_wisdom_forget()
    call weft_wisdom_add(text)
    call check(weft_wisdom_text() == text, 'wisdom as text')
    call weft_wisdom_add('no wisdom', status)
    call refuses(status, 'a text that is no wisdom')
    call weft_wisdom_load('/no/such/file', status)
    call refuses(status, 'a file that is not there')
    call weft_wisdom_gather(nobody, status)
    call refuses(status, 'wisdom of no ranks')
  end subroutine

  subroutine bad_plans()
    type(weft_plan) :: plan
    integer(c_int) :: status, many(40)
    many = 1
    call plan%create(weft_c2c, many, status=status)
    call refuses(status, 'a shape of 40 dimensions')
    call plan%create(99, [n], status=status)
    call refuses(status, 'a kind that is none')
    call plan%create(weft_c2c, [n], axes=[0], status=status)
    call refuses(status, 'axis 0')
    call plan%create(weft_c2c, [nx, ny], axes=[1, 1], status=status)
    call refuses(status, 'an axis twice')
    call plan%create(weft_c2c, [n], precision=7, status=status)
    call refuses(status, 'a precision that is none')
    call plan%create(weft_c2c, [n], effort=-2, status=status)
    call refuses(status, 'an effort that is none')
    call plan%create(weft_c2c, [n], threads=-1, status=status)
    call refuses(status, 'a negative number of threads')
    call plan%create(weft_r2r, [n], status=status)
    call refuses(status, 'r2r without kinds')
    call plan%create(weft_r2r, [n], r2r=[77], status=status)
    call refuses(status, 'an r2r kind that is none')
    call plan%create(weft_c2c, [n], input_strides=int([1, 1], c_int64_t), status=status)
    call refuses(status, 'two strides for one dimension')
    call plan%create(weft_c2c, [nx, ny], output_strides=int([0, 0], c_int64_t), status=status)
    call refuses(status, 'an output on itself')
    call plan%create(weft_c2c, [n], recipe='nonsense', status=status)
    call refuses(status, 'a recipe that is none')
    call plan%create(weft_c2c, [n], status=status, &
                     details=weft_details(input_extents=int([1, 2], c_int64_t)))
    call refuses(status, 'two extents for one dimension')
    call plan%create(weft_c2c, [n], status=status, &
                     details=weft_details(input_extents=[13_c_int64_t]))
    call refuses(status, 'more points than the transform has')
    call plan%create(weft_c2c, [n], details=weft_details(spectrum=9), status=status)
    call refuses(status, 'a spectrum that is none')
    call plan%create(weft_c2c, [n], details=weft_details(output_storage=-1), status=status)
    call refuses(status, 'a storage that is none')
  end subroutine

  subroutine bad_executions()
    type(weft_plan) :: plan
    complex(c_double_complex), target :: x(n), y(n)
    complex(c_float_complex) :: single(n)
    real(c_double) :: reals(2*n)
    integer(c_int) :: status
    x = 0
    single = 0
    reals = 0
    call plan%execute(x, y, status)
    call refuses(status, 'a plan that was not made')
    call plan%create(weft_c2c, [n])
    call plan%execute(single, status)
    call refuses(status, 'another precision')
    call plan%execute(reals, y, status)
    call refuses(status, 'reals for complex numbers')
    call plan%execute(x(1:n - 1), y, status)
    call refuses(status, 'an input that is too short')
    call plan%execute(x, y(1:n - 1), status)
    call refuses(status, 'an output that is too short')
    call plan%execute(c_null_ptr, c_loc(y), status)
    call refuses(status, 'no input')
    call plan%execute(c_loc(x), c_null_ptr, status)
    call refuses(status, 'no output')
    call plan%execute(c_loc(x), c_loc(x(2)), status)
    call refuses(status, 'an output that overlaps the input')
    call plan%destroy()
    call plan%execute(x, y, status)
    call refuses(status, 'a plan that was destroyed')
    call check(len(plan%text(weft_text_tree, status)) == 0, 'the text of no plan')
    call refuses(status, 'the text of no plan')
  end subroutine

  subroutine bad_ranks()
    type(weft_comm) :: nobody
    type(weft_boxes) :: boxes
    type(weft_distributed_plan) :: plan
    integer :: lower(3), upper(3)
    integer(c_int) :: status
    complex(c_double_complex) :: x(4)
    x = 0
    call boxes%bounds(1, lower, upper, status)
    call refuses(status, 'the bounds of no box')
    call boxes%slabs([nx, ny], 3, 2, 0, status)
    call refuses(status, 'slabs along axis 3 of 2')
    call boxes%bricks([nx, ny], [2, 0], 0, status)
    call refuses(status, 'a grid of no ranks')
    call boxes%add([1, 1], [3], status)
    call refuses(status, 'bounds of different length')
    call boxes%slabs([nx, ny], 1, 2, 0)
    call boxes%bounds(1, lower(1:1), upper, status)
    call refuses(status, 'too little room for the bounds')
    call plan%create(weft_c2c, [nx, ny], nobody, boxes, status=status)
    call refuses(status, 'a plan of no ranks')
    call plan%execute(x, status)
    call refuses(status, 'a distributed plan that was not made')
    call plan%wait(status)
    call refuses(status, 'waiting for no plan')
    call check(.not. plan%test(status), 'no plan is done')
    call refuses(status, 'no plan')
  end subroutine

end program
