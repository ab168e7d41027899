/* Claims of a test program, told in TAP. */
#ifndef TESTS_CXX_TAP_HPP
#define TESTS_CXX_TAP_HPP

#include <cstdio>
#include <layoutgemm.hpp>
#include <string>

namespace tap
{
inline int claims = 0, wrong = 0;

inline void claim(bool is_true, const char *sentence)
{
    std::printf("%s %d - %s\n", is_true ? "ok" : "not ok", ++claims, sentence);
    wrong += !is_true;
}

/* The error has this status and these words. */
inline void refused(const lay::error &failed, lay_status status, const char *words, const char *sentence)
{
    const bool is_it = failed.status() == status && std::string(failed.what()).find(words) != std::string::npos;
    if (!is_it)
        std::printf("# %s: %s\n", lay_status_name(failed.status()), failed.what());
    claim(is_it, sentence);
}

inline int done()
{
    std::printf("1..%d\n", claims);
    return wrong != 0;
}
} // namespace tap

#endif
