// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/RangeReport.h"
#include "core/record/RecordedLock.h"
#include "core/report/Report.h"

#include <optional>

namespace lockscope::record {

/// A lock went from one to another.
struct HandOver {
    ServerTime at; ///< when the new holder had it, as far as that is known
    std::optional<qsizetype> from; ///< its line in the biography; nothing: who had it before was not seen
    qsizetype to = 0;
    std::optional<qsizetype> wait; ///< of the new holder; nothing: it was not seen to wait
};

/// The recorded history of one lock, or of one session, in a range of time.
struct Biography {
    BiographySubject subject;
    QString title; ///< "public.orders", "63 billing"
    QString kind; ///< of a lock: "table"
    ServerTime from;
    ServerTime to; ///< earlier than asked for if there was too much: `isCut`
    bool isCut = false;
    QList<HistoryLine> lines; ///< by when they began; those that reach beyond the ends are whole
    QList<HandOver> handOvers; ///< of a lock, by time
    Coverage coverage;

    static constexpr qint64 maxLines = 5'000;
};

/// Reads the history in that range; less if it is more than `maxLines`.
Result<Biography> biography(
    RecordingReader& reader, const BiographySubject& subject, ServerTime from, ServerTime to);

/// The names that a user means: the one that is shown so, or those that match a pattern ("%orders%").
/// MissingObject: there is none in the recording; the hint has similar ones. BadInput: the pattern matches
/// more than `maxNames`.
Result<QStringList> lockNamesMeant(RecordingReader& reader, const QString& written);
inline constexpr qsizetype maxNames = 100;
/// The session that had this number last by `around`. MissingObject: none had.
Result<RecordedSession> theSession(RecordingReader& reader, SessionId id, ServerTime around);

/// "63 billing held it, AccessExclusiveLock, from 12:04:31 at the latest until 12:04:40 at least": for lists
/// and tooltips.
QString describe(const HistoryLine& line, const BiographySubject& subject);
/// The time at which a line of what is known from `from` on is best seen: of a wait the last that saw it,
/// else the one at which it began to be held.
ServerTime timeOfLine(const HistoryLine& line, ServerTime from);
/// "≥ 0:41": how long it lasted at least, as far as something proves it.
Age lengthOf(const HistoryLine& line);

/// The columns of a list of history lines for people; programs get all of them.
struct HistoryColumns {
    bool ofSession = false; ///< all are of one session
    bool hasNames = false; ///< of several locks: which one
    bool hasKinds = false; ///< of locks with the same name
};
/// Returns the section without rows.
report::Section historySection(const HistoryColumns& columns);
/// A row of it; about the session of a lock's history, or the lock of a session's. `from`: of the range.
report::ReportRow historyRow(const HistoryLine& line, bool ofSession, ServerTime from);
report::Report toReport(const Biography& biography);

} // namespace lockscope::record
