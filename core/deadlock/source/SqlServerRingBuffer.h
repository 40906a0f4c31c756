// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/source/ReportIntake.h"
#include "core/deadlock/source/SqlServerQuestions.h"

#include <QSet>

namespace lockscope::deadlock {

/// The contents of one session's ring buffer. The server always gives it as a whole, which costs it some 100
/// ms however little it is, and as XML of at most 4 MB, of which then the end is missing. Of one thread.
class SqlServerRingBuffer {
public:
    SqlServerRingBuffer(QString session, bool isAzureDatabase)
        : m_session(std::move(session))
        , m_isAzureDatabase(isAzureDatabase)
    {
    }

    /// Takes reports that were not there the last time. False: it can't be read, which is noted in `poll`; an
    /// error is fatal, or a right is missing.
    Result<bool> read(
        SqlServerQuestions& questions, const QString& place, ReportIntake& intake, SourcePoll& poll);
    /// The sentences of the last reading, for polls that leave it out.
    const QStringList& limits() const { return m_limits; }

private:
    void take(const QString& content, const QString& place, ReportIntake& intake, SourcePoll& poll);

    const QString m_session;
    const bool m_isAzureDatabase;
    QSet<QByteArray> m_before; ///< hashes of the events that were there the last time
    QStringList m_limits;
    bool m_isBegun = false;
};

} // namespace lockscope::deadlock
