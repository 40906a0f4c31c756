// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

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

} // namespace lockscope::deadlock
