// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <QString>

#include <optional>
#include <vector>

namespace lockscope::bench {

/// The yardstick of a number. Ratios are against something measured in the same run.
struct Target {
    enum class Bound { AtLeast, AtMost };
    Bound bound;
    double limit;

    bool isMetBy(double value) const { return bound == Bound::AtLeast ? value >= limit : value <= limit; }
};
inline Target atLeast(double limit)
{
    return {Target::Bound::AtLeast, limit};
}
inline Target atMost(double limit)
{
    return {Target::Bound::AtMost, limit};
}

/// The results, printed as they come in. Several measurements of one thing are one result with a spread.
class Report {
public:
    void section(const QString& title);
    void add(const QString& what, double value, const QString& unit, std::optional<Target> target = {},
        const QString& note = {});
    /// A measurement that could not be made, and why.
    void skip(const QString& what, const QString& why);

    Result<void> writeJson(const QString& path) const;
    /// Prints each result beside that of a file which writeJson() wrote on the same machine. They differ if
    /// their spreads do not touch: with one run each there is none, and nothing can be said of small
    /// differences.
    Result<void> compareWith(const QString& path) const;
    /// Prints a table of all that has a goal: what, measured (median, least to most), goal, met or not.
    void printGoals() const;
    /// Returns the number of targets that the medians miss.
    int missed() const;
    int met() const;

private:
    struct Measured {
        QString section;
        QString what;
        QString unit;
        std::vector<double> values; ///< of each run; none: skipped
        std::optional<Target> target;
        QString note; ///< of the last run, or why it was skipped
    };
    Measured& measured(const QString& what);

    QString m_section;
    std::vector<Measured> m_all;
};

} // namespace lockscope::bench
