// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/db/ServerProfile.h"
#include "core/domain/Snapshot.h"
#include "core/frameworks/Recogniser.h"
#include "core/frameworks/RowLocks.h"
#include "core/frameworks/TableReads.h"
#include "core/frameworks/TableSearch.h"

#include <QHash>

#include <chrono>
#include <functional>
#include <map>
#include <span>
#include <stop_token>

namespace lockscope::monitor {

/// Remembers from poll to poll how the locks in the rows of one table behave: when they were taken, how often
/// they are renewed, in which zone their program writes, and whether the sessions that held them have ended.
/// As old as its connection: rows are not watched any more after a restart of the server or of ours. A
/// program's zone, once learnt, counts for its holder alone; the end of a session only if the polls before it
/// followed closely, and if the row states when it was taken: else it may be another lock by now. For each
/// poll: begin, for each row addTo and note, end. Poll thread only.
class HolderWatch {
public:
    /// `isComplete`: these are all locks of the table. `configuredZone`: the zone that the user set.
    void begin(const std::vector<frameworks::RowLock>& rows, bool isComplete,
        const std::optional<QTimeZone>& configuredZone, ServerTime now);
    /// To be called before its times without a zone are read. Nothing is concluded of a session that is not
    /// among them unless these are all sessions.
    void addTo(frameworks::RowLock& row, std::span<const Session> sessions, bool areAll);
    /// To be called after it was judged: notes which sessions hold it.
    void note(const frameworks::RowLock& row, const HolderJudgement& judged);
    void end(ServerTime now);

    /// Returns the zone of the row's times: as its own digits prove, as set for this server, or as it was
    /// seen of the row or of its holder.
    frameworks::ProgramZone zoneOf(const frameworks::RowLock& row) const;

private:
    struct Tied {
        SessionKey key;
        EndedHolder as; ///< as it was seen last
    };
    /// A lock in a row, from its taking to its end.
    struct Held {
        std::optional<PossibleTime> taken; ///< if it was not there yet when the table was read before
        std::optional<qint64> heartbeat; ///< microseconds of whatever clock
        int renewals = 0;
        milliseconds longest{0};
        frameworks::ProgramZone zone; ///< as seen of this row
        ServerTime watched; ///< when it was last compared with all sessions
        std::vector<Tied> tied;
        std::vector<EndedHolder> ended;
        quint64 poll = 0; ///< that showed it last
    };

    /// The zone of the programs that write one holder's name.
    struct HolderZone {
        frameworks::ProgramZone seen;
        bool areSeveral = false;
    };

    static QString keyOf(const frameworks::RowLock& row);
    /// Returns an empty text where the row names nobody.
    static QString holderOf(const frameworks::RowLock& row)
    {
        return row.signs.holderText.isEmpty() ? row.signs.process : row.signs.holderText;
    }
    void noteZone(Held& held, const frameworks::RowLock& row, frameworks::ZonelessTime written);
    void noteRenewal(Held& held, const frameworks::RowLock& row);
    void noteEnds(Held& held, std::span<const Session> sessions) const;

    QHash<QString, Held> m_held; ///< by keyOf
    QHash<QString, int> m_counts; ///< rows of this poll with the same key: of those nothing is learnt
    bool m_isComplete = false;
    bool m_isAnyListed = false; ///< a process of any row
    ServerTime m_now;
    ServerTime m_before; ///< of the poll before, if that read the whole table; else invalid
    quint64 m_poll = 0;
    std::optional<QTimeZone> m_configuredZone;
    QHash<QString, HolderZone> m_zones; ///< by holderOf
    QHash<QString, frameworks::ProgramZone> m_bounds; ///< by holderOf: what this poll's rows leave possible
    /// The longest time between two signs of life, once two renewals of a row were seen.
    std::optional<milliseconds> m_renewedEvery;
};

/// The locks of frameworks as part of a poll: searches the server's catalogue once for which of their tables
/// are there, and again after 5 s, then ever more rarely, while their rows are read; reads the rows, and
/// those of attached tables, in the poll's own round trip; names the keys that frameworks lock. A table that
/// can't be read, or must not be, costs only itself. Poll thread only.
class FrameworkProbe {
public:
    FrameworkProbe(db::Connection& connection, const db::ServerProfile& profile,
        const frameworks::CataloguePtr& catalogue = frameworks::catalogue());

