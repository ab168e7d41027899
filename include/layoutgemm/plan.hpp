/* layoutgemm.hpp: plans, and operands packed once. */
#ifndef LAYOUTGEMM_PLAN_HPP
#define LAYOUTGEMM_PLAN_HPP

#include "product.hpp"
#include <memory>
#include <string>
#include <vector>

namespace lay
{
inline namespace LAYOUTGEMM_ERRORS
{

namespace detail
{
struct destroy {
    void operator()(lay_plan *plan) const noexcept
    {
        lay_plan_destroy(plan);
    }
    void operator()(lay_packed *packed) const noexcept
    {
        lay_packed_destroy(packed);
    }
};
} // namespace detail

template <class T> class packed
{
  public:
    packed() = default;
    static packed adopt(lay_packed *made)
    {
        packed adopted;
        adopted.owned_.reset(made);
        return adopted;
    }
    const lay_packed *get() const noexcept
    {
        return owned_.get();
    }
    std::size_t size() const noexcept
    {
        return lay_packed_size(get());
    }
    explicit operator bool() const noexcept
    {
        return owned_ != nullptr;
    }

  private:
    std::unique_ptr<lay_packed, detail::destroy> owned_;
};

/* An operand of a run: an address, or what was packed. */
template <class T> struct operand {
    operand(const T *address) : plain(address), prepared(nullptr)
    {
    }
    operand(const packed<T> &other) : plain(nullptr), prepared(other.get())
    {
    }
    const T *plain;
    const lay_packed *prepared;
};

/* Of any types; fields are filled in as in C. */
struct product : lay_product {
    product() : lay_product LAY_PRODUCT_INIT
    {
    }
};

/* What a product ends with: &ending in product.ending. */
struct ending : lay_ending {
    ending() : lay_ending LAY_ENDING_INIT
    {
    }
};

/* Everything that a run may have; fields are filled in as in C. */
struct arguments : lay_arguments {
    arguments() : lay_arguments LAY_ARGUMENTS_INIT
    {
    }
};

/* What a plan would do. */
struct plan_info : lay_plan_info {
    plan_info() : lay_plan_info LAY_PLAN_INFO_INIT
    {
    }
};

class any_plan
{
  public:
    any_plan() = default;
    explicit any_plan(const lay_product &of, const options &how LAYOUTGEMM_ELSE(options()),
                      error *failed LAYOUTGEMM_ELSE(nullptr))
    {
        make([&](lay_plan **out) { return lay_plan_create_product(&of, &how, out); }, failed);
    }

    /* alpha and beta are of the type that the product's sums have, and so complex where D is. */
    void run_product(const void *alpha, const void *a, const void *b, const void *beta, const void *c, void *d,
                     error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        detail::check(lay_plan_run_product(get(), alpha, a, b, beta, c, d), failed);
    }
    /* The call that plans with scales or a bias need. */
    void run_arguments(const lay_arguments &of, error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        detail::check(lay_plan_run_arguments(get(), &of), failed);
    }
    void reserve(error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        detail::check(lay_plan_reserve(owned_.get()), failed);
    }
    lay_path path(error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        lay_path path = LAY_PATH_NONE;
        detail::check(lay_plan_path(get(), &path), failed);
        return path;
    }
    /* Of operands in memory of this kind: way, kernel, seconds predicted, flops, workspace, threads. */
    plan_info query(lay_memory kind LAYOUTGEMM_ELSE(LAY_MEMORY_HOST), error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        plan_info info;
        detail::check(lay_plan_query(get(), kind, &info), failed);
        return info;
    }
    /* In which A or B is read soonest, of operands in memory of this kind. */
    desc layout(lay_operand which, lay_memory kind LAYOUTGEMM_ELSE(LAY_MEMORY_HOST),
                error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        lay_desc *made = nullptr;
        return detail::check(lay_plan_layout(get(), which, kind, &made), failed) ? desc::adopt(made) : desc();
    }
    /* As run_product, in size bytes of the caller's, a multiple of LAY_WORKSPACE_ALIGNMENT: query().workspace. */
    void run_workspace(const void *alpha, const void *a, const void *b, const void *beta, const void *c, void *d,
                       void *workspace, std::size_t size, error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        detail::check(lay_plan_run_workspace(get(), alpha, a, b, beta, c, d, workspace, size), failed);
    }
    std::string explain(error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        if (!owned_) {
            detail::fail(LAY_ERR_ARGUMENT, "the plan is empty or was moved from", failed);
            return std::string();
        }
        return detail::write_text([&](char *text, std::size_t size) { return lay_plan_explain(get(), text, size); },
                                  failed);
    }
    const lay_plan *get() const noexcept
    {
        return owned_.get();
    }
    explicit operator bool() const noexcept
    {
        return owned_ != nullptr;
    }

  protected:
    template <class Make> void make(Make make, error *failed)
    {
        lay_plan *made = nullptr;
        if (detail::check(make(&made), failed))
            owned_.reset(made);
    }

  private:
    std::unique_ptr<lay_plan, detail::destroy> owned_;
};

template <class T> class plan : public any_plan
{
  public:
    using scale = scale_of<T>;

    plan() = default;
    plan(const desc &a, const desc &b, const desc &c, const options &how LAYOUTGEMM_ELSE(options()),
         error *failed LAYOUTGEMM_ELSE(nullptr))
    {
        make([&](lay_plan **out) { return lay_plan_create(type_of<T>, a.get(), b.get(), c.get(), &how, out); }, failed);
    }
    /* Of a contraction. */
    plan(const std::string &labels, const desc &a, const desc &b, const desc &c,
         const options &how LAYOUTGEMM_ELSE(options()), error *failed LAYOUTGEMM_ELSE(nullptr))
    {
        if (!detail::check_tensors(a, b, c, failed))
            return;
        product of;
        of.type_a = of.type_b = of.type_c = type_of<T>;
        of.a = a.get(), of.b = b.get(), of.c = c.get(), of.labels = labels.c_str();
        make([&](lay_plan **out) { return lay_plan_create_product(&of, &how, out); }, failed);
    }

    void run(scale alpha, operand<T> a, operand<T> b, scale beta, T *c, error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        const bool is_plain = !a.prepared && !b.prepared;
        detail::check(is_plain ? lay_plan_run(get(), &alpha, a.plain, b.plain, &beta, c)
                               : lay_plan_run_packed(get(), &alpha, a.plain, a.prepared, b.plain, b.prepared, &beta, c),
                      failed);
    }
    /* Run i with a[i], b[i] and c[i]. */
    void run_many(scale alpha, const std::vector<const T *> &a, const std::vector<const T *> &b, scale beta,
                  const std::vector<T *> &c, error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        if (!detail::check_count("addresses of A", a.size(), c.size(), failed) ||
            !detail::check_count("addresses of B", b.size(), c.size(), failed))
            return;
        const std::vector<const void *> all_a(a.begin(), a.end()), all_b(b.begin(), b.end());
        const std::vector<void *> all_c(c.begin(), c.end());
        detail::check(lay_plan_run_many(get(), static_cast<std::int64_t>(c.size()), &alpha, all_a.data(), all_b.data(),
                                        &beta, all_c.data(), nullptr),
                      failed);
    }
    packed<T> pack(lay_operand which, const T *source, error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        lay_packed *made = nullptr;
        return detail::check(lay_pack(get(), which, source, &made), failed) ? packed<T>::adopt(made) : packed<T>();
    }
};

/* Runs of one plan, as plan::run_many takes them. The plan and what addresses lead to live until all have run. */
template <class T> struct runs {
    const lay::plan<T> &plan;
    scale_of<T> alpha;
    std::vector<const T *> a, b;
    scale_of<T> beta;
    std::vector<T *> c;
};

/* Of several plans: threads share the products of all. */
template <class T> void run_groups(const std::vector<runs<T>> &groups, error *failed LAYOUTGEMM_ELSE(nullptr))
{
    std::vector<std::vector<const void *>> inputs;
    std::vector<std::vector<void *>> outputs;
    std::vector<lay_runs> all;
    inputs.reserve(2 * groups.size());
    outputs.reserve(groups.size());
    for (const runs<T> &of : groups) {
        if (!detail::check_count("addresses of A", of.a.size(), of.c.size(), failed) ||
            !detail::check_count("addresses of B", of.b.size(), of.c.size(), failed))
            return;
        inputs.emplace_back(of.a.begin(), of.a.end());
        inputs.emplace_back(of.b.begin(), of.b.end());
        outputs.emplace_back(of.c.begin(), of.c.end());
        all.push_back({ of.plan.get(), static_cast<std::int64_t>(of.c.size()), &of.alpha, (inputs.end() - 2)->data(),
                        inputs.back().data(), &of.beta, outputs.back().data(), nullptr });
    }
    detail::check(lay_plan_run_groups(static_cast<std::int64_t>(all.size()), all.data()), failed);
}

/* Ways and kernels: lines of CSV. */
inline std::string implementations(error *failed LAYOUTGEMM_ELSE(nullptr))
{
    return detail::write_text([](char *text, std::size_t size) { return lay_implementations(text, size); }, failed);
}

/* What the library found. */
inline std::string machine(error *failed LAYOUTGEMM_ELSE(nullptr))
{
    return detail::write_text([](char *text, std::size_t size) { return lay_machine_explain(text, size); }, failed);
}

} // namespace LAYOUTGEMM_ERRORS
} // namespace lay

#endif
