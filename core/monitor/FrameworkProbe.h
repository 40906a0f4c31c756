// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/db/ServerProfile.h"
#include "core/domain/Snapshot.h"
#include "core/frameworks/Recogniser.h"
#include "core/frameworks/RowLocks.h"
#include "core/frameworks/TableSearch.h"

#include <chrono>
#include <functional>

namespace lockscope::monitor {

/// The locks of frameworks as part of a poll: looks once in the server's catalogue which of their tables are
/// there, and again every few minutes while their rows are read; reads the rows, and those of attached
/// tables, in the poll's own round trip; names the keys that frameworks lock. A table that can't be read, or
/// must not be, costs only itself. Poll thread only.
class FrameworkProbe {
public:
    FrameworkProbe(db::Connection& connection, const db::ServerProfile& profile);

    /// What is to run on a new connection, before the first poll, and the results of exactly that.
    std::vector<db::BatchItem> lookRound();
    void judgeLookRound(std::span<const Result<qint64>> results);
    void setRole(const QString& role) { m_role = role; }
    /// Whether the rows of frameworks' tables are read; those of attached tables always are.
    void setReadsRows(bool reads);

    /// Adds this poll's statements.
    void addTo(std::vector<db::BatchItem>& items);
    using Ask = std::function<std::vector<Result<qint64>>(std::span<const db::BatchItem>)>;
    /// To call with the results of exactly the items that addTo added. Where one value makes the server give
    /// up on a whole table, it asks again, without the times.
    void judge(std::span<const Result<qint64>> results, Snapshot& snapshot, const Ask& ask);
    /// At the end of a poll, when its sessions, resources and time are known: adds the entries, tells whether
    /// their holders live, and whose the other locks are.
    void finish(Snapshot& snapshot, SessionsSeen seen);

private:
    using Clock = std::chrono::steady_clock;
    /// How a table is read.
    struct Reading {
        frameworks::FoundTablePtr table;
        frameworks::RowLocks rows;
        frameworks::RowLocks withoutTimes;
        std::optional<Error> badValue; ///< why it is read without times until the next look round
        std::optional<Error> pausedFor; ///< it kept us waiting, or can't be read at all …
        Clock::time_point pausedUntil; ///< … and is left alone for a while
        std::vector<frameworks::RowLock> read; ///< by this poll

        const frameworks::RowLocks& inUse() const { return badValue ? withoutTimes : rows; }
    };

    void take();
    bool isRead(const Reading& reading) const;
    bool isTimeToLookRound() const;
    db::BatchItem itemFor(Reading& reading, const frameworks::RowLocks& rows) const;
    static bool pause(Reading& reading, const Error& error);
    void judge(Reading& reading, const Error& error, Snapshot& snapshot, const Ask& ask);
    void limit(Snapshot& snapshot) const;
    Limitation failureOf(const frameworks::FoundTable& table, const Error& error) const;
    Limitation forbidden(const frameworks::FoundTable& table) const;
    void addEntries(Reading& reading, Snapshot& snapshot, SessionsSeen seen) const;

    db::Connection& m_connection;
    const db::Dialect& m_dialect;
    frameworks::TableSearch m_search;
    frameworks::Recogniser m_recogniser;
    QString m_role;
    bool m_readsRows = true;
    std::vector<Reading> m_readings;
    QList<db::AttachedTable> m_missing; ///< attached, and not there
    std::optional<Error> m_lookFailure; ///< of the last look
    bool m_hasLooked = false; ///< once without a failure: what was found then counts until it is known better
    std::chrono::seconds m_lookAfterFailure{0};
    std::vector<Reading*> m_asked; ///< per item of the poll under way that reads a table
    bool m_looks = false; ///< so does the poll under way, with its last items
    Clock::time_point m_looked;
    std::chrono::seconds m_lookAgainAfter;
};

} // namespace lockscope::monitor
