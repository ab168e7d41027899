/* layoutgemm.hpp with exceptions: results, and what objects that are empty or were moved from do. */
#include "tap.hpp"
#include <complex>
#include <cstdio>
#include <numeric>
#include <unistd.h>
#include <utility>
#include <vector>

using tap::claim;
using numbers = std::vector<float>;

/* What call throws; LAY_OK for nothing. */
template <class Call> static lay::error thrown(Call call)
{
    try {
        call();
    } catch (const lay::error &failed) {
        return failed;
    }
    return lay::error();
}

static numbers count_up(std::size_t count)
{
    numbers all(count);
    std::iota(all.begin(), all.end(), 1.0f);
    return all;
}

static void products()
{
    const numbers a = count_up(6), b = count_up(6), wanted = { 22, 28, 49, 64 };
    numbers c(4), other(4);
    const auto left = lay::row_major(a.data(), 2, 3), right = lay::row_major(b.data(), 3, 2);
    lay::gemm(1, left, right, 0, lay::row_major(c.data(), 2, 2));
    claim(c == wanted, "a product of views is the product");
    lay::gemm(1, lay::column_major(a.data(), 3, 2).transpose(), right, 0, lay::row_major(c.data(), 2, 2));
    claim(c == wanted, "column-major and transposed is row-major");
    lay::contract("ij,jk->ki", 1, left, right, 0, lay::column_major(other.data(), 2, 2));
    claim(other == wanted, "a contraction is one, by labels");
    float trace = 0;
    const float one = 1;
    lay::contract("ii,->", 1, lay::row_major(c.data(), 2, 2), lay::scalar(&one), 0, lay::scalar(&trace));
    claim(trace == 22 + 64, "a scalar takes part in contractions");

    using complex = std::complex<double>;
    const complex x(1, 2), y(3, -1);
    complex z;
    lay::gemm(complex(0, 1), lay::row_major(&x, 1, 1), lay::row_major(&y, 1, 1), 0.0, lay::row_major(&z, 1, 1));
    claim(z == complex(0, 1) * x * y, "complex elements are std::complex");
    const lay::bfloat16 half[2] = { { 0x3f80 }, { 0x4000 } }; /* 1, 2 */
    lay::bfloat16 sum{ 0 };
    lay::gemm(1, lay::row_major(half, 1, 2), lay::row_major(half, 2, 1), 0, lay::row_major(&sum, 1, 1));
    claim(sum.bits == 0x40a0, "bfloat16 elements are their bits"); /* 5 */
}

