! The interface of layoutgemm.h for Fortran: the same names, arguments and contract.
!
!   char text     ends with c_null_char: '[6][4]'//c_null_char
!   void address  c_loc(x) of a target x, or a device's address; c_null_ptr
!   options       may be left out; a type(lay_options) else, whose components have their defaults
!   counts        from 0, as in C: paths, orders, dimensions, indices
!
! An array of Fortran is column-major: lay_desc_array(shape(a, c_int64_t), desc) is its descriptor. A section that is
! not contiguous is not to be handed over, a copy of it would be: hand over the array, and lay_desc_slice's descriptor.
module layoutgemm
    use, intrinsic :: iso_c_binding
    implicit none
    public

    enum, bind(c) ! lay_status
        enumerator :: LAY_OK = 0, LAY_ERR_ARGUMENT, LAY_ERR_SYNTAX, LAY_ERR_REFERENCE, LAY_ERR_EXTENT, &
            LAY_ERR_OVERFLOW, LAY_ERR_RANK, LAY_ERR_SHAPE, LAY_ERR_TYPE, LAY_ERR_OPTION, LAY_ERR_INJECTIVE, &
            LAY_ERR_OVERLAP, LAY_ERR_MEMORY, LAY_ERR_UNSUPPORTED, LAY_ERR_DEVICE, LAY_ERR_TEAM
    end enum
    enum, bind(c) ! lay_type
        enumerator :: LAY_F32 = 0, LAY_F64 = 1, LAY_F16 = 2, LAY_BF16 = 3, LAY_C32 = 4, LAY_C64 = 5
    end enum
    enum, bind(c) ! lay_memory
        enumerator :: LAY_MEMORY_HOST = 0, LAY_MEMORY_PINNED = 1, LAY_MEMORY_DEVICE = 2
    end enum
    enum, bind(c) ! lay_backend
        enumerator :: LAY_BACKEND_AUTO = 0, LAY_BACKEND_CPU = 1, LAY_BACKEND_CUDA = 2
    end enum
    enum, bind(c) ! lay_compute
        enumerator :: LAY_COMPUTE_AUTO = 0, LAY_COMPUTE_STRICT = 1, LAY_COMPUTE_F32_SPLIT = 2, LAY_COMPUTE_TF32 = 3, &
            LAY_COMPUTE_BF16 = 4, LAY_COMPUTE_FP16 = 5, LAY_COMPUTE_BF16X3 = 6
    end enum
    enum, bind(c) ! lay_isa
        enumerator :: LAY_ISA_AUTO = 0, LAY_ISA_C = 1, LAY_ISA_AVX2 = 2, LAY_ISA_AVX512 = 3, LAY_ISA_AMX = 4
    end enum
    enum, bind(c) ! lay_effort
        enumerator :: LAY_EFFORT_ESTIMATE = 0, LAY_EFFORT_MEASURE = 1
    end enum
    enum, bind(c) ! lay_sum_order
        enumerator :: LAY_SUM_BY_LABELS = 0, LAY_SUM_BY_STORAGE = 1
    end enum
    enum, bind(c) ! lay_sum_precision
        enumerator :: LAY_SUM_BY_TYPES = 0, LAY_SUM_F64 = 1
    end enum
    enum, bind(c) ! lay_activation
        enumerator :: LAY_ACTIVATION_NONE = 0, LAY_ACTIVATION_RELU = 1, LAY_ACTIVATION_GELU_TANH = 2, &
            LAY_ACTIVATION_CLAMP = 3
    end enum
    enum, bind(c) ! bits of lay_product
        enumerator :: LAY_CONJUGATED_A = 1, LAY_CONJUGATED_B = 2, LAY_CONJUGATED_C = 4
    end enum
    enum, bind(c) ! lay_path
        enumerator :: LAY_PATH_NONE = 0, LAY_PATH_STRICT = 1, LAY_PATH_FP16X3 = 2, LAY_PATH_BF16X6 = 3, &
            LAY_PATH_BF16X3 = 4, LAY_PATH_BF16X1 = 5
    end enum
    enum, bind(c) ! lay_log_level
        enumerator :: LAY_LOG_NOTHING = 0, LAY_LOG_PLANS = 1, LAY_LOG_RUNS = 2, LAY_LOG_CACHE = 3
    end enum
    enum, bind(c) ! lay_operand
        enumerator :: LAY_OPERAND_A = 0, LAY_OPERAND_B = 1
    end enum
    integer(c_int64_t), parameter :: LAY_NO_OFFSET = ibset(0_c_int64_t, 63)
    integer(c_int), parameter :: LAY_DEVICE_AUTO = -1
    integer(c_int), parameter :: LAY_GRID_MOST = 4096
    integer(c_int), parameter :: LAY_DEVICES_MOST = 64

    ! struct_size is the type's own size in bytes, of 64-bit machines as all that the library is built for.
    type, bind(c) :: lay_options
        integer(c_size_t) :: struct_size = 128
        integer(c_int) :: threads = 0
        integer(c_int) :: backend = LAY_BACKEND_AUTO
        integer(c_int) :: compute = LAY_COMPUTE_AUTO
        integer(c_int) :: isa = LAY_ISA_AUTO
        integer(c_int) :: device = LAY_DEVICE_AUTO
        type(c_ptr) :: stream = c_null_ptr
        type(c_ptr) :: kernel = c_null_ptr
        integer(c_size_t) :: device_memory = 0
        type(c_ptr) :: devices = c_null_ptr
        integer(c_int) :: device_count = 0
        type(c_funptr) :: parallel = c_null_funptr
        type(c_ptr) :: parallel_context = c_null_ptr
        integer(c_int) :: effort = LAY_EFFORT_ESTIMATE
        real(c_double) :: effort_seconds = 0
        type(c_ptr) :: skip = c_null_ptr
        integer(c_int) :: grid_m = 0
        integer(c_int) :: grid_n = 0
        integer(c_size_t) :: alignment = 0
    end type

    type, bind(c) :: lay_product
        integer(c_size_t) :: struct_size = 120
        integer(c_int) :: type_a = LAY_F32
        integer(c_int) :: type_b = LAY_F32
        integer(c_int) :: type_c = LAY_F32
        integer(c_int) :: type_d = LAY_F32
        type(c_ptr) :: a = c_null_ptr
        type(c_ptr) :: b = c_null_ptr
        type(c_ptr) :: c = c_null_ptr
        type(c_ptr) :: d = c_null_ptr
        type(c_ptr) :: labels = c_null_ptr
        type(c_ptr) :: labels_a = c_null_ptr
        type(c_ptr) :: labels_b = c_null_ptr
        type(c_ptr) :: labels_c = c_null_ptr
        integer(c_int) :: conjugated = 0
        integer(c_int) :: sum_order = LAY_SUM_BY_LABELS
        integer(c_int) :: has_d = 0
        integer(c_int) :: reserved = 0
        integer(c_int) :: sum_precision = LAY_SUM_BY_TYPES
        type(c_ptr) :: ending = c_null_ptr
    end type

    type, bind(c) :: lay_runs
        type(c_ptr) :: plan = c_null_ptr
        integer(c_int64_t) :: count = 0
        type(c_ptr) :: alpha = c_null_ptr
        type(c_ptr) :: a = c_null_ptr
        type(c_ptr) :: b = c_null_ptr
        type(c_ptr) :: beta = c_null_ptr
        type(c_ptr) :: c = c_null_ptr
        type(c_ptr) :: d = c_null_ptr
    end type

    type, bind(c) :: lay_plan_info
        integer(c_size_t) :: struct_size = 144
        real(c_double) :: seconds = 0
        real(c_double) :: flops = 0
        integer(c_size_t) :: workspace = 0
        integer(c_int) :: threads = 0
        integer(c_int) :: devices = 0
        type(c_ptr) :: kernel = c_null_ptr
        character(kind=c_char) :: way(96) = c_null_char
    end type

    interface
        ! ---- 1. Status
        type(c_ptr) function lay_status_name(status) bind(c)
            import
            integer(c_int), value :: status
        end function
        type(c_ptr) function lay_last_error() bind(c)
            import
        end function
        type(c_ptr) function lay_version() bind(c)
            import
        end function
        integer(c_int) function lay_version_number() bind(c)
            import
        end function
        type(c_ptr) function lay_version_commit() bind(c)
            import
        end function
        type(c_ptr) function lay_build_configuration() bind(c)
            import
        end function

        ! ---- 2. Types
        integer(c_size_t) function lay_type_size(type) bind(c)
            import
            integer(c_int), value :: type
        end function

        ! ---- 3. Descriptors
        integer(c_int) function lay_desc_parse(text, out) bind(c)
            import
            character(kind=c_char), intent(in) :: text(*)
            type(c_ptr), intent(inout) :: out
        end function
        integer(c_int) function lay_desc_natural(ndim, extents, out) bind(c)
            import
            integer(c_int), value :: ndim
            integer(c_int64_t), intent(in) :: extents(*)
            type(c_ptr), intent(inout) :: out
        end function
        integer(c_int) function lay_desc_strided(ndim, extents, strides, out) bind(c)
            import
            integer(c_int), value :: ndim
            integer(c_int64_t), intent(in) :: extents(*), strides(*)
            type(c_ptr), intent(inout) :: out
        end function
        integer(c_int) function lay_desc_clone(desc, out) bind(c)
            import
            type(c_ptr), value :: desc
            type(c_ptr), intent(inout) :: out
        end function
        subroutine lay_desc_destroy(desc) bind(c)
            import
            type(c_ptr), value :: desc
        end subroutine
        integer(c_int) function lay_desc_format(desc, text, size) bind(c)
            import
            type(c_ptr), value :: desc
            character(kind=c_char), intent(inout) :: text(*)
            integer(c_size_t), value :: size
        end function
        integer(c_int) function lay_desc_rank(desc) bind(c)
            import
            type(c_ptr), value :: desc
        end function
        integer(c_int) function lay_desc_parts(desc, path) bind(c)
            import
            type(c_ptr), value :: desc
            character(kind=c_char), intent(in) :: path(*)
        end function
        integer(c_int64_t) function lay_desc_extent(desc, path) bind(c)
            import
            type(c_ptr), value :: desc
            character(kind=c_char), intent(in) :: path(*)
        end function
        integer(c_int) function lay_desc_stride(desc, path, stride) bind(c)
            import
            type(c_ptr), value :: desc
            character(kind=c_char), intent(in) :: path(*)
            integer(c_int64_t), intent(inout), optional :: stride
        end function
        integer(c_int64_t) function lay_desc_offset(desc, n, index) bind(c)
            import
            type(c_ptr), value :: desc
            integer(c_int), value :: n
            integer(c_int64_t), intent(in) :: index(*)
        end function
        integer(c_int) function lay_desc_is_contiguous(desc, path) bind(c)
            import
            type(c_ptr), value :: desc
            character(kind=c_char), intent(in) :: path(*)
        end function
        integer(c_int) function lay_desc_is_injective(desc) bind(c)
            import
            type(c_ptr), value :: desc
        end function
        subroutine lay_desc_span(desc, lowest, highest) bind(c)
            import
            type(c_ptr), value :: desc
            integer(c_int64_t), intent(inout) :: lowest, highest
        end subroutine
        integer(c_int64_t) function lay_desc_bytes(type, desc) bind(c)
            import
            integer(c_int), value :: type
            type(c_ptr), value :: desc
        end function
        integer(c_int) function lay_desc_equal(a, b) bind(c)
            import
            type(c_ptr), value :: a, b
        end function

        ! ---- 4. Views
        integer(c_int) function lay_desc_dim(desc, path, out) bind(c)
            import
            type(c_ptr), value :: desc
            character(kind=c_char), intent(in) :: path(*)
            type(c_ptr), intent(inout) :: out
        end function
        integer(c_int) function lay_desc_join(n, parts, out) bind(c)
            import
            integer(c_int), value :: n
            type(c_ptr), intent(in) :: parts(*)
            type(c_ptr), intent(inout) :: out
        end function
        integer(c_int) function lay_desc_permute(desc, perm, out) bind(c)
            import
            type(c_ptr), value :: desc
            integer(c_int), intent(in), optional :: perm(*)
            type(c_ptr), intent(inout) :: out
        end function
        integer(c_int) function lay_desc_split(desc, dim, n, extents, out) bind(c)
            import
            type(c_ptr), value :: desc
            integer(c_int), value :: dim, n
            integer(c_int64_t), intent(in) :: extents(*)
            type(c_ptr), intent(inout) :: out
        end function
        integer(c_int) function lay_desc_slice(desc, dim, start, count, out) bind(c)
            import
            type(c_ptr), value :: desc
            integer(c_int), value :: dim
            integer(c_int64_t), value :: start, count
            type(c_ptr), intent(inout) :: out
        end function
        integer(c_int) function lay_desc_tile(desc, tile, out) bind(c)
            import
            type(c_ptr), value :: desc
            integer(c_int64_t), intent(in) :: tile(*)
            type(c_ptr), intent(inout) :: out
        end function
        integer(c_int) function lay_desc_tile_at(tiled, coords, out, offset) bind(c)
            import
            type(c_ptr), value :: tiled
            integer(c_int64_t), intent(in) :: coords(*)
            type(c_ptr), intent(inout) :: out
            integer(c_int64_t), intent(inout) :: offset
        end function

        ! ---- 5. Memory
        integer(c_int) function lay_alloc(type, desc, kind, out) bind(c)
            import
            integer(c_int), value :: type
            type(c_ptr), value :: desc
            integer(c_int), value :: kind
            type(c_ptr), intent(inout) :: out
        end function
        subroutine lay_free(memory) bind(c)
            import
            type(c_ptr), value :: memory
        end subroutine

        ! ---- 6. Products: arrays of Fortran, or by their addresses
        integer(c_int) function lay_sgemm(desc_a, desc_b, desc_c, alpha, a, b, beta, c, options) bind(c)
            import
            type(c_ptr), value :: desc_a, desc_b, desc_c
            real(c_float), value :: alpha
            real(c_float), intent(in) :: a(*), b(*)
            real(c_float), value :: beta
            real(c_float), intent(inout) :: c(*)
            type(lay_options), intent(in), optional :: options
        end function
        integer(c_int) function lay_dgemm(desc_a, desc_b, desc_c, alpha, a, b, beta, c, options) bind(c)
            import
            type(c_ptr), value :: desc_a, desc_b, desc_c
            real(c_double), value :: alpha
            real(c_double), intent(in) :: a(*), b(*)
            real(c_double), value :: beta
            real(c_double), intent(inout) :: c(*)
            type(lay_options), intent(in), optional :: options
        end function
        integer(c_int) function lay_cgemm(desc_a, desc_b, desc_c, alpha, a, b, beta, c, options) bind(c)
            import
            type(c_ptr), value :: desc_a, desc_b, desc_c
            complex(c_float_complex), intent(in) :: alpha, a(*), b(*), beta
            complex(c_float_complex), intent(inout) :: c(*)
            type(lay_options), intent(in), optional :: options
        end function
        integer(c_int) function lay_zgemm(desc_a, desc_b, desc_c, alpha, a, b, beta, c, options) bind(c)
            import
            type(c_ptr), value :: desc_a, desc_b, desc_c
            complex(c_double_complex), intent(in) :: alpha, a(*), b(*), beta
            complex(c_double_complex), intent(inout) :: c(*)
            type(lay_options), intent(in), optional :: options
        end function
        integer(c_int) function lay_gemm(type, desc_a, desc_b, desc_c, alpha, a, b, beta, c, options) bind(c)
            import
            integer(c_int), value :: type
            type(c_ptr), value :: desc_a, desc_b, desc_c, alpha, a, b, beta, c
            type(lay_options), intent(in), optional :: options
        end function

        ! ---- 7. Contractions
        integer(c_int) function lay_contract(type, labels, desc_a, desc_b, desc_c, alpha, a, b, beta, c, &
            options) bind(c)
            import
            integer(c_int), value :: type
            character(kind=c_char), intent(in) :: labels(*)
            type(c_ptr), value :: desc_a, desc_b, desc_c, alpha, a, b, beta, c
            type(lay_options), intent(in), optional :: options
        end function

        ! ---- 8. Plans
        integer(c_int) function lay_plan_create(type, desc_a, desc_b, desc_c, options, out) bind(c)
            import
            integer(c_int), value :: type
            type(c_ptr), value :: desc_a, desc_b, desc_c
            type(lay_options), intent(in), optional :: options
            type(c_ptr), intent(inout) :: out
        end function
        integer(c_int) function lay_plan_create_product(product, options, out) bind(c)
            import
            type(lay_product), intent(in) :: product
            type(lay_options), intent(in), optional :: options
            type(c_ptr), intent(inout) :: out
        end function
        integer(c_int) function lay_plan_run(plan, alpha, a, b, beta, c) bind(c)
            import
            type(c_ptr), value :: plan, alpha, a, b, beta, c
        end function
        integer(c_int) function lay_plan_run_product(plan, alpha, a, b, beta, c, d) bind(c)
            import
            type(c_ptr), value :: plan, alpha, a, b, beta, c, d
        end function
        integer(c_int) function lay_plan_run_workspace(plan, alpha, a, b, beta, c, d, workspace, size) bind(c)
            import
            type(c_ptr), value :: plan, alpha, a, b, beta, c, d, workspace
            integer(c_size_t), value :: size
        end function
        integer(c_int) function lay_plan_run_arguments(plan, arguments) bind(c)
            import
            type(c_ptr), value :: plan, arguments
        end function
        integer(c_int) function lay_plan_run_many(plan, count, alpha, a, b, beta, c, d) bind(c)
            import
            type(c_ptr), value :: plan
            integer(c_int64_t), value :: count
            type(c_ptr), value :: alpha
            type(c_ptr), intent(in) :: a(*), b(*)
            type(c_ptr), value :: beta
            type(c_ptr), intent(in), optional :: c(*), d(*)
        end function
        integer(c_int) function lay_plan_run_groups(count, groups) bind(c)
            import
            integer(c_int64_t), value :: count
            type(lay_runs), intent(in) :: groups(*)
        end function
        integer(c_int) function lay_plan_reserve(plan) bind(c)
            import
            type(c_ptr), value :: plan
        end function
        integer(c_int) function lay_plan_path(plan, path) bind(c)
            import
            type(c_ptr), value :: plan
            integer(c_int), intent(inout) :: path
        end function
        integer(c_int) function lay_plan_explain(plan, text, size) bind(c)
            import
            type(c_ptr), value :: plan
            character(kind=c_char), intent(inout) :: text(*)
            integer(c_size_t), value :: size
        end function
        subroutine lay_plan_destroy(plan) bind(c)
            import
            type(c_ptr), value :: plan
        end subroutine
        integer(c_int) function lay_plan_query(plan, kind, info) bind(c)
            import
            type(c_ptr), value :: plan
            integer(c_int), value :: kind
            type(lay_plan_info), intent(inout) :: info
        end function
        integer(c_int) function lay_plan_layout(plan, operand, kind, out) bind(c)
            import
            type(c_ptr), value :: plan
            integer(c_int), value :: operand, kind
            type(c_ptr), intent(inout) :: out
        end function
        integer(c_int) function lay_implementations(text, size) bind(c)
            import
            character(kind=c_char), intent(inout) :: text(*)
            integer(c_size_t), value :: size
        end function
        subroutine lay_cache_query(plans, limit) bind(c)
            import
            integer(c_int), intent(inout) :: plans, limit
        end subroutine
        integer(c_int) function lay_cache_limit(plans) bind(c)
            import
            integer(c_int), value :: plans
        end function
        subroutine lay_cache_clear() bind(c)
        end subroutine
        integer(c_int) function lay_log_set(level, tell, context) bind(c)
            import
            integer(c_int), value :: level
            type(c_funptr), value :: tell
            type(c_ptr), value :: context
        end function
        integer(c_int) function lay_machine_explain(text, size) bind(c)
            import
            character(kind=c_char), intent(inout) :: text(*)
            integer(c_size_t), value :: size
        end function

        ! ---- 9. Packed operands
        integer(c_int) function lay_pack(plan, operand, source, out) bind(c)
            import
            type(c_ptr), value :: plan
            integer(c_int), value :: operand
            type(c_ptr), value :: source
            type(c_ptr), intent(inout) :: out
        end function
        integer(c_int) function lay_plan_run_packed(plan, alpha, a, packed_a, b, packed_b, beta, c) bind(c)
            import
            type(c_ptr), value :: plan, alpha, a, packed_a, b, packed_b, beta, c
        end function
        integer(c_size_t) function lay_packed_size(packed) bind(c)
            import
            type(c_ptr), value :: packed
        end function
        subroutine lay_packed_destroy(packed) bind(c)
            import
            type(c_ptr), value :: packed
        end subroutine

        ! ---- 10. Copies
        integer(c_int) function lay_copy(type, from, src, to, dst, options) bind(c)
            import
            integer(c_int), value :: type
            type(c_ptr), value :: from, src, to, dst
            type(lay_options), intent(in), optional :: options
        end function
        integer(c_int) function lay_axpby(type_x, desc_x, alpha, x, type_y, desc_y, beta, y, is_conjugated, &
            options) bind(c)
            import
            integer(c_int), value :: type_x
            type(c_ptr), value :: desc_x, alpha, x
            integer(c_int), value :: type_y
            type(c_ptr), value :: desc_y, beta, y
            integer(c_int), value :: is_conjugated
            type(lay_options), intent(in), optional :: options
        end function

        ! ---- 11. Tuning
        integer(c_int) function lay_tuning_load(path) bind(c)
            import
            character(kind=c_char), intent(in) :: path(*)
        end function
        integer(c_int) function lay_tuning_save(path) bind(c)
            import
            character(kind=c_char), intent(in) :: path(*)
        end function
        integer(c_int) function lay_tuning_generation() bind(c)
            import
        end function
        subroutine lay_tuning_forget() bind(c)
        end subroutine
    end interface

    private :: copy_text

