! A part of an array of Fortran times another one's transpose: descriptors say which, and nothing is copied.
program views
    use layoutgemm
    implicit none
    real(c_float) :: a(4, 3), b(2, 3), c(2, 2)
    type(c_ptr) :: whole = c_null_ptr, rows = c_null_ptr, stored = c_null_ptr, right = c_null_ptr, result = c_null_ptr
    integer :: i

    a = reshape([(real(i, c_float), i=1, size(a))], shape(a))
    b = reshape([(real(i, c_float), i=1, size(b))], shape(b))
    call check(lay_desc_array(shape(a, c_int64_t), whole))
    call check(lay_desc_slice(whole, 0, 1_c_int64_t, 2_c_int64_t, rows)) ! a(2:3, :), for C counts from 0
    call check(lay_desc_array(shape(b, c_int64_t), stored))
    call check(lay_desc_permute(stored, out=right)) ! the transpose, 3 x 2
    call check(lay_desc_array(shape(c, c_int64_t), result))
    call check(lay_sgemm(rows, right, result, 1.0, a, b, 0.0, c))
    print '(2f6.0)', c(1, :), c(2, :)

    call lay_desc_destroy(whole)
    call lay_desc_destroy(rows)
    call lay_desc_destroy(stored)
    call lay_desc_destroy(right)
    call lay_desc_destroy(result)
    if (maxval(abs(c - matmul(a(2:3, :), transpose(b)))) > 0) error stop 'a wrong product'

contains

    subroutine check(status)
        integer(c_int), intent(in) :: status
        if (status /= LAY_OK) error stop lay_name(status)//': '//lay_message()
    end subroutine
end program
