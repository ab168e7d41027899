/* layoutgemm.hpp - layoutgemm.h for C++17: owners instead of pointers, typed views, errors that nobody can overlook.
 *
 *     std::vector<float> a(6, 1), b(6, 1), c(4);
 *     lay::gemm(1, lay::row_major(a.data(), 2, 3), lay::row_major(b.data(), 3, 2), 0, lay::row_major(c.data(), 2, 2));
 *
 * In the order of layoutgemm.h, which has the whole contract; what is not here is called by its name in C.
 *
 * Errors. A call that fails throws lay::error, which has the library's status and sentence. Its last argument, an
 * error of the caller's, takes the error instead: then nothing is thrown, and what was to be made is empty. A call that
 * succeeds clears it. Compiled with -fno-exceptions that argument is required, and so are the options before it.
 *
 * Empty objects (made so, moved from, or of a call that failed) may be assigned to, asked and destroyed. Every other
 * call refuses them with a sentence. */
#ifndef LAYOUTGEMM_HPP
#define LAYOUTGEMM_HPP

#include "layoutgemm/desc.hpp"
#include "layoutgemm/elements.hpp"
#include "layoutgemm/errors.hpp"
#include "layoutgemm/plan.hpp"
#include "layoutgemm/product.hpp"
#include "layoutgemm/tuning.hpp"
#include "layoutgemm/view.hpp"

#endif
