// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"

#include <QHash>
#include <QList>
#include <QStringList>

#include <optional>

namespace lockscope::deadlock {

/// Adds up a server's own counters from the first time on. A counter that fell back, or says that it was
/// reset, counts from zero again: nothing is subtracted, and the sum is a lower bound from then on.
class DeadlockCounter {
public:
    struct Value {
        qint64 key = 0; ///< which counter: a database
        QString name; ///< for sentences: "database shop"
        qint64 total = 0;
        std::optional<ServerTime> resetAt{}; ///< by the server's own word
    };
    /// All counters there are now. One that was not there before counts from zero: its database is new.
    void take(const QList<Value>& values);

    bool isKnown() const { return m_isKnown; }
    qint64 counted() const { return m_counted; } ///< since the first take()
    bool isAtLeast() const { return !m_resets.isEmpty(); }
    QStringList resets() const; ///< sentences, one for each counter that was reset

private:
    bool m_isKnown = false;
    qint64 m_counted = 0;
    QHash<qint64, Value> m_last;
    QHash<qint64, QString> m_resets;
};

} // namespace lockscope::deadlock
