"""Faults of layoutgemm.hpp."""

FAULTS = [
    ("an order of too few dimensions handed to C", "include/layoutgemm/desc.hpp",
     'if (!fits("dimensions in the new order", order, failed))', "if (false)"),
    ("a tensor that was moved from taken for a scalar", "include/layoutgemm/product.hpp",
     "return tensor ||", "return true ||"),
    ("storage that keeps its view when it is moved from", "include/layoutgemm/view.hpp",
     "view_(std::exchange(other.view_, {}))", "view_(other.view_)"),
    ("an error of an earlier call left where a later one succeeded", "include/layoutgemm/errors.hpp",
     "if (failed && *failed)", "if (false)"),
    ("a run with one packed operand taken for a plain one", "include/layoutgemm/plan.hpp",
     "!a.prepared && !b.prepared", "!a.prepared"),
    ("many runs of fewer addresses of B than of C", "include/layoutgemm/plan.hpp",
     '!detail::check_count("addresses of B", b.size(), c.size(), failed)', "false"),
]
