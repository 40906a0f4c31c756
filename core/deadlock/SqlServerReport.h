// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Deadlock.h"

#include <QList>
#include <QString>
#include <QStringList>

#include <functional>
#include <vector>

namespace lockscope::deadlock {

/// Without regard to case: most are spelt alike, or differ in length.
inline bool isSameName(QStringView one, QStringView other)
{
    return one.size() == other.size() && (one == other || one.compare(other, Qt::CaseInsensitive) == 0);
}

/// An element of a text that need not be well-formed.
struct XmlElement {
    QString name; ///< as written, without a namespace's prefix
    QList<std::pair<QString, QString>> attributes; ///< in the order of the text
    QString text; ///< its own, of all pieces
    std::vector<XmlElement> children;
    qsizetype begin = 0; ///< its place in the text: [begin, end)
    qsizetype end = 0;

    bool is(QStringView other) const { return isSameName(name, other); }
    /// Finds it without regard to case; a null string if it is not there.
    QString attribute(QStringView attribute) const;
    /// The first child of that name, or null.
    const XmlElement* child(QStringView requested) const;
};

/// `element` is one of those that a report stands in, with all that is in it; `mended` what was not as it
/// should be up to its end: sentences, each once.
using TakeElement = std::function<void(const XmlElement& element, const QStringList& mended)>;

/// Reads XML as SQL Server writes it, which is not always well-formed: '<', '&' and control characters in
/// values of attributes, statements with a bare '<', an end that is missing. Never fails. Gives each
/// outermost element that has one of the names to `take`, as soon as it ends, and keeps nothing else. Nothing
/// is fetched, no entity is known but the five of XML and numbers, a document type is left out. More than 200
/// levels and more than 200,000 elements of one report are left out, and that is reported. (pugixml was
/// measured: at a quote within a value, an element that does not end or a '<' in a statement it loses all
/// that follows, and what would have to mend the text before is nearly this.)
void readLenientXml(const QString& text, const QStringList& names, const TakeElement& take);

/// Returns the contents of a `<deadlock>`: participants, resources, edges, cycles, victims, complaints. Time,
/// source and raw text are the caller's.
DeadlockReport readDeadlockElement(const XmlElement& deadlock);
/// The same of a `<blocked-process-report>`.
DeadlockReport readBlockedElement(const XmlElement& blocked);

/// All reports of a text: bare, in a list, in events, in whatever else they stand. `place` is shown.
QList<ReportPtr> readSqlServerXml(const QString& text, const QString& place);

/// The text that trace flags 1222 and 1204 write to the error log, also of a viewer that lists the newest
/// line first.
QList<ReportPtr> readSqlServerLog(const QString& text, const QString& place);

/// Returns the lock, or another thing that is waited for, of an element of a resource-list.
LockedThing readLockedThing(const XmlElement& element);

/// Returns the kind of a `wait_resource` by its type in small letters, whole or cut: "key", "pag", "hobt".
ResourceKind kindOfWaitResource(const QString& type);

/// Makes the readable name of a thing from its element, table, index and part, or from its numbers.
void giveName(LockedThing& thing);

/// "2026-11-22T03:12:07.120": microseconds since 1970 as if it were UTC.
std::optional<qint64> plainTime(QStringView text);
/// "2026-11-22T03:12:07.120" and the like; nothing for what is no time, or 1900, which means none.
ReportTime readTime(const QString& text, bool isUtc);

/// Guesses the time of a report that has none: when the last batch began, by the server's own clock.
void guessTime(DeadlockReport& report);
/// Fills in Source::eventKey.
void nameEvent(DeadlockReport& report);

} // namespace lockscope::deadlock
