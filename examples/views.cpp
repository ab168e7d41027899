/* A blocked matrix times its own transpose, in C++: views own no memory, errors are exceptions. */
#include <cstdio>
#include <layoutgemm.hpp>
#include <vector>

int main()
{
    try {
        /* 4 x 4 in 2 x 2 blocks of 2 x 2, each contiguous; and two of its rows, across the blocks' border. */
        std::vector<double> storage = { 0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15 };
        const lay::view<double> blocked(storage.data(), lay::desc("A=[2][2][2][2]; [[#A_0][#A_2]][[#A_1][#A_3]]"));
        const auto rows = blocked.slice(0, 1, 2);

        std::vector<double> c(2 * 4);
        const auto result = lay::row_major(c.data(), 2, 4);
        lay::gemm(1, rows, blocked.transpose(), 0, result);
        std::printf("%g %g %g %g\n%g %g %g %g\n", c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]);

        /* The same by labels: no transpose to name. */
        lay::contract("ip,jp->ij", -1, rows, blocked, 1, result);
        for (const double left : c)
            if (left != 0)
                return 1;

        /* Of a product that many others resemble: planned once, and its right side packed once. */
        const lay::plan<double> plan(rows.layout(), blocked.layout().transpose(), result.layout());
        const auto right = plan.pack(LAY_OPERAND_B, blocked.data());
        plan.run(1, rows.data(), right, 0, c.data());
        return !(c[0] == 38 && c[1] == 126 && c[2] == 214 && c[7] == 518);
    } catch (const lay::error &failed) {
        std::fprintf(stderr, "%s: %s\n", lay_status_name(failed.status()), failed.what());
        return 1;
    }
}
