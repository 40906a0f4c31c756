// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/sqlite/SqliteHandle.h"
#include "core/record/Store.h"

#include <QStringList>

#include <chrono>
#include <functional>
#include <memory>

namespace lockscope::record {

/// One connection to a recording's file. One thread.
class Database final : public Store {
public:
    enum class Mode {
        Write, ///< makes the file, mode 0600, if it is not there; refuses what others may write to, and links
        Read, ///< never writes, also not what a crash has left to be done; no question takes over a minute
    };
    /// `what` it is, for messages: "recording".
    static Result<std::unique_ptr<Database>> open(
        const QString& path, Mode mode, const QString& what = QStringLiteral("recording"));
    Q_DISABLE_COPY_MOVE(Database)

    Result<void> run(
        const char* name, std::initializer_list<Value> values = {}, const Sink& each = {}) override;
    Result<void> beginReading() override { return script("BEGIN"); }
    void endReading() override { static_cast<void>(script("COMMIT")); }
    /// Leaves a mark of damage for the file's writer if the file is only read.
    void noteDamage(const Error& damage) override;
    /// A whole script of schema/recording, or one statement in words of this file's code: BEGIN, COMMIT.
    Result<void> script(const QByteArray& sql);
    /// Reads all of the file and returns what SQLite finds wrong with it; empty: each table and index is
    /// intact, and can be written, too.
    Result<QStringList> faults();
    /// Leaves it to checkpoint() from now on to bring the WAL into the file, which happens by itself only
    /// once it is very long.
    void checkpointByHand();
    bool isCheckpointDue() const { return m_walPages >= checkpointPages; }
    Result<void> checkpoint();
    bool isInTransaction() const { return m_handle.isInTransaction(); }
    qint64 changes() const { return sqlite3_total_changes64(m_handle.get()); } ///< of rows, so far
    qint64 lastId() const { return sqlite3_last_insert_rowid(m_handle.get()); }
    /// The file is not at its place any more, or another one is: what is written would be lost.
    bool hasMoved() const;
    /// The file and what SQLite has made beside it: nobody else can write there. Permission if not.
    Result<void> checkOwnFiles() const;

private:
    Database(sqlite3* handle, QString path, QString what);
    static Result<std::unique_ptr<Database>> connect(
        const QString& real, const QByteArray& name, Mode mode, const QString& what);
    Failure failed(int code);
    static int isTooLate(void* database);
    static int noteWal(void* database, sqlite3* handle, const char* schema, int pages);

    using Clock = std::chrono::steady_clock;
    static constexpr int checkpointPages = 1'000; ///< SQLite's own choice
    db::SqliteHandle m_handle;
    QString m_path;
    QString m_what;
    int m_walPages = 0; ///< that are not in the file yet
    bool m_writes = false;
    bool m_isComplete = false; ///< SQLite takes the file for one that nobody writes
    Clock::time_point m_answerBy; ///< of who only reads
};

/// BEGIN … COMMIT, or a part of the transaction that there is; taken back unless it was committed.
class Changes {
public:
    explicit Changes(Database& database)
        : m_database(database)
        , m_isPart(database.isInTransaction())
        , m_begun(database.script(m_isPart ? "SAVEPOINT part" : "BEGIN IMMEDIATE"))
    {
    }
    ~Changes()
    {
        if (m_begun && !m_done)
            static_cast<void>(m_database.script(m_isPart ? "ROLLBACK TO part; RELEASE part" : "ROLLBACK"));
    }
    Q_DISABLE_COPY(Changes)

    const Result<void>& begun() const { return m_begun; }
    Result<void> commit()
    {
        Result<void> result = m_database.script(m_isPart ? "RELEASE part" : "COMMIT");
        m_done = result.has_value();
        return result;
    }

private:
    Database& m_database;
    bool m_isPart;
    Result<void> m_begun;
    bool m_done = false;
};

/// All of `change`, or nothing if it fails.
inline Result<void> inTransaction(Database& database, const std::function<Result<void>()>& change)
{
    Changes changes(database);
    LOCKSCOPE_TRY(changes.begun());
    LOCKSCOPE_TRY(change());
    return changes.commit();
}

/// Makes this process ready for the threads, connections and files of hundreds of servers: eleven
/// descriptors each, where services and desktops get 1,024 unless they ask for more. Call it once, before
/// anything else is started.
void prepareForManyServers();

} // namespace lockscope::record
