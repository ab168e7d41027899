! The module layoutgemm: structures as C has them, results, what is refused.
module lent
    use layoutgemm
    implicit none
    integer :: calls = 0

    abstract interface
        subroutine task_of(argument, number) bind(c)
            import
            type(c_ptr), value :: argument
            integer(c_int64_t), value :: number
        end subroutine
    end interface

contains

    ! A lay_parallel_fn: one task after the other.
    subroutine run_all(context, count, task, argument) bind(c)
        type(c_ptr), value :: context
        integer(c_int64_t), value :: count
        type(c_funptr), value :: task
        type(c_ptr), value :: argument
        integer, pointer :: counter
        procedure(task_of), pointer :: run
        integer(c_int64_t) :: i
        call c_f_pointer(context, counter)
        call c_f_procpointer(task, run)
        do i = 0, count - 1
            call run(argument, i)
        end do
        counter = counter + 1
    end subroutine
end module

program calls_of_fortran
    use layoutgemm
    use lent
    implicit none
    integer :: claims = 0, wrong = 0
    type(c_ptr) :: rows = c_null_ptr, columns = c_null_ptr, square = c_null_ptr

    call claim(lay_desc_parse('[2][3]'//c_null_char, rows) == LAY_OK, 'notation is read')
    call claim(lay_desc_array([3_c_int64_t, 2_c_int64_t], columns) == LAY_OK, 'an array has a descriptor')
    call claim(lay_desc_array([2_c_int64_t, 2_c_int64_t], square) == LAY_OK, 'so has a square one')
    call claim(lay_version_number() >= 100, 'the library has a version')
    call claim(c_associated(lay_version_commit()), 'and a commit')
    call structures
    call descriptors
    call products
    call plans
    call refusals
    call lay_desc_destroy(rows)
    call lay_desc_destroy(columns)
    call lay_desc_destroy(square)
    print '(a,i0)', '1..', claims
    if (wrong > 0) error stop

contains

    subroutine claim(is_true, sentence)
        logical, intent(in) :: is_true
        character(*), intent(in) :: sentence
        claims = claims + 1
        if (.not. is_true) wrong = wrong + 1
        print '(2a,i0,2a)', trim(merge('ok    ', 'not ok', is_true)), ' ', claims, ' - ', sentence
    end subroutine

    ! The call had this status and said these words.
    subroutine refused(status, wanted, words, sentence)
        integer(c_int), intent(in) :: status, wanted
        character(*), intent(in) :: words, sentence
        character(:), allocatable :: message
        logical :: is_it
        message = lay_message()
        is_it = status == wanted .and. index(message, words) > 0
        if (.not. is_it) print '(4a)', '# ', lay_name(status), ': ', message
        call claim(is_it, sentence)
    end subroutine

    subroutine structures
        type(lay_options) :: how
        type(lay_product) :: of
        type(lay_plan_info) :: info
        call claim(c_sizeof(info) == info%struct_size, 'lay_plan_info knows its size')
        call claim(c_sizeof(how) == how%struct_size, 'lay_options knows its size')
        call claim(c_sizeof(of) == of%struct_size, 'lay_product knows its size')
    end subroutine

    subroutine descriptors
        type(c_ptr) :: made
        integer(c_int64_t) :: stride, lowest, highest
        stride = 0
        call claim(lay_desc_text(columns) == '[3:1][2:3]', 'a descriptor is text')
        call claim(lay_desc_text(c_null_ptr) == '', 'none is none')
        call claim(lay_desc_stride(columns, '1'//c_null_char, stride) == 1, 'a dimension steps by one stride')
        call claim(stride == 3, 'and says by which')
        call claim(lay_desc_offset(columns, 2, [2_c_int64_t, 1_c_int64_t]) == 5, 'an index has an offset')
        call claim(lay_desc_offset(columns, 1, [6_c_int64_t]) == LAY_NO_OFFSET, 'or has none')
        call lay_desc_span(columns, lowest, highest)
        call claim(lowest == 0 .and. highest == 5, 'offsets have bounds')
        made = c_null_ptr
        call claim(lay_desc_permute(columns, [1_c_int, 0_c_int], made) == LAY_OK, 'an order is an array')
        call claim(lay_desc_extent(made, '0'//c_null_char) == 2, 'and gives another descriptor')
        call lay_desc_destroy(made)
    end subroutine

    subroutine products
        real(c_float), target :: a(6) = [1, 2, 3, 4, 5, 6], b(3, 2) = reshape([1, 3, 5, 2, 4, 6], [3, 2]), c(2, 2)
        real(c_double) :: d(2, 2)
        real(c_float), parameter :: both(2, 2) = reshape([22, 49, 28, 64], [2, 2])
        real(c_float), target :: same(2, 2) = both
        integer(c_int) :: status
        complex(c_double_complex) :: z(2, 2)
        real(c_float), target :: alpha = 2, beta = -1
        type(lay_options) :: how
        c = 0
        status = lay_sgemm(rows, columns, square, 1.0, a, b, 0.0, c)
        call claim(status == LAY_OK .and. all(c == both), 'a product of arrays is the product')
        d = 0
        status = lay_dgemm(rows, columns, square, 1d0, real(a, c_double), real(b, c_double), 0d0, d)
        call claim(status == LAY_OK .and. all(d == both), 'of double precision, too')
        z = 0
        status = lay_zgemm(rows, columns, square, (0d0, 1d0), cmplx(a, kind=c_double), cmplx(b, kind=c_double), &
            (0d0, 0d0), z)
        call claim(status == LAY_OK .and. all(z == (0d0, 1d0) * both), 'and of complex numbers')
        how%threads = 1
        status = lay_contract(LAY_F32, 'ij,jk->ik'//c_null_char, rows, columns, square, c_loc(alpha), c_loc(a), &
            c_loc(b), c_loc(beta), c_loc(c), how)
        call claim(status == LAY_OK .and. all(c == both), 'a contraction is computed')
        status = lay_axpby(LAY_F32, square, c_loc(alpha), c_loc(same), LAY_F32, square, c_loc(beta), c_loc(c), 0)
        call claim(status == LAY_OK .and. all(c == both), 'and elements are scaled and added')
    end subroutine

    subroutine plans
        real(c_float), target :: a(6) = [1, 2, 3, 4, 5, 6], b(3, 2) = reshape([1, 3, 5, 2, 4, 6], [3, 2]), c(2, 2)
        real(c_float), target :: alpha = 1, beta = 0
        type(lay_product) :: of
        type(c_ptr) :: plan, packed
        type(c_ptr), target :: many_a(2), many_b(2), many_c(2)
        type(lay_runs) :: groups(2)
        integer(c_int) :: path, status
        character(kind=c_char), target :: labels(10) = ['i', 'j', ',', 'j', 'k', '-', '>', 'i', 'k', c_null_char]
        plan = c_null_ptr
        packed = c_null_ptr
        of%a = rows
        of%b = columns
        of%c = square
        of%labels = c_loc(labels)
        call claim(lay_plan_create_product(of, out=plan) == LAY_OK, 'a product has a plan')
        c = 0
        status = lay_plan_run(plan, c_loc(alpha), c_loc(a), c_loc(b), c_loc(beta), c_loc(c))
        call claim(status == LAY_OK .and. c(1, 2) == 28, 'which runs')
        status = lay_plan_path(plan, path)
        call claim(status == LAY_OK .and. path == LAY_PATH_STRICT, 'on a path')
        call claim(len(lay_plan_text(plan)) > 100, 'and explains itself')
        call refused(lay_plan_layout(plan, LAY_OPERAND_B, LAY_MEMORY_HOST, packed), LAY_ERR_UNSUPPORTED, &
            'of a contraction', 'a contraction likes no layout')
        call claim(lay_pack(plan, LAY_OPERAND_B, c_loc(b), packed) == LAY_OK, 'an operand is packed')
        c = 0
        status = lay_plan_run_packed(plan, c_loc(alpha), c_loc(a), c_null_ptr, c_null_ptr, packed, c_loc(beta), &
            c_loc(c))
        call claim(status == LAY_OK .and. c(2, 1) == 49, 'and takes its place')
        beta = 1
        status = lay_plan_run_many(plan, 2_c_int64_t, c_loc(alpha), [c_loc(a), c_loc(a)], [c_loc(b), c_loc(b)], &
            c_loc(beta), [c_loc(c), c_loc(c)])
        call claim(status == LAY_OK .and. c(2, 1) == 147, 'many runs are runs')
        many_a = [c_loc(a), c_loc(a)]
        many_b = [c_loc(b), c_loc(b)]
        many_c = [c_loc(c), c_loc(c)]
        groups = lay_runs(plan, 2, c_loc(alpha), c_loc(many_a), c_loc(many_b), c_loc(beta), c_loc(many_c))
        groups(2)%count = 1
        call claim(lay_plan_run_groups(2_c_int64_t, groups) == LAY_OK .and. c(2, 1) == 294, 'groups of runs are runs')
        many_b(2) = c_null_ptr
        call refused(lay_plan_run_groups(2_c_int64_t, groups), LAY_ERR_ARGUMENT, 'group 0: b[1]', 'a group without a B')
        call lay_packed_destroy(packed)
        call lay_plan_destroy(plan)
    end subroutine

    subroutine refusals
        real(c_float) :: a(6) = 1, b(6) = 1, c(4) = 7
        real(c_float), allocatable :: wide(:)
        character(kind=c_char), target :: name(5) = ['n', 'o', 'n', 'e', c_null_char]
        integer(c_int), target :: devices(2) = [0, -5]
        type(lay_options) :: how
        type(lay_product) :: of
        type(c_ptr) :: none, big
        real(c_float) :: last
        none = c_null_ptr
        call refused(lay_desc_parse('[2][x]'//c_null_char, none), LAY_ERR_SYNTAX, '', 'wrong notation')
        call refused(lay_desc_array([integer(c_int64_t) ::], none), LAY_ERR_RANK, '', 'an array without dimensions')
        call refused(lay_desc_array([2_c_int64_t**40, 2_c_int64_t**40], none), LAY_ERR_OVERFLOW, '', 'a huge array')
        call claim(.not. c_associated(none), 'nothing is made then')
        call refused(lay_sgemm(rows, rows, square, 1.0, a, b, 0.0, c), LAY_ERR_SHAPE, 'columns', 'other extents')
        call refused(lay_sgemm(rows, none, square, 1.0, a, b, 0.0, c), LAY_ERR_ARGUMENT, 'desc_b', 'no descriptor')
        how%struct_size = 3
        call refused(lay_sgemm(rows, columns, square, 1.0, a, b, 0.0, c, how), LAY_ERR_OPTION, 'size', 'a wrong size')

        ! Each says where it stands.
        how = lay_options(device=-7)
        call refused(lay_sgemm(rows, columns, square, 1.0, a, b, 0.0, c, how), LAY_ERR_OPTION, 'device is -7', 'device')
        how = lay_options(kernel=c_loc(name))
        call refused(lay_sgemm(rows, columns, square, 1.0, a, b, 0.0, c, how), LAY_ERR_OPTION, 'none', 'a kernel')
        how = lay_options(skip=c_loc(name))
        call refused(lay_sgemm(rows, columns, square, 1.0, a, b, 0.0, c, how), LAY_ERR_OPTION, 'skip has', 'a way')
        how = lay_options(grid_m=-1)
        call refused(lay_sgemm(rows, columns, square, 1.0, a, b, 0.0, c, how), LAY_ERR_OPTION, 'grid_m is -1', 'a grid')
        how = lay_options(alignment=3_c_size_t)
        call refused(lay_sgemm(rows, columns, square, 1.0, a, b, 0.0, c, how), LAY_ERR_OPTION, 'alignment is 3', 'odd')
        how = lay_options(devices=c_loc(devices), device_count=2)
        call refused(lay_sgemm(rows, columns, square, 1.0, a, b, 0.0, c, how), LAY_ERR_OPTION, 'devices[1] is -5', '-5')
        of%a = rows
        of%b = columns
        of%c = square
        of%sum_precision = 7
        call refused(lay_plan_create_product(of, out=none), LAY_ERR_OPTION, 'sum_precision has no value 7', 'precision')
        call claim(all(c == 7), 'what is refused is not written')

        big = c_null_ptr
        call claim(lay_desc_array([300_c_int64_t, 300_c_int64_t], big) == LAY_OK, 'a larger array')
        allocate (wide(90000), source=1.0)
        how = lay_options(threads=2, parallel=c_funloc(run_all), parallel_context=c_loc_of(calls))
        last = square_of(big, wide, how)
        call claim(last == 300 .and. calls > 0, 'threads are lent by a procedure')
        call lay_desc_destroy(big)
    end subroutine

    function c_loc_of(counter) result(place)
        integer, target, intent(in) :: counter
        type(c_ptr) :: place
        place = c_loc(counter)
    end function

    real(c_float) function square_of(desc, of, how) result(last)
        type(c_ptr), intent(in) :: desc
        real(c_float), intent(in) :: of(:)
        type(lay_options), intent(in) :: how
        real(c_float) :: product(size(of))
        product = 0
        last = -1
        if (lay_sgemm(desc, desc, desc, 1.0, of, of, 0.0, product, how) == LAY_OK) last = product(size(of))
    end function
end program
