/* layoutgemm.hpp with -fno-exceptions: every error goes into the caller's, and its objects stay empty. */
#include "tap.hpp"
#include <vector>

#ifdef __cpp_exceptions
#error "compiled with exceptions"
#endif

int main()
{
    const std::vector<float> a(6, 1), b(6, 2);
    std::vector<float> c(4);
    lay::error failed;
    const auto left = lay::row_major(a.data(), 2, 3, &failed), right = lay::row_major(b.data(), 3, 2, &failed);
    const auto result = lay::row_major(c.data(), 2, 2, &failed);
    lay::gemm(1, left, right, 0, result, {}, &failed);
    tap::claim(!failed && c[3] == 6, "a product is computed");
    lay::gemm(1, left, left, 0, result, {}, &failed);
    tap::refused(failed, LAY_ERR_SHAPE, "columns", "extents that do not match are refused");
    const lay::desc wrong("[2][", &failed);
    tap::refused(failed, LAY_ERR_SYNTAX, "", "wrong notation is refused");
    tap::claim(!wrong, "what was to be made of it is empty");
    const lay::plan<float> none(left.layout(), right.layout(), wrong, {}, &failed);
    tap::refused(failed, LAY_ERR_ARGUMENT, "desc_c is NULL", "a plan of it is refused");
    tap::claim(!none && none.explain(&failed).empty() && failed.status() == LAY_ERR_ARGUMENT, "and empty, too");

    const lay::plan<float> plan(left.layout(), right.layout(), result.layout(), {}, &failed);
    const auto packed = plan.pack(LAY_OPERAND_A, a.data(), &failed);
    plan.run(1, packed, b.data(), 1, c.data(), &failed);
    tap::claim(!failed && c[0] == 12, "a plan runs with a packed operand");
    const lay::storage<float> storage(result.layout(), LAY_MEMORY_HOST, &failed);
    lay::copy(result, storage.view(), {}, &failed);
    lay::axpby(1, result, 1, storage.view(), false, {}, &failed);
    lay::contract("ij,jk->ik", 1, left, right, 1, storage.view(), {}, &failed);
    tap::claim(!failed && storage.data()[2] == 30, "copies and contractions are computed");
    tap::claim(plan.query(LAY_MEMORY_HOST, &failed).flops == 24 && !failed, "a plan says what it would do");
    lay::tuning_load("/no/such/file", &failed);
    tap::refused(failed, LAY_ERR_OPTION, "/no/such/file", "a file of tuned plans that is none is refused");
    lay::cache_limit(2000, &failed);
    tap::refused(failed, LAY_ERR_ARGUMENT, "2000", "and so is a limit of the cache that is too high");
    tap::claim(!lay::machine(&failed).empty() && !failed, "the machine is told");
    return tap::done();
}
