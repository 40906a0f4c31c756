// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/LockMode.h"
#include "core/domain/LockTable.h"
#include "core/domain/Resource.h"
#include "core/report/Report.h"

#include <optional>
#include <variant>

namespace lockscope::record {

/// A lock as recordings name it.
struct RecordedLock {
    QString kind; ///< resourceKindName
    QString database; ///< name; empty if shared or unknown
    QString identity{}; ///< the engine's key; of a lock table's name the table
    QString name; ///< as shown: may change while the identity stays

    /// The table alone does not show which of its names is meant.
    bool isLockTableName() const;
    /// A transaction's own number, which never comes again.
    bool isTransaction() const;
    /// A part of a table, by where it is stored: the same row is another one after its next change.
    bool isPartOfTable() const;
    /// Returns the lock as which it is summed up: "public.orders rows", "transactions"; else itself.
    RecordedLock group() const;
    /// The table that it is, or is a part of, as it is called; empty: it has to do with none that is known.
    QString table() const;
    /// The same lock has the same, whatever it is called.
    QString key() const;
    bool operator==(const RecordedLock&) const = default;
};
RecordedLock recordedLock(const Resource& resource);
RecordedLock recordedLock(const LockTableKey& key);

/// Returns whether one mode keeps others from having the other one, as far as the engine is known to. Rows of
/// lock tables have no modes: one holds it.
bool excludes(Engine engine, const QString& held, const QString& requested);

/// A session that held a lock or waited for it.
struct RecordedParty {
    SessionId session;
    ServerTime started; ///< of the session; invalid: of a row of a lock table, which does not say
    QString user;
    QString program;
    QString host;

    QString title() const; ///< "63 billing", as sessions are called elsewhere
    bool operator==(const RecordedParty&) const = default;
};

/// The certainty of an interval: a lock that was seen at two polls may not have lasted from one to the next.
struct Sightings {
    qint64 seen = 0; ///< at so many polls; 0: not known
    qint64 polls = 0; ///< that were made from its beginning to where it was seen last
    bool proven = true; ///< a transaction, lease or the like proves that it lasted all that time

    bool operator==(const Sightings&) const = default;
    /// "5 of 7"; empty: not known.
    QString toString() const;
};
Sightings sightingsOf(qint64 polls, qint64 doubt); ///< as a recording stores them
qint64 doubtOf(const Sightings& sightings);

/// A party held a lock or waited for it; both by their numbers in the recording.
struct IntervalRow {
    qint64 resource = 0;
    qint64 party = 0;
    QString mode; ///< empty: of a lock table, or not asked for
    ServerTime from;
    bool fromExact = false; ///< else: at the latest then
    ServerTime to; ///< seen until then
    std::optional<ServerTime> gone; ///< not there any more then; nothing: not recorded, or it goes on
    Sightings sightings{};
    qint64 statement = 0; ///< text of the family of what its session ran when it was seen first; 0: not known
};

/// A session that was recorded; with the time of its beginning it is this one and no later one.
struct RecordedSession {
    SessionId id;
    ServerTime started;
    bool operator==(const RecordedSession&) const = default;
};
/// A lock or a session that has a history.
using BiographySubject = std::variant<RecordedLock, RecordedSession>;

/// Returns the subject of a row of a report, if that has a history.
inline std::optional<BiographySubject> subjectOf(const report::ReportRow& row)
{
    const auto* subject = std::any_cast<BiographySubject>(&row.about);
    return subject ? std::optional(*subject) : std::nullopt;
}

} // namespace lockscope::record
