// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QList>
#include <QString>

#include <optional>

namespace lockscope::deadlock {

/// A line without what docker, Kubernetes, journald, syslog, mail and Markdown write before each.
struct LinePrefix {
    QString text;
    QString writer; ///< container, pod or host, as far as given
    QString time; ///< the carrier's
    bool isPiece = false; ///< syslog numbers it: it may be the next piece of a long line
};
LinePrefix withoutPrefix(const QString& line);

/// Counts the ends of lines.
qint64 countLines(QStringView text);
/// Numbers the lines of a text, from 1, for places that only grow: each character is passed once.
class LineCounter {
public:
    qint64 lineOf(QStringView text, qsizetype place)
    {
        if (place > m_counted) {
            m_line += countLines(text.mid(m_counted, place - m_counted));
            m_counted = place;
        }
        return m_line;
    }

private:
    qsizetype m_counted = 0;
    qint64 m_line = 1;
};
/// Returns whether "03:12:07" stands near the begin of a line that no blank begins: then it begins a message.
bool hasClock(QStringView line);

/// The beginning that grep -n and -A give each line: the name of the file, if there are several, and a
/// number.
struct GrepForm {
    QString name;
    bool hasNumbers = false;
};

/// Returns the separator behind `name` and the number; -1: the line has none.
qsizetype endOfGrepPrefix(QStringView line, const GrepForm& form);

/// A line of a report and the one below it tell: their numbers follow each other, or the name stands before
/// the tab that continues a message.
std::optional<GrepForm> grepFormOf(const QString& text);

/// A line with its log_line_prefix: the text before the first label, "ERROR:  " in any language. Statements
/// and messages come after the first label, so that labels within them are none.
struct Labelled {
    QString prefix;
    QString label;
    qsizetype text = 0; ///< the start of the text behind the label
};
/// As PostgreSQL writes it: two blanks follow the label.
std::optional<Labelled> labelOf(QStringView line);

/// The parts of a message, as its server, or a client that passes it on, names them.
enum class PartKind : quint8 {
    None,
    Error,
    Log, ///< LOG
    Remark, ///< WARNING, NOTICE, INFO, DEBUG, also as programs call their own lines
    Detail,
    Hint,
    Context,
    Statement,
};
/// Returns the kind of a label, by PostgreSQL's own translations and their older spellings.
PartKind partKindOf(QStringView label);
struct MessagePart {
    PartKind kind = PartKind::None;
    qsizetype label = 0; ///< its start in the line
    qsizetype text = 0; ///< the start of the text behind the label
    bool isServers = false; ///< two blanks follow it
};
/// Returns the first part that a line begins or names: "DETAIL:  ", "  Detail: " (JDBC, .NET), "Where: ",
/// "[SQL: ". However many blanks follow, and whatever stands before it.
MessagePart partOf(QStringView line);

/// Returns whether prefixes are of one session: they may differ in their line numbers (%l) only.
bool isOfOneEntry(const QString& one, const QString& other);

/// A line as its server or client wrote it, without what a carrier put around it.
struct CarriedLine {
    QString text;
    qint64 number = 0; ///< of the line of the source in which it stands, from 1
    int entry = 0; ///< of the carrier to which it belongs: one record or object, which may have several lines
    QString time{}; ///< the carrier's, in its own words; empty: it gives none
    bool begins = false; ///< the carrier says that a message begins here
};
/// Lines of one writer in the order of the source: a container, a host, a field of JSON.
using CarriedText = QList<CarriedLine>;

/// Undoes what carries reports of deadlocks from where they were written to where they are read: JSON and CSV
/// of log services, text that was escaped for JSON or HTML, what docker compose, kubectl, stern, journald and
/// syslog and grep write before each line, quotes of mail and Markdown. In combinations, up to four levels of
/// one in another. Lines of different writers are told apart; those of a service that shows the newest first
/// are put in order. Never fails: what is none of it stays as it is. Linear in time and memory.
QList<CarriedText> unwrapped(const QString& text);

/// Returns whether a text is records of fields with commas or tabs between them, some in quotes.
bool isCsv(const QString& text);

/// "INSERT INTO t VALUES ('it''s": a statement begins in the line and a quoted text in it is still open.
bool isOpenStatement(QStringView line);

} // namespace lockscope::deadlock