static void plans()
{
    const numbers a = count_up(6), b = count_up(6), wanted = { 22, 28, 49, 64 };
    numbers c(4), other(4);
    const lay::desc left("[2][3]"), right("[3][2]"), result("[2][2]");
    lay::options how;
    how.threads = 1;
    const lay::plan<float> plan(left, right, result, how);
    plan.run(1, a.data(), b.data(), 0, c.data());
    claim(c == wanted, "a plan computes the product");
    auto packed = plan.pack(LAY_OPERAND_B, b.data());
    plan.run(1, a.data(), packed, 0, other.data());
    claim(other == wanted && packed.size() > 0, "a packed operand takes the place of an address");
    plan.run_many(1, { a.data(), a.data() }, { b.data(), b.data() }, 1, { c.data(), other.data() });
    claim(c[0] == 44 && other[3] == 128, "many runs are runs");
    numbers third(4), fourth(4);
    const lay::plan<float> turned(right, left, lay::desc("[3][3]"), how);
    numbers nine(9);
    lay::run_groups<float>(
        { { plan, 1, { a.data(), a.data() }, { b.data(), b.data() }, 0, { third.data(), fourth.data() } },
          { turned, 2, { a.data() }, { b.data() }, 0, { nine.data() } } });
    claim(third == wanted && fourth == wanted && nine[0] == 18, "groups of runs are runs");
    lay::run_groups<float>({});
    claim(!plan.explain().empty() && plan.path() == LAY_PATH_STRICT, "a plan explains itself");
    plan.reserve();
    const lay::plan<float> labelled("ij,jk->ik", left, right, result);
    labelled.run(1, a.data(), b.data(), 0, c.data());
    claim(c == wanted, "a contraction has a plan");

    lay::product of;
    of.type_a = LAY_F64;
    of.a = left.get(), of.b = right.get(), of.c = result.get(), of.labels = "ij,jk->ik";
    const lay::any_plan mixed(of, how);
    const std::vector<double> wide(a.begin(), a.end());
    const double alpha = 1, beta = 0;
    mixed.run_product(&alpha, wide.data(), b.data(), &beta, c.data(), c.data());
    claim(c == wanted, "a plan of several types runs by addresses");

    const auto moved = std::move(packed);
    claim(thrown([&] { plan.run(1, a.data(), packed, 0, c.data()); }).status() == LAY_ERR_ARGUMENT && c == wanted,
          "a packed operand that was moved from is refused");
    claim(thrown([&] { plan.run_many(1, { a.data() }, {}, 0, { c.data() }); }).status() == LAY_ERR_RANK,
          "many runs of too few addresses are refused");
    claim(thrown([&] {
              lay::run_groups<float>({ { plan, 1, { a.data() }, {}, 0, { c.data() } } });
          }).status() == LAY_ERR_RANK &&
              c == wanted,
          "and so are groups of them");
    tap::refused(thrown([&] {
                     lay::run_groups<float>({ { plan, 1, { a.data() }, { nullptr }, 0, { c.data() } } });
                 }),
                 LAY_ERR_ARGUMENT, "group 0: b[0] is NULL", "a missing address is told with its group");
    auto first = lay::plan<float>(left, right, result);
    const auto second = std::move(first);
    tap::refused(thrown([&] { first.run(1, a.data(), b.data(), 0, c.data()); }), LAY_ERR_ARGUMENT, "plan is NULL",
                 "a plan that was moved from is refused");
    tap::refused(thrown([&] { first.explain(); }), LAY_ERR_ARGUMENT, "empty", "it does not explain itself");
    claim(thrown([&] { first.pack(LAY_OPERAND_A, a.data()); }).status() == LAY_ERR_ARGUMENT &&
              thrown([&] { first.reserve(); }).status() == LAY_ERR_ARGUMENT &&
              thrown([&] { first.path(); }).status() == LAY_ERR_ARGUMENT && !first && second,
          "nor packs, nor reserves, nor has a path");
}

static void descriptors()
{
    const lay::desc rows("[4][6]"), tiled = rows.tile({ 2, 3 });
    claim(rows == lay::desc::natural({ 4, 6 }) && rows != lay::desc::strided({ 4, 6 }, { 1, 4 }), "equal or not");
    claim(rows.rank() == 2 && rows.extent() == 24 && rows.extent("1") == 6 && tiled.parts("0") == 2, "extents");
    claim(rows.stride("0") == std::pair<bool, std::int64_t>(true, 6) && !rows.slice(1, 0, 3).stride("").first,
          "strides");
    claim(rows.offset({ 1, 2 }) == 8 && rows.span().second == 23 && rows.is_injective(), "offsets");
    claim(rows.is_contiguous("1") && !rows.is_contiguous("0"), "contiguous or not");
    claim(lay::desc(rows.text()) == rows && rows.text() == "[4][6]", "text");
    const auto tile = tiled.tile_at({ 1, 1 });
    claim(tile.second == 15 && tile.first.extent() == 6, "a tile and where it starts");
    claim(rows.permute({ 1, 0 }) == rows.transpose() && rows.slice(0, 1, 2).extent("0") == 2 &&
              rows.split(1, { 2, 3 }).parts("1") == 2 &&
              lay::desc::join({ rows.dim("0"), rows.dim("1") }).extent("1") == 6,
          "views of descriptors");
    claim(lay::desc::scalar() == lay::desc::scalar() && lay::desc::scalar() != lay::desc(), "a scalar is not empty");

    tap::refused(thrown([] { lay::desc("[2][x]"); }), LAY_ERR_SYNTAX, "", "wrong notation is refused");
    tap::refused(thrown([&] { rows.permute({}); }), LAY_ERR_RANK, "0 of them, not 2",
                 "an order of none is no transpose");
    tap::refused(thrown([&] { rows.tile({ 2 }); }), LAY_ERR_RANK, "1 of them, not 2",
                 "a tile of one extent is refused");
    tap::refused(thrown([&] { tiled.tile_at({ 1 }); }), LAY_ERR_RANK, "1 of them", "so are coordinates of one");
    tap::refused(thrown([] { lay::desc::strided({ 4, 6 }, { 1 }); }), LAY_ERR_RANK, "strides", "so are few strides");
    tap::refused(thrown([&] { rows.extent("7"); }), LAY_ERR_REFERENCE, "leads to no dimension", "a path to nowhere");
    tap::refused(thrown([&] { rows.offset({ 4, 0 }); }), LAY_ERR_EXTENT, "", "an index out of range");

    lay::desc source("[2][2]");
    const lay::desc copy = source, target = std::move(source);
    claim(!source && copy == target && copy.get() == target.get(), "copies share, what was moved from is empty");
    claim(source.rank() == 0 && !source.is_injective() && source.span().second == -1, "it can be asked");
    for (const auto &failed :
         { thrown([&] { source.extent(); }), thrown([&] { source.parts(); }), thrown([&] { source.stride(); }),
           thrown([&] {
               source.offset({ 0, 0 });
           }),
           thrown([&] { source.is_contiguous(); }), thrown([&] { source.text(); }), thrown([&] { source.transpose(); }),
           thrown([&] { source.permute({}); }), thrown([&] { source.dim("0"); }),
           thrown([&] { source.slice(0, 0, 1); }), thrown([&] { source.tile({}); }), thrown([&] {
               source.split(0, { 1, 2 });
           }),
           thrown([&] { source.tile_at({}); }), thrown([&] {
               lay::desc::join({ copy, source });
           }) })
        tap::refused(failed, LAY_ERR_ARGUMENT, "NULL", "everything else is refused");
    source = copy;
    claim(source == copy, "it may be assigned to");
}

