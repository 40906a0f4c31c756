// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/RecordedLock.h"
#include "core/record/RecordingReader.h"
#include "core/report/Report.h"

#include <optional>

namespace lockscope::record {

/// A text that a recording has, with when it was seen first and last.
struct FoundText {
    enum class Kind : quint8 { Statement, Lock, User, Program, Host, Database, Event, Other };
    Kind kind = Kind::Other;
    QString what; ///< "statement"; of a lock its kind, "table", of an event too,
                  ///< "note"
    QString text; ///< statements that differ by their values only are one, with a
                  ///< ? in place of each
    ServerTime first;
    bool firstExact = true; ///< false: earlier snapshots, which may have had it, were dropped
    ServerTime last;
    bool lastExact = true; ///< false: it was seen then, and perhaps in the minute after
    std::optional<RecordedLock> lock{}; ///< that has a history
};

struct FoundTexts {
    QList<FoundText> all; ///< by kind, and then those that were seen last first
    bool isCut = false; ///< there are more
};
/// Returns the section without rows; `hasFiles`: rows say in which recording it is.
report::Section foundSection(bool hasFiles);
report::ReportRow foundRow(const FoundText& found, const QString& file = {});

/// Finds what has `text` in it, in whatever case, in a recording: statements,
/// locks and tables, users, programs, hosts, databases, events. "%" in it
/// stands for any text, "\" takes the next character as it is. Of statements
/// with values it finds what they have in common, and the values of the first
/// one of its form only; numbers of transactions are not searched. BadInput:
/// there is no text. Unsupported: the recording is one of a history. Blocks for
/// the disk, less than a second for a week.
Result<FoundTexts> searchRecording(RecordingReader& reader, const QString& text, qsizetype maxCount);

} // namespace lockscope::record
