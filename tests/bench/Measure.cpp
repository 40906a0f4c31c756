// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/bench/Measure.h"

#include <QFile>

#include <algorithm>
#include <ctime>

#include <sched.h>
#include <unistd.h>

namespace lockscope::bench {

double percentile(std::vector<double> values, double share)
{
    if (values.empty())
        return std::nan("");
    const auto at = static_cast<size_t>(share * static_cast<double>(values.size() - 1) + 0.5);
    std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(at), values.end());
    return values[at];
}

Pair interleaved(int rounds, const std::function<double()>& a, const std::function<double()>& b)
{
    std::vector<double> first;
    std::vector<double> second;
    std::vector<double> ratios;
    (void)a(); // warms caches and plans
    (void)b();
    for (int round = 0; round < rounds; ++round) {
        const bool swapped = round % 2 != 0;
        double x = swapped ? 0 : a();
        const double y = b();
        if (swapped)
            x = a();
        first.push_back(x);
        second.push_back(y);
        ratios.push_back(x / y);
    }
    return {median(first), median(second), median(ratios)};
}

void pin(pid_t thread, int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<size_t>(cpu) % static_cast<size_t>(sysconf(_SC_NPROCESSORS_ONLN)), &set);
    (void)sched_setaffinity(thread, sizeof set, &set);
}

double cpuMs(pid_t process)
{
    QFile file(QStringLiteral("/proc/%1/schedstat").arg(process));
    if (!file.open(QIODevice::ReadOnly))
        return std::nan("");
    return file.readAll().split(' ').first().toDouble() / 1e6;
}

double threadCpuMs()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

} // namespace lockscope::bench
