// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QList>
#include <QString>

namespace lockscope::deadlock {

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
