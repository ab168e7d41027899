/* layoutgemm.hpp: plans that were measured, kept in files; the plans that the library remembers; the log. */
#ifndef LAYOUTGEMM_TUNING_HPP
#define LAYOUTGEMM_TUNING_HPP

#include "errors.hpp"
#include <string>

namespace lay
{
inline namespace LAYOUTGEMM_ERRORS
{

/* Adds a file's products to what is remembered. */
inline void tuning_load(const std::string &path, error *failed LAYOUTGEMM_ELSE(nullptr))
{
    detail::check(lay_tuning_load(path.c_str()), failed);
}
inline void tuning_save(const std::string &path, error *failed LAYOUTGEMM_ELSE(nullptr))
{
    detail::check(lay_tuning_save(path.c_str()), failed);
}
inline void tuning_forget() noexcept
{
    lay_tuning_forget();
}
inline unsigned tuning_generation() noexcept
{
    return lay_tuning_generation();
}

/* Plans that are remembered, and how many may be. */
struct cache_state {
    int plans = 0, limit = 0;
};
inline cache_state cache() noexcept
{
    cache_state now;
    lay_cache_query(&now.plans, &now.limit);
    return now;
}
inline void cache_limit(int plans, error *failed LAYOUTGEMM_ELSE(nullptr))
{
    detail::check(lay_cache_limit(plans), failed);
}
inline void cache_clear() noexcept
{
    lay_cache_clear();
}

/* tell leaves by no exception; nullptr: the environment says again where lines go. */
inline void log(lay_log_level level, lay_log_fn *tell, void *context, error *failed LAYOUTGEMM_ELSE(nullptr))
{
    detail::check(lay_log_set(level, tell, context), failed);
}

} // namespace LAYOUTGEMM_ERRORS
} // namespace lay

#endif
