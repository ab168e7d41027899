/* layoutgemm.hpp: element types and their numbers. A type of the program's own, of 16 bits say, needs a
 * specialisation of element. */
#ifndef LAYOUTGEMM_ELEMENTS_HPP
#define LAYOUTGEMM_ELEMENTS_HPP

#include "errors.hpp"
#include <complex>
#include <cstdint>
#include <type_traits>

namespace lay
{
inline namespace LAYOUTGEMM_ERRORS
{

struct float16 {
    std::uint16_t bits;
};
struct bfloat16 {
    std::uint16_t bits;
};

namespace detail
{
template <lay_type Type, class Scale> struct element_as {
    static constexpr lay_type type = Type;
    using scale = Scale; /* of alpha and beta */
};
template <class> constexpr bool never = false;
} // namespace detail

template <class T> struct element {
    static_assert(detail::never<T>, "elements are float, double, std::complex of them, lay::float16 or lay::bfloat16");
};
template <> struct element<float> : detail::element_as<LAY_F32, float> {
};
template <> struct element<double> : detail::element_as<LAY_F64, double> {
};
template <> struct element<float16> : detail::element_as<LAY_F16, float> {
};
template <> struct element<bfloat16> : detail::element_as<LAY_BF16, float> {
};
template <> struct element<std::complex<float>> : detail::element_as<LAY_C32, std::complex<float>> {
};
template <> struct element<std::complex<double>> : detail::element_as<LAY_C64, std::complex<double>> {
};

template <class T> constexpr lay_type type_of = element<std::remove_const_t<T>>::type;
template <class T> using scale_of = typename element<std::remove_const_t<T>>::scale;

} // namespace LAYOUTGEMM_ERRORS
} // namespace lay

#endif