contains

    ! The descriptor of an array of Fortran with these extents: the first index varies fastest.
    integer(c_int) function lay_desc_array(extents, out) result(status)
        integer(c_int64_t), intent(in) :: extents(:)
        type(c_ptr), intent(inout) :: out
        type(c_ptr) :: reversed
        reversed = c_null_ptr
        status = lay_desc_natural(size(extents), extents(size(extents):1:-1), reversed)
        if (status == LAY_OK) status = lay_desc_permute(reversed, out=out)
        call lay_desc_destroy(reversed)
    end function

    ! The sentence of lay_last_error.
    function lay_message() result(text)
        character(:), allocatable :: text
        text = copy_text(lay_last_error())
    end function

    ! Such as LAY_ERR_SHAPE.
    function lay_name(status) result(text)
        integer(c_int), intent(in) :: status
        character(:), allocatable :: text
        text = copy_text(lay_status_name(status))
    end function

    ! What lay_desc_format writes; '' where it cannot.
    function lay_desc_text(desc) result(text)
        type(c_ptr), intent(in) :: desc
        character(:), allocatable :: text
        character(kind=c_char) :: none(1)
        integer(c_int) :: length
        length = max(lay_desc_format(desc, none, 0_c_size_t), 0)
        allocate (character(length + 1) :: text)
        if (length > 0) length = lay_desc_format(desc, text, len(text, c_size_t))
        text = text(:max(length, 0))
    end function

    ! What lay_plan_explain writes; '' where it cannot.
    function lay_plan_text(plan) result(text)
        type(c_ptr), intent(in) :: plan
        character(:), allocatable :: text
        character(kind=c_char) :: none(1)
        integer(c_int) :: length
        length = max(lay_plan_explain(plan, none, 0_c_size_t), 0)
        allocate (character(length + 1) :: text)
        if (length > 0) length = lay_plan_explain(plan, text, len(text, c_size_t))
        text = text(:max(min(length, len(text) - 1), 0)) ! a run meanwhile may have made it longer
    end function

    function copy_text(from) result(text)
        type(c_ptr), intent(in) :: from
        character(:), allocatable :: text
        character(kind=c_char), pointer :: characters(:)
        integer :: i
        interface
            integer(c_size_t) function strlen(text) bind(c)
                import
                type(c_ptr), value :: text
            end function
        end interface
        call c_f_pointer(from, characters, [strlen(from)])
        allocate (character(size(characters)) :: text)
        do i = 1, len(text)
            text(i:i) = characters(i)
        end do
    end function

end module
