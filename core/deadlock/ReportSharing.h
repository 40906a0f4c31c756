// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Deadlock.h"

#include <array>

namespace lockscope::deadlock {

/// Lets the reports of a large file share what they have in common: names, statements, lists of waits, and
/// the blocks in which their own texts are packed. One thread.
class ReportSharing {
public:
    /// `linesBefore`: of the file, before the text in which its position counts.
    ReportPtr shared(const ReportPtr& report, qint64 linesBefore);
    void pack() { m_texts.pack(); } ///< after the last one

private:
    void share(QString& text);
    void share(Participant& one, const QList<StackFrame>& last);
    void share(LockedThing& thing, const QList<std::pair<QString, QString>>& last);

    std::array<QString, 4096> m_recent; ///< texts, by their hashes: those that come often stay
    ReportPtr m_last;
    QString m_lastRaw;
    RawText m_lastShared;
    RawTexts m_texts;
};

} // namespace lockscope::deadlock
