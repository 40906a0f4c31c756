// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QJsonArray>
#include <QString>

#include <optional>
#include <vector>

namespace lockscope::bench {

/// What a number is held against. Ratios are against something measured in the same run.
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

/// The results, printed as they come in.
class Report {
public:
    void section(const QString& title);
    void add(const QString& what, double value, const QString& unit, std::optional<Target> target = {},
        const QString& note = {});
    /// A measurement that could not be made, and why.
    void skip(const QString& what, const QString& why);

    bool writeJson(const QString& path) const;
    int missed() const { return m_missed; }
    int met() const { return m_met; }

private:
    QString m_section;
    QJsonArray m_rows;
    int m_met = 0;
    int m_missed = 0;
};

} // namespace lockscope::bench
