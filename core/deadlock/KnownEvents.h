// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Deadlock.h"

#include <QHash>
#include <QSet>

namespace lockscope::deadlock {

/// Which events were told already. The same event has the same key wherever it was read; PostgreSQL writes
/// one event to stderr, csvlog and jsonlog in different words, though: there it is the same where second,
/// sessions and statements agree. A value; one thread.
class KnownEvents {
public:
    /// False: it was told before, in this form or another one. Remembers it.
    bool isNew(const Report& report);
    /// It was told before in the same form.
    bool has(const Report& report) const { return m_keys.contains(report.source.eventKey); }
    /// It may come anew, in this form.
    void forget(const Report& report) { m_keys.remove(report.source.eventKey); }
    void clear();

private:
    struct Told {
        int events = 0;
        QHash<int, int> byFormat; ///< how many of each form were read
    };
    QSet<QString> m_keys;
    /// By second, sessions and statements, of which only a hash is kept: statements may be megabytes long.
    /// The same ones may meet twice in one second: in each form that many lines tell of it.
    QHash<QByteArray, Told> m_postgres;
};

} // namespace lockscope::deadlock
