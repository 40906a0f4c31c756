// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/LockMode.h"
#include "core/domain/LockTable.h"
#include "core/domain/Resource.h"

#include <optional>

namespace lockscope::record {

/// A lock as recordings name it.
struct RecordedLock {
    QString kind; ///< resourceKindName
    QString database; ///< name; empty if shared or unknown
    QString identity; ///< what the engine knows it by; of a lock table's name the table
    QString name; ///< as shown: may change while the identity stays

    /// The table alone does not tell which of its names is meant.
    bool isLockTableName() const;
    /// A transaction's own number, which never comes again.
    bool isTransaction() const;
    /// A part of a table, by where it is stored: the same row is another one after its next change.
    bool isPartOfTable() const;
    /// What counts as one where locks are summed up: "rows of public.orders", "transactions"; else this one.
    RecordedLock group() const;
    /// The same lock has the same, whatever it is called.
    QString key() const;
    bool operator==(const RecordedLock&) const = default;
};
RecordedLock recordedLock(const Resource& resource);
RecordedLock recordedLock(const LockTableKey& key);

/// Whether one mode keeps others from having the other one, as far as the engine is known to. Rows of lock
/// tables have no modes: one holds it.
bool excludes(Engine engine, const QString& held, const QString& wanted);

/// Who held a lock or waited for it.
struct RecordedParty {
    SessionId session;
    ServerTime started; ///< of the session; invalid: of a row of a lock table, which does not say
    QString user;
    QString program;
    QString host;

    QString title() const; ///< "63 billing", as sessions are called elsewhere
    bool operator==(const RecordedParty&) const = default;
};

/// A party held a lock or waited for it; both by their numbers in the recording.
struct IntervalRow {
    qint64 resource = 0;
    qint64 party = 0;
    QString mode; ///< empty: of a lock table, or not asked for
    ServerTime from;
    bool fromExact = false; ///< else: at the latest then
    ServerTime to; ///< seen until then
    std::optional<ServerTime> gone; ///< not there any more then; nothing: nobody looked, or it goes on
};

} // namespace lockscope::record