static void views()
{
    numbers c = count_up(4);
    const float one = 1;
    lay::desc layout("[2][2]");
    const lay::view<float> view(c.data(), layout);
    const lay::view<const float> same = view;
    claim(*same.address({ 1, 0 }) == 3 && *view.slice(0, 1, 1).address({ 0, 1 }) == 4, "elements have addresses");
    tap::refused(thrown([&] { view.address({ 2, 0 }); }), LAY_ERR_EXTENT, "", "elements that are not there have none");
    const lay::desc moved = std::move(layout);
    const lay::view<float> empty(c.data(), layout);
    tap::refused(thrown([&] { lay::contract("ab,->ab", 2, same, lay::scalar(&one), 0, empty); }), LAY_ERR_ARGUMENT,
                 "C has no layout", "a view without a layout is no scalar");
    tap::refused(thrown([&] { lay::plan<float>("ab,->ab", layout, lay::desc::scalar(), moved); }), LAY_ERR_ARGUMENT,
                 "A has no layout", "nor is it one in a plan");
    tap::refused(thrown([&] { lay::gemm(1, same, same, 0, empty); }), LAY_ERR_ARGUMENT, "desc_c is NULL",
                 "nor a matrix");
    claim(c == count_up(4), "a refused result keeps its elements");

    lay::storage<double> from(moved);
    lay::copy(lay::storage<double>(moved).view(), from.view());
    lay::axpby(1, same, 0, from.view());
    claim(*from.view().address({ 1, 1 }) == 4, "axpby converts");
    const lay::storage<double> to = std::move(from);
    claim(!from && from.data() == nullptr && !from.view().layout() && to.data()[3] == 4, "storage moves with its view");
    tap::refused(thrown([&] { lay::copy(to.view(), from.view()); }), LAY_ERR_ARGUMENT, "",
                 "storage that was moved from is refused");
    tap::refused(thrown([] { lay::storage<float>{ lay::desc() }; }), LAY_ERR_ARGUMENT, "",
                 "none is made for no layout");
}

static void options()
{
    lay::options how;
    how.threads = -1;
    float c = 7;
    const auto view = lay::row_major(&c, 1, 1);
    lay::error failed(LAY_ERR_MEMORY, "an earlier one");
    lay::gemm(1, view, view, 0, view, how, &failed);
    tap::refused(failed, LAY_ERR_OPTION, "threads", "an option's refusal goes into the caller's error");
    const lay::desc layout("[2][2]", &failed);
    claim(!failed && layout && c == 7, "a call that succeeds clears it");
}

/* Counts lines. */
static void listen(void *context, const char *)
{
    ++*static_cast<int *>(context);
}

