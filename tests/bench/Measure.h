// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <vector>

#include <sys/types.h>

namespace lockscope::bench {

using Clock = std::chrono::steady_clock;

inline double millisecondsSince(Clock::time_point start)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// `share` of the values are not larger: 0.5 is the median.
double percentile(std::vector<double> values, double share);
inline double median(std::vector<double> values)
{
    return percentile(std::move(values), 0.5);
}

struct Pair {
    double first = 0; ///< medians
    double second = 0;
    double ratio = 0; ///< median of the ratios first/second of neighbouring runs
};
/// Runs A B B A A B …, so that whatever drifts hits both alike. Each returns what it measured.
Pair interleaved(int rounds, const std::function<double()>& a, const std::function<double()>& b);

/// Binds a thread (0 = the calling one) or process to one CPU. Does nothing where that is not allowed.
void pin(pid_t thread, int cpu);

/// Returns the CPU time that a process has used so far. Unlike elapsed time, it does not grow with the load
/// of the machine.
double cpuMs(pid_t process);
double threadCpuMs(); ///< what this thread has

/// A benchmark that can't go on has no result worth printing.
template <class T> T orDie(Result<T> result)
{
    if (!result) {
        std::fprintf(stderr, "lockscope-bench: %s\n", qUtf8Printable(result.error().toString()));
        std::exit(1);
    }
    if constexpr (!std::is_void_v<T>)
        return std::move(*result);
}

} // namespace lockscope::bench