    /// Returns the statements to run on a new connection, before the first poll; their results go to
    /// judgeSearch().
    std::vector<db::BatchItem> catalogueSearch();
    void judgeSearch(std::span<const Result<qint64>> results, const std::stop_token& stop = {});
    void setRole(const QString& role) { m_role = role; }
    /// Sets whether the rows of frameworks' tables are read; those of attached tables always are.
    void setReadsRows(bool reads);
    /// The connection's role is one that nobody gains anything by: see TableSearch.
    void setByReader(bool byReader) { m_search.setByReader(byReader); }

    bool isSearchDue() const; ///< with the next poll
    /// Adds this poll's statements.
    void addTo(std::vector<db::BatchItem>& items);
    using Ask = std::function<std::vector<Result<qint64>>(std::span<const db::BatchItem>)>;
    /// To call with the results of exactly the items that addTo added. Where one value makes the server give
    /// up on a whole table, it asks again, without the times.
    void judge(std::span<const Result<qint64>> results, Snapshot& snapshot, const Ask& ask,
        const std::stop_token& stop = {});
    /// To call at the end of a poll, when its sessions, resources and time are known: adds the entries, finds
    /// out whether their holders live, and which frameworks the other locks belong to.
    void finish(Snapshot& snapshot, SessionsSeen seen);

private:
    using Clock = std::chrono::steady_clock;
    /// The way in which a table is read.
    struct Reading {
        Reading(const db::Dialect& dialect, const frameworks::FoundTablePtr& table)
            : read(dialect, table)
        {
        }

        frameworks::TableRead read;
        bool wasRead = false; ///< by this poll, so that `read` has all that there is
        std::optional<Error> pausedFor; ///< it is locked, or can't be read at all …
        Clock::time_point pausedUntil; ///< … and is left alone for a while

        const frameworks::FoundTable& table() const { return *read.table; }
    };

    void take();
    bool isRead(const Reading& reading) const
    {
        return (reading.table().isAttached || m_readsRows)
            && reading.table().access == frameworks::FoundTable::Access::Readable;
    }
    void judge(Reading& reading, Snapshot& snapshot);
    void judgeAgain(std::span<const Result<qint64>> results, const std::stop_token& stop);
    void limit(Snapshot& snapshot) const;
    void limitUnread(Snapshot& snapshot) const;
    void limitRows(const Reading& reading, Snapshot& snapshot) const;
    Limitation failureOf(const frameworks::FoundTable& table, const Error& error) const;
    Limitation forbidden(const frameworks::FoundTable& table) const;
    QHash<quint64, SessionId> heldKeys(const Snapshot& snapshot) const;
    void addEntries(Reading& reading, Snapshot& snapshot, SessionsSeen seen);

    db::Connection& m_connection;
    const db::Dialect& m_dialect;
    frameworks::TableSearch m_search;
    frameworks::TableReads m_reads;
    frameworks::Recogniser m_recogniser;
    QString m_role;
    const qsizetype m_maxTables; ///< of frameworks, read by one poll; 0: none is read or mentioned
    bool m_readsRows;
    std::vector<Reading> m_readings;
    const QList<db::FrameworkSetting> m_settings;
    QHash<quint64, SessionId> m_heldKeys; ///< of this poll, if holders have some
    QString m_database;
    std::map<QString, HolderWatch> m_watches; ///< by table and lock; as old as this connection
    QList<db::AttachedTable> m_missing; ///< attached, and not there
    std::optional<Error> m_searchFailure; ///< of the last search
    bool m_hasSearched =
        false; ///< once without a failure: what was found then counts until it is known better
    std::chrono::seconds m_searchAfterFailure{0};
    std::vector<Reading*> m_asked; ///< by the poll under way
    qsizetype m_unasked = 0; ///< tables beyond m_maxTables
    bool m_hasChanged = false; ///< a table is not what was judged
    bool m_isSearching = false; ///< so does the poll under way, with its last items
    Clock::time_point m_searchedAt;
    std::chrono::seconds m_searchAgainAfter;
};

} // namespace lockscope::monitor