static void tuning()
{
    const numbers a = count_up(6), b = count_up(6), wanted = { 22, 28, 49, 64 };
    numbers c(4);
    const lay::desc left("[2][3]"), right("[3][2]"), result("[2][2]");
    lay::options how;
    how.threads = 1;
    how.backend = LAY_BACKEND_CPU;
    const lay::plan<float> plan(left, right, result, how.measure(0.05));
    claim(plan.explain().find("measured here") != std::string::npos, "a plan may be measured");
    const lay::plan_info info = plan.query();
    claim(info.flops == 24 && info.seconds > 0 && info.threads == 1 && std::string(info.way) != "" && info.kernel,
          "a plan says what it would do");
    const lay::desc liked = plan.layout(LAY_OPERAND_B);
    claim(liked.rank() == 2 && liked.extent("0") == 3 && liked.extent("1") == 2, "and which layout it likes");
    tap::refused(thrown([&] { plan.layout(LAY_OPERAND_B, static_cast<lay_memory>(3)); }), LAY_ERR_OPTION,
                 "3 is no lay_memory", "in memory that there is");
    claim(lay::implementations().find("way,packed,cpu,,\n") != std::string::npos, "ways are listed");
    const float one = 1, zero = 0;
    alignas(LAY_WORKSPACE_ALIGNMENT) char room[4096];
    plan.run_workspace(&one, a.data(), b.data(), &zero, nullptr, c.data(), room, sizeof room);
    claim(c == wanted, "a run takes memory of the caller's");
    tap::refused(thrown([&] {
                     plan.run_workspace(&one, a.data(), b.data(), &zero, nullptr, c.data(), room + 1, sizeof room - 1);
                 }),
                 LAY_ERR_ARGUMENT, "no multiple of 64", "but none that is not aligned");
    tap::refused(thrown([&] { lay::plan<float>().query(); }), LAY_ERR_ARGUMENT, "plan is NULL",
                 "an empty plan says nothing");
    claim(lay::bytes<float>(lay::desc("[2:10][3:1]")) == 52, "a layout spans so many bytes");
    tap::refused(thrown([&] { lay::bytes<float>(lay::desc()); }), LAY_ERR_ARGUMENT, "", "an empty one is refused");

    const unsigned before = lay::tuning_generation();
    const std::string file = "/tmp/layoutgemm-cxx." + std::to_string(getpid());
    lay::tuning_save(file);
    lay::tuning_forget();
    lay::tuning_load(file);
    std::remove(file.c_str());
    claim(lay::tuning_generation() != before, "what was measured is saved, forgotten and loaded");
    tap::refused(thrown([&] { lay::tuning_load(file); }), LAY_ERR_OPTION, file.c_str(), "no file is none to load");

    lay::cache_limit(8);
    claim(lay::cache().limit == 8 && lay::cache().plans == 0, "the plan cache has a limit");
    lay::cache_limit(256);
    tap::refused(thrown([&] { lay::cache_limit(-1); }), LAY_ERR_ARGUMENT, "plans is -1", "which is a number");
    int lines = 0;
    lay::log(LAY_LOG_RUNS, listen, &lines);
    plan.run(1, a.data(), b.data(), 0, c.data());
    lay::log(LAY_LOG_NOTHING, nullptr, nullptr);
    plan.run(1, a.data(), b.data(), 0, c.data());
    claim(lines == 2, "the log tells a run, and before it its columns");
}

static void endings()
{
    const numbers a = count_up(6), b = count_up(6), bias = { -30, 1 }, wanted = { 0, 29, 19, 65 };
    numbers c(4);
    const float one = 1, zero = 0;
    const lay::desc left("[2][3]"), right("[3][2]"), result("[2][2]"), columns("[2]");
    lay::ending ending;
    ending.bias.desc = columns.get();
    ending.bias.labels = "j";
    ending.activation = LAY_ACTIVATION_RELU;
    lay::product product;
    product.a = left.get();
    product.b = right.get();
    product.c = result.get();
    product.labels = "ik,kj->ij";
    product.ending = &ending;
    const lay::any_plan plan(product);
    lay::arguments run;
    run.alpha = &one;
    run.a = a.data();
    run.b = b.data();
    run.beta = &zero;
    run.d = c.data();
    run.bias = bias.data();
    plan.run_arguments(run);
    claim(c == wanted, "a product ends with a bias and an activation");
    run.bias = nullptr;
    tap::refused(thrown([&] { plan.run_arguments(run); }), LAY_ERR_ARGUMENT, "bias", "which must be there");
    claim(c == wanted, "and nothing is written");
}

int main()
{
    products();
    endings();
    tuning();
    plans();
    descriptors();
    views();
    options();
    return tap::done();
}
