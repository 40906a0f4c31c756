// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/base/ServerTime.h"
#include "core/deadlock/Deadlock.h"

#include <QList>
#include <QString>

/// Events that follow from snapshots and from a server's own records, and what is kept beside them.
namespace lockscope::alert {

/// Something that happened.
struct Event {
    enum class Kind : quint8 {
        Failure,
        Gap,
        Act,
        Deadlock,
        Alert,
        Note, ///< of Lockscope's own
        Mark, ///< a person's or another program's note: "deploy 4.2"; see RecordingNotes.h
    };
    ServerTime at;
    Kind kind = Kind::Note;
    QString what; ///< a sentence
    QString detail{}; ///< JSON, or empty
    QString sourceKey{}; ///< its identity at the source: recorded once; empty: always
    bool isOfReader = false; ///< not recorded: a reader says by it what is missing among the others
};
QString eventKindName(Event::Kind kind); ///< "failure" …

/// A range that is kept beyond what is kept else.
struct Pin {
    ServerTime from;
    ServerTime to;
    QString why;
    qint64 number = 0; ///< in the recording
};

/// A server's own report of a deadlock, or of a wait above its threshold, in its words. It is recorded beside
/// its event, whose source key ends in the same key.
struct RecordedReport {
    ServerTime at; ///< when it happened; or when it was read, if it does not tell that
    QString origin; ///< its place on the server, "event files of system_health"
    QString raw; ///< its text
    QString key; ///< equal for the same event, wherever it was read from

    bool operator==(const RecordedReport&) const = default;
};

/// Reads its text as deadlock::readReports does; where the text has no time of its own, the recorded one
/// counts. Empty, if there is no report in it. Pure; any thread.
Result<QList<deadlock::ReportPtr>> reportsOf(const RecordedReport& report);

} // namespace lockscope::alert
