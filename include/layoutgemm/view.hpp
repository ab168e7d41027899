/* layoutgemm.hpp: typed views, which do not own their memory, and storage, which does. */
#ifndef LAYOUTGEMM_VIEW_HPP
#define LAYOUTGEMM_VIEW_HPP

#include "desc.hpp"
#include "elements.hpp"
#include <memory>
#include <type_traits>
#include <utility>

namespace lay
{
inline namespace LAYOUTGEMM_ERRORS
{

template <class T> class view
{
  public:
    view() = default;
    view(T *data, desc layout) : data_(data), layout_(std::move(layout))
    {
    }
    template <class U, class = std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>>>
    view(const view<U> &other) : data_(other.data()), layout_(other.layout())
    {
    }

    T *data() const noexcept
    {
        return data_;
    }
    const desc &layout() const noexcept
    {
        return layout_;
    }
    /* Of one element, in memory that this process may read; NULL where it fails. */
    T *address(const desc::numbers &index, error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        const std::int64_t offset = layout_.offset(index, failed);
        return offset == LAY_NO_OFFSET ? nullptr : data_ + offset;
    }
    view transpose(error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        return { data_, layout_.transpose(failed) };
    }
    view slice(int dimension, std::int64_t start, std::int64_t length, error *failed LAYOUTGEMM_ELSE(nullptr)) const
    {
        return { data_, layout_.slice(dimension, start, length, failed) };
    }

  private:
    T *data_ = nullptr;
    desc layout_;
};

template <class T>
view<T> row_major(T *data, std::int64_t rows, std::int64_t columns, error *failed LAYOUTGEMM_ELSE(nullptr))
{
    return { data, desc::natural({ rows, columns }, failed) };
}
template <class T>
view<T> column_major(T *data, std::int64_t rows, std::int64_t columns, error *failed LAYOUTGEMM_ELSE(nullptr))
{
    return { data, desc::strided({ rows, columns }, { 1, rows }, failed) };
}
/* Bytes from the lowest element to the end of the highest one. */
template <class T> std::int64_t bytes(const desc &layout, error *failed LAYOUTGEMM_ELSE(nullptr))
{
    const std::int64_t count = lay_desc_bytes(type_of<T>, layout.get());
    if (count < 0)
        detail::fail(layout ? LAY_ERR_OVERFLOW : LAY_ERR_ARGUMENT, lay_last_error(), failed);
    else
        detail::check(LAY_OK, failed);
    return count;
}
template <class T> view<T> scalar(T *data)
{
    return { data, desc::scalar() };
}

/* Owns what lay_alloc gave for a layout. */
template <class T> class storage
{
  public:
    storage() = default;
    explicit storage(desc layout, lay_memory kind LAYOUTGEMM_ELSE(LAY_MEMORY_HOST),
                     error *failed LAYOUTGEMM_ELSE(nullptr))
    {
        void *made = nullptr;
        if (!detail::check(lay_alloc(type_of<T>, layout.get(), kind, &made), failed))
            return;
        memory_.reset(made);
        view_ = { static_cast<T *>(made), std::move(layout) };
    }
    storage(storage &&other) noexcept : memory_(std::move(other.memory_)), view_(std::exchange(other.view_, {}))
    {
    }
    storage &operator=(storage &&other) noexcept
    {
        memory_ = std::move(other.memory_);
        view_ = std::exchange(other.view_, {});
        return *this;
    }

    T *data() const noexcept
    {
        return view_.data();
    }
    const lay::view<T> &view() const noexcept
    {
        return view_;
    }
    explicit operator bool() const noexcept
    {
        return memory_ != nullptr;
    }

  private:
    std::unique_ptr<void, decltype(&lay_free)> memory_{ nullptr, lay_free };
    lay::view<T> view_;
};

} // namespace LAYOUTGEMM_ERRORS
} // namespace lay

#endif
