// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

#include <optional>

namespace lockscope::deadlock {

/// A line with its log_line_prefix: the text before the first label, "ERROR:  " in any language. Statements
/// and messages come after the first label, so that labels within them are none.
struct Labelled {
    QString prefix;
    QString label;
    qsizetype text = 0; ///< the start of the text behind the label
};
/// As PostgreSQL writes it: two blanks follow the label.
std::optional<Labelled> labelOf(QStringView line);

/// By PostgreSQL's own translations, and their older spellings.
bool isContext(const QString& label);
bool isStatement(const QString& label);
/// An error's, a warning's or the like; false of LOG, and of labels that are not known.
bool isErrorOrRemark(const QString& label);

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
