// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/deadlock/Deadlock.h"

#include <QByteArray>
#include <QList>
#include <QSet>
#include <QString>
#include <QStringDecoder>

#include <optional>

class QIODevice;

namespace lockscope::deadlock {

/// A line that speaks of a deadlock, of which no report could be read.
struct Mention {
    qint64 line = 0; ///< of the file, from 1
    QString text{}; ///< of the line, cut
    QString why; ///< no report was read of it: a sentence
    QString where{}; ///< the report is to be found: a sentence; empty: there is none

    bool operator==(const Mention&) const = default;
};

/// Returns whether the line is PostgreSQL's message, in any of the languages of its server, or a client's of
/// it.
bool isDeadlockMessage(const QString& line);

/// Returns the lines of `text` that speak of a deadlock, at most `maxMentions`. Those of `quoted` are a
/// statement's; so is in csvlog what has no code of a deadlock. Lines count from 1.
QList<Mention> mentionsIn(const QString& text, const QSet<qint64>& quoted, bool isCsvlog);
inline constexpr qsizetype maxMentions = 1'000;

/// The first part of a text, to be read by itself.
struct PieceCut {
    qsizetype size = 0; ///< 0: no place to cut was found
    bool isWhole = false; ///< no report can go on behind it
};
/// Finds where to cut a text that goes on: behind a line; behind a record of CSV; in a text without lines
/// behind an element of XML or an object of JSON.
PieceCut cutOf(const QString& text);

enum class TextEnd : quint8 { Whole, Torn };
struct PieceRead {
    QList<ReportPtr> reports;
    QList<Mention> mentions;
    /// Characters that need not be read again: a report near a torn end is left for the next piece. 0:
    /// nothing of it is whole.
    qsizetype consumed = 0;
};
/// Reads a piece of a file in whatever form it is. Lines count from 1 in the piece.
PieceRead readPieceOf(const QString& text, const QString& place, TextEnd end);

/// Decodes a file of text in blocks: UTF-8, UTF-16 with a mark or without; bytes that are no UTF-8 stay
/// visible, as textFromUtf8() shows them.
class TextDecoder {
public:
    explicit TextDecoder(QString place)
        : m_place(std::move(place))
    {
    }

    /// BadInput if the first block is no text.
    Result<QString> decode(const QByteArray& block);
    QString rest() { return utf8(std::exchange(m_open, {})); } ///< a character that the end has cut

private:
    QString utf8(const QByteArray& bytes);

    QString m_place;
    bool m_isBegun = false;
    std::optional<QStringDecoder> m_utf16;
    QByteArray m_open; ///< the first bytes of a character of UTF-8
};

/// Above this a file is refused, unpacked: 256 MB.
inline constexpr qint64 maxFileBytes = 256LL * 1024 * 1024;
/// More of one file are left out, so that memory has a bound; likewise more participants and locks.
inline constexpr qsizetype maxReportsOfFile = 100'000;

/// All that a file tells of deadlocks.
struct ReportsRead {
    QList<ReportPtr> reports; ///< in the order of the file; an event that comes twice comes once
    QList<Mention> mentions; ///< lines that speak of deadlocks, of which no report could be read
    bool isCut = false; ///< it has more reports, or participants and locks in them, than are read
};

/// Reads all reports that stand in a text, packed by gzip or not, whatever its form: .xdl and other XML of
/// SQL Server (UTF-8, UTF-16 with a mark or without), text of its error log, PostgreSQL's log (stderr with
/// any prefix, csvlog, jsonlog), messages of clients, and all of these as other programs pass them on
/// (LinePrefix.h). Found by what is in it, not by its name. Read in pieces: memory grows with the reports,
/// not with the text. BadInput if it is no text. `place` is what is shown of where it comes from. Nothing in
/// it is executed or fetched. Any thread.
Result<ReportsRead> readFrom(QIODevice& device, const QString& place);
/// The same of a file. BadInput if it can't be read, is too large, or is no regular file: a pipe is read for
/// as long as somebody may write into it.
Result<ReportsRead> readReportFile(const QString& path);
/// The same, of bytes that are at hand, without the mentions.
Result<QList<ReportPtr>> readReports(const QByteArray& bytes, const QString& place);

/// Says which lines speak of deadlocks of which no report could be read, why, and where it is; and that the
/// file has more than was read. Empty: there are none.
QStringList sentencesOf(const ReportsRead& read);

/// Says how much of a file that is cut was read.
QString cutSentence(const ReportsRead& read);

/// Answers people's first question: "3 deadlocks in 2 reports", "no deadlock".
QString countText(const QList<ReportPtr>& reports);

} // namespace lockscope::deadlock
