/* layoutgemm.hpp: the error, thrown or handed back, and how calls in C become one. */
#ifndef LAYOUTGEMM_ERRORS_HPP
#define LAYOUTGEMM_ERRORS_HPP

#include "../layoutgemm.h"
#include <cstddef>
#include <stdexcept>
#include <string>

/* Sources compiled with exceptions and without may meet in one program: the functions of each have names of their own.
 * Where nothing can be thrown no argument has a default behind which an error could be overlooked. */
#ifdef __cpp_exceptions
#define LAYOUTGEMM_ERRORS      throwing
#define LAYOUTGEMM_ELSE(value) = value
#else
#define LAYOUTGEMM_ERRORS returning
#define LAYOUTGEMM_ELSE(value)
#endif

namespace lay
{
inline namespace LAYOUTGEMM_ERRORS
{

class error : public std::runtime_error
{
  public:
    error() : std::runtime_error(""), status_(LAY_OK)
    {
    }
    error(lay_status status, const std::string &sentence) : std::runtime_error(sentence), status_(status)
    {
    }
    lay_status status() const noexcept
    {
        return status_;
    }
    explicit operator bool() const noexcept
    {
        return status_ != LAY_OK;
    }

  private:
    lay_status status_;
};

namespace detail
{
inline bool fail(lay_status status, const std::string &sentence, error *failed)
{
#ifdef __cpp_exceptions
    if (!failed)
        throw error(status, sentence);
#endif
    *failed = error(status, sentence);
    return false;
}

inline bool check(lay_status status, error *failed)
{
    if (status != LAY_OK)
        return fail(status, lay_last_error(), failed);
    if (failed && *failed)
        *failed = error();
    return true;
}

/* For arrays whose length the interface in C cannot see. */
inline bool check_count(const char *what, std::size_t count, std::size_t wanted, error *failed)
{
    return count == wanted ||
           fail(LAY_ERR_RANK,
                std::string(what) + ": " + std::to_string(count) + " of them, not " + std::to_string(wanted), failed);
}

/* What write(text, size), one of those that work as snprintf, has to say; it may say more the second time. */
template <class Write> std::string write_text(Write write, error *failed)
{
    std::string text;
    for (;;) {
        const int length = write(&text[0], text.size());
        if (length < 0) {
            fail(LAY_ERR_MEMORY, lay_last_error(), failed);
            return std::string();
        }
        const std::size_t long_enough = static_cast<std::size_t>(length);
        if (long_enough < text.size()) {
            check(LAY_OK, failed);
            text.resize(long_enough);
            return text;
        }
        text.resize(long_enough + 1); /* and the final 0 */
    }
}
} // namespace detail

} // namespace LAYOUTGEMM_ERRORS
} // namespace lay

#endif
