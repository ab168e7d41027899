/* layoutgemm.hpp: descriptors, and the views of them. A value: copies share what never changes. */
#ifndef LAYOUTGEMM_DESC_HPP
#define LAYOUTGEMM_DESC_HPP

#include "errors.hpp"
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace lay
{
inline namespace LAYOUTGEMM_ERRORS
{

class desc
{
  public:
    using numbers = std::vector<std::int64_t>;

    desc() = default;
    explicit desc(const std::string &notation, error *failed LAYOUTGEMM_ELSE(nullptr))
    {
        *this = make([&](lay_desc **out) { return lay_desc_parse(notation.c_str(), out); }, failed);
    }
    static desc natural(const numbers &extents, error *failed LAYOUTGEMM_ELSE(nullptr))
    {
        return make([&](lay_desc **out) { return lay_desc_natural(count(extents), extents.data(), out); }, failed);
    }
    static desc strided(const numbers &extents, const numbers &strides, error *failed LAYOUTGEMM_ELSE(nullptr))
    {
        if (!detail::check_count("strides", strides.size(), extents.size(), failed))
            return desc();
        return make(
            [&](lay_desc **out) { return lay_desc_strided(count(extents), extents.data(), strides.data(), out); },
            failed);
    }
    /* What a call in C made; destroyed with the last copy. */
    static desc adopt(lay_desc *made)
    {
        desc adopted;
        adopted.shared_.reset(made, lay_desc_destroy);
        return adopted;
    }
    /* Of a tensor without dimensions, which contractions take. */
    static desc scalar()
    {
        desc of_scalar;
        of_scalar.is_scalar_ = true;
        return of_scalar;
    }

    const lay_desc *get() const noexcept
    {
        return shared_.get();
    }
    bool is_scalar() const noexcept
    {
        return is_scalar_;
    }
    explicit operator bool() const noexcept
    {
        return shared_ || is_scalar_;
    }

    int rank() const noexcept
    {
        return shared_ ? lay_desc_rank(get()) : 0;
    }
    int parts(const std::string &path LAYOUTGEMM_ELSE(""), error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        return answer(lay_desc_parts(get(), path.c_str()), LAY_ERR_REFERENCE, failed);
    }
    std::int64_t extent(const std::string &path LAYOUTGEMM_ELSE(""), error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        return answer(lay_desc_extent(get(), path.c_str()), LAY_ERR_REFERENCE, failed);
    }
    /* Whether the dimension at path has one stride, and which. */
    std::pair<bool, std::int64_t> stride(const std::string &path LAYOUTGEMM_ELSE(""),
                                         error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        std::int64_t stride = 0;
        const int steps = lay_desc_stride(get(), path.c_str(), &stride);
        return { answer(steps, LAY_ERR_REFERENCE, failed) == 1, stride };
    }
    /* LAY_NO_OFFSET where it fails. */
    std::int64_t offset(const numbers &index, error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        const std::int64_t offset = lay_desc_offset(get(), count(index), index.data());
        detail::check(offset != LAY_NO_OFFSET ? LAY_OK : get() ? LAY_ERR_EXTENT : LAY_ERR_ARGUMENT, failed);
        return offset;
    }
    bool is_contiguous(const std::string &path LAYOUTGEMM_ELSE(""), error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        return answer(lay_desc_is_contiguous(get(), path.c_str()), LAY_ERR_REFERENCE, failed) == 1;
    }
    bool is_injective() const noexcept
    {
        return shared_ && lay_desc_is_injective(get());
    }
    /* The lowest and the highest offset. */
    std::pair<std::int64_t, std::int64_t> span() const noexcept
    {
        std::int64_t lowest = 0, highest = -1;
        if (shared_)
            lay_desc_span(get(), &lowest, &highest);
        return { lowest, highest };
    }
    std::string text(error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        if (!detail::check(shared_ ? LAY_OK : refuse_empty(), failed))
            return std::string();
        return detail::write_text([&](char *text, std::size_t size) { return lay_desc_format(get(), text, size); },
                                  failed);
    }
    friend bool operator==(const desc &x, const desc &y)
    {
        return x.is_scalar_ == y.is_scalar_ &&
               (x.shared_ == y.shared_ || (x.shared_ && y.shared_ && lay_desc_equal(x.get(), y.get())));
    }
    friend bool operator!=(const desc &x, const desc &y)
    {
        return !(x == y);
    }

    desc dim(const std::string &path, error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        return make([&](lay_desc **out) { return lay_desc_dim(get(), path.c_str(), out); }, failed);
    }
    static desc join(const std::vector<desc> &parts, error *failed LAYOUTGEMM_ELSE(nullptr))
    {
        std::vector<const lay_desc *> all;
        for (const desc &part : parts)
            all.push_back(part.get());
        return make([&](lay_desc **out) { return lay_desc_join(count(all), all.data(), out); }, failed);
    }
    desc permute(const std::vector<int> &order, error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        if (!fits("dimensions in the new order", order, failed))
            return desc();
        return make([&](lay_desc **out) { return lay_desc_permute(get(), order.data(), out); }, failed);
    }
    desc transpose(error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        return make([&](lay_desc **out) { return lay_desc_permute(get(), nullptr, out); }, failed);
    }
    desc split(int dimension, const numbers &extents, error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        return make(
            [&](lay_desc **out) { return lay_desc_split(get(), dimension, count(extents), extents.data(), out); },
            failed);
    }
    desc slice(int dimension, std::int64_t start, std::int64_t length, error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        return make([&](lay_desc **out) { return lay_desc_slice(get(), dimension, start, length, out); }, failed);
    }
    desc tile(const numbers &extents, error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        if (!fits("extents of a tile", extents, failed))
            return desc();
        return make([&](lay_desc **out) { return lay_desc_tile(get(), extents.data(), out); }, failed);
    }
    /* The tile, and the offset at which it starts. */
    std::pair<desc, std::int64_t> tile_at(const numbers &coords, error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        std::int64_t offset = 0;
        if (!fits("coordinates of a tile", coords, failed))
            return { desc(), 0 };
        desc tile = make([&](lay_desc **out) { return lay_desc_tile_at(get(), coords.data(), out, &offset); }, failed);
        return { std::move(tile), offset };
    }

  private:
    template <class Make> static desc make(Make make, error *failed)
    {
        lay_desc *made = nullptr;
        return detail::check(make(&made), failed) ? adopt(made) : desc();
    }
    template <class All> static int count(const All &all)
    {
        return all.size() > INT32_MAX ? INT32_MAX : static_cast<int>(all.size());
    }
    lay_status refuse_empty() const
    {
        return lay_desc_parts(get(), "") < 0 ? LAY_ERR_ARGUMENT : LAY_OK; /* for the sentence */
    }
    template <class All> bool fits(const char *what, const All &all, error *failed) const
    {
        return detail::check(shared_ ? LAY_OK : refuse_empty(), failed) &&
               detail::check_count(what, all.size(), static_cast<std::size_t>(rank()), failed);
    }
    template <class Number> Number answer(Number number, lay_status reason, error *failed) const
    {
        detail::check(number >= 0 ? LAY_OK : get() ? reason : LAY_ERR_ARGUMENT, failed);
        return number;
    }

    std::shared_ptr<lay_desc> shared_;
    bool is_scalar_ = false;
};

} // namespace LAYOUTGEMM_ERRORS
} // namespace lay

#endif
