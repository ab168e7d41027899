/* layoutgemm.hpp: products, contractions and copies of views. */
#ifndef LAYOUTGEMM_PRODUCT_HPP
#define LAYOUTGEMM_PRODUCT_HPP

#include "view.hpp"
#include <string>
#include <type_traits>

namespace lay
{
inline namespace LAYOUTGEMM_ERRORS
{

struct options : lay_options {
    options() : lay_options LAY_OPTIONS_INIT
    {
    }
    /* A plan that was never measured is measured now, in so many seconds; 0: 1. */
    options &measure(double seconds = 0) noexcept
    {
        effort = LAY_EFFORT_MEASURE;
        effort_seconds = seconds;
        return *this;
    }
};

namespace detail
{
template <class A, class B, class C> constexpr void check_types()
{
    static_assert(!std::is_const_v<C>, "the result is written: its elements are not const");
    static_assert(std::is_same_v<std::remove_const_t<A>, C> && std::is_same_v<std::remove_const_t<B>, C>,
                  "A, B and the result have elements of one type; lay::any_plan takes several");
}

/* In C a tensor without a descriptor is a scalar. */
inline bool check_tensor(const char *name, const desc &tensor, error *failed)
{
    return tensor ||
           fail(LAY_ERR_ARGUMENT,
                std::string(name) + " has no layout: it is empty or was moved from; a scalar is lay::scalar", failed);
}
inline bool check_tensors(const desc &a, const desc &b, const desc &c, error *failed)
{
    return check_tensor("A", a, failed) && check_tensor("B", b, failed) && check_tensor("C", c, failed);
}
} // namespace detail

template <class A, class B, class C>
void gemm(scale_of<C> alpha, const view<A> &a, const view<B> &b, scale_of<C> beta, const view<C> &c,
          const options &how LAYOUTGEMM_ELSE(options()), error *failed LAYOUTGEMM_ELSE(nullptr))
{
    detail::check_types<A, B, C>();
    detail::check(lay_gemm(type_of<C>, a.layout().get(), b.layout().get(), c.layout().get(), &alpha, a.data(), b.data(),
                           &beta, c.data(), &how),
                  failed);
}

template <class A, class B, class C>
void contract(const std::string &labels, scale_of<C> alpha, const view<A> &a, const view<B> &b, scale_of<C> beta,
              const view<C> &c, const options &how LAYOUTGEMM_ELSE(options()), error *failed LAYOUTGEMM_ELSE(nullptr))
{
    detail::check_types<A, B, C>();
    if (detail::check_tensors(a.layout(), b.layout(), c.layout(), failed))
        detail::check(lay_contract(type_of<C>, labels.c_str(), a.layout().get(), b.layout().get(), c.layout().get(),
                                   &alpha, a.data(), b.data(), &beta, c.data(), &how),
                      failed);
}

template <class X, class Y>
void copy(const view<X> &x, const view<Y> &y, const options &how LAYOUTGEMM_ELSE(options()),
          error *failed LAYOUTGEMM_ELSE(nullptr))
{
    static_assert(!std::is_const_v<Y>, "the result is written: its elements are not const");
    static_assert(std::is_same_v<std::remove_const_t<X>, Y>, "a copy keeps the type: lay::axpby converts");
    detail::check(lay_copy(type_of<Y>, x.layout().get(), x.data(), y.layout().get(), y.data(), &how), failed);
}

namespace detail
{
constexpr bool is_wide(lay_type type)
{
    return type == LAY_F64 || type == LAY_C64;
}
constexpr bool is_complex(lay_type type)
{
    return type == LAY_C32 || type == LAY_C64;
}
template <class X, class Y> struct sum {
    using real = std::conditional_t<is_wide(type_of<X>) || is_wide(type_of<Y>), double, float>;
    using scale = std::conditional_t<is_complex(type_of<Y>), std::complex<real>, real>;
};
} // namespace detail

/* alpha and beta have the type that it is computed in. */
template <class X, class Y>
void axpby(typename detail::sum<X, Y>::scale alpha, const view<X> &x, typename detail::sum<X, Y>::scale beta,
           const view<Y> &y, bool is_conjugated LAYOUTGEMM_ELSE(false), const options &how LAYOUTGEMM_ELSE(options()),
           error *failed LAYOUTGEMM_ELSE(nullptr))
{
    static_assert(!std::is_const_v<Y>, "the result is written: its elements are not const");
    detail::check(lay_axpby(type_of<X>, x.layout().get(), &alpha, x.data(), type_of<Y>, y.layout().get(), &beta,
                            y.data(), is_conjugated, &how),
                  failed);
}

} // namespace LAYOUTGEMM_ERRORS
} // namespace lay

#endif
