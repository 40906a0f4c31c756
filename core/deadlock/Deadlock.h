// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Id.h"
#include "core/base/ServerTime.h"
#include "core/domain/LockMode.h"
#include "core/domain/Resource.h"

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>

namespace lockscope {
struct Snapshot;
}

/// Deadlocks, wherever they were written down: SQL Server's reports, PostgreSQL's log, a snapshot of ours.
/// One model for all; facts that a source does not give are empty or nothing, and never made up. Values; any
/// thread.
namespace lockscope::deadlock {

/// The text of a report as its source has it. A value; those of many reports may lie in one compressed block,
/// and are then unpacked each time that they are requested. Any thread.
class RawText {
public:
    RawText() = default;
    RawText(QString text) // NOLINT(google-explicit-constructor)
        : m_plain(std::move(text))
        , m_size(m_plain.size())
    {
    }

    QString text() const;
    operator QString() const { return text(); } // NOLINT(google-explicit-constructor)
    qsizetype size() const { return m_size; } ///< characters
    bool operator==(const RawText& other) const { return m_size == other.m_size && text() == other.text(); }

private:
    friend class RawTexts;
    struct Block {
        QByteArray bytes; ///< UTF-8
        bool isPacked = false;
    };

    QString m_plain;
    std::shared_ptr<const Block> m_block;
    qsizetype m_size = 0;
    qsizetype m_begin = 0; ///< in the block, unpacked: bytes
    qsizetype m_length = 0;
};

/// Packs the texts of a large file's reports together: statements, names and the words of the form repeat.
/// One thread; texts may be requested by others once pack() has been called.
class RawTexts {
public:
    RawText add(const QString& text);
    void pack(); ///< after the last one

private:
    std::shared_ptr<RawText::Block> m_open;
};

inline constexpr qsizetype maxRawCharacters = 4'000'000; ///< characters of one report's own text

/// A time in a report.
struct ReportTime {
    std::optional<ServerTime> at; ///< nothing: not given, or not to be believed
    /// False: the source gives local time and no zone that is known, and `at` is that time as if it were UTC:
    /// to be shown without a "Z", and good for the order within one source.
    bool isZoneKnown = true;
    QString sourceText; ///< the source's own text

    /// "2026-11-22 03:12:07.123 UTC", "2026-11-22 03:12:07.120 (server's time)", "unknown time".
    QString toString() const;
    bool operator==(const ReportTime&) const = default;
};

/// One level of the code that a participant was in, the innermost first.
struct StackFrame {
    QString procedure; ///< "shop.dbo.pay"; "adhoc" if it is none; empty if unknown
    int line = 0; ///< 0: unknown
    QString handle; ///< sql_handle, "0x0300…"
    QString statement; ///< as far as given
    /// A level of the server's own code (`stackFrames`), not of SQL: `procedure` is module and function.
    bool isNative = false;

    bool operator==(const StackFrame&) const = default;
};

/// A session, or one of the threads of a session that works in parallel.
struct Participant {
    QString key; ///< the report's name for it: "process2f3a", "4711"; unique in the report
    SessionId session; ///< invalid if unknown
    std::optional<int> thread; ///< SQL Server's ecid; 0 is the session's main one
    QString user, program, host, database;
    QString
        job; ///< the name of the Agent's job that it is a step of; empty: of none, or it was not asked for
    QString isolation; ///< "read committed", as the engine says it, without its number
    QString state; ///< "suspended", "sleeping": SQL Server
    std::optional<qint64> logUsed; ///< bytes: by this SQL Server picks its victim, the least first
    std::optional<int> priority; ///< SQL Server's DEADLOCK_PRIORITY, -10 to 10: goes before the log used
    std::optional<milliseconds> waited;
    QString waitResource; ///< the source's own text, "KEY: 5:72057594038910976 (8194443284a0)"
    QString transaction; ///< its name, "user_transaction", "implicit_transaction"
    ReportTime transactionStarted;
    ReportTime batchStarted; ///< the last one
    std::optional<int> openTransactions; ///< the depth of their nesting
    QList<StackFrame> frames;
    QString inputBuffer; ///< the client's last text; may be more than the statement, and cut
    /// The statement that it was executing: the innermost one of its own code, else the input buffer, else
    /// empty.
    QString statement;
    /// The statement in the form that the source has for all participants, where it has more of the victim:
    /// PostgreSQL's log has only the victim's statement whole. Empty: `statement`.
    QString listedStatement;
    bool isListed = true; ///< false: only lock owners or victims name it, nothing else is known of it

    /// Returns "52", "52:3" of a parallel thread; its key if the session is unknown.
    QString label() const;
    /// Returns "52" of each of its threads, too.
    QString sessionLabel() const { return session.isValid() ? QString::number(session.value) : key; }
    bool operator==(const Participant&) const = default;
};

/// A locked resource; each once, however often a report repeats it.
struct LockedThing {
    QString key; ///< its identity: element and id; unique in the report
    QString element; ///< "keylock", "exchangeEvent", "transaction": the source's word, in small letters
    ResourceKind kind = ResourceKind::Unknown;
    QString database;
    QString table; ///< "dbo.orders", "public.orders"; empty if it is of none, or only numbers are known
    QString index; ///< "PK_orders"
    QString
        part; ///< "key (8194443284a0)", "page 1:109", "row 1:109:0", "row (0,4)": of the table; empty: all
    QString name; ///< readable, and never empty: "dbo.orders.PK_orders key (8194443284a0)"
    bool named = false; ///< false while `name` is only numbers
    QString mode; ///< the strongest mode in which it was held, where the source gives one for all
    /// Parallel threads that wait for each other's rows, or the server's own resources: no lock.
    bool isLock = true;
    /// A lock of a transaction that stands for this (SQL Server's optimized locking; rows on PostgreSQL).
    bool isTransaction = false;
    /// A row of another table at which a plain INSERT of PostgreSQL waits, as the check of a foreign key
    /// does.
    bool isReferredTo = false;
    QList<std::pair<QString, QString>> attributes; ///< all that the source says of it, in its order

    /// Returns the attribute of that name, in capital or small letters; empty: there is none.
    QString attribute(QStringView requested) const;
    bool operator==(const LockedThing&) const = default;
};

/// A session of SQL Server's Agent, as its program says.
struct AgentStep {
    QString job; ///< its job_id, "67452301-AB89-EFCD-0011-223344556677"
    QString number;
};
std::optional<AgentStep> agentStepOf(const Participant& one);

/// One participant at one resource. `participant` and `resource` are indexes into the report.
struct Edge {
    enum class Kind : quint8 { Holds, WaitsFor };
    int participant = 0;
    int resource = 0;
    Kind kind = Kind::Holds;
    QString mode{}; ///< the engine's word; empty if unknown
    bool converts = false; ///< it has a mode here already and waits for a stronger one
    /// The report names it among the owners although it waits: it stands ahead in the queue, and by this edge
    /// holds nothing.
    bool isAmongOwners = false;
    /// PostgreSQL's log does not show held locks: this edge follows from who blocks whom, and the blocker may
    /// only stand ahead in the queue.
    bool isImplied = false;

    bool operator==(const Edge&) const = default;
};

/// `waiter` can't go on before `blocker` does. Indexes into the report.
struct Link {
    int waiter = 0;
    int blocker = 0;
    int resource = 0;
    QString awaited; ///< mode; empty if unknown
    QString held; ///< the blocker's mode there; empty if unknown
    bool converts = false; ///< the waiter converts
    bool isQueue = false; ///< the blocker holds no conflicting lock: it is only ahead in the queue

    bool operator==(const Link&) const = default;
};

/// A ring of participants, each waiting for the next one. Parallel threads are in it as the one of them that
/// stands for their session (leadersOf()), unless all of it is within one session.
struct Cycle {
    /// links[i].blocker is links[i + 1].waiter; the last one's blocker is the first's waiter.
    QList<Link> links;
    QList<int> victims; ///< those of the report's that are in it; may be none

    QList<int> participants() const; ///< the waiters, in the order of the links
    bool operator==(const Cycle&) const = default;
};

enum class ReportKind : quint8 {
    Deadlock,
    /// A server's report of who waited longer than a threshold: SQL Server's blocked-process report,
    /// PostgreSQL's log_lock_waits. No deadlock by itself, though cycles may stand in it.
    Blocked,
    Live, ///< the cycle that a snapshot of ours shows
};

enum class SourceFormat : quint8 {
    DeadlockXml, ///< `<deadlock>`, `<deadlock-list>`, .xdl
    EventXml, ///< of an extended event
    TraceFlag1222,
    TraceFlag1204,
    PostgresText, ///< stderr, syslog
    PostgresCsv,
    PostgresJson,
    Snapshot,
};
QString sourceFormatName(SourceFormat format); ///< "XML of an extended event" …

struct Source {
    QString place; ///< file or server, as shown to the user; may be empty
    SourceFormat format = SourceFormat::DeadlockXml;
    qint64 position = 0; ///< line of the file at which it begins, from 1; 0 if it is no file
    /// Equal for the same event, wherever it was read from: a hash of the report's contents.
    QString eventKey;

    bool operator==(const Source&) const = default;
};

/// The contents of one source about one event: none, one or several deadlocks.
struct DeadlockReport {
    ReportKind kind = ReportKind::Deadlock;
    Engine engine = Engine::SqlServer;
    Source source;
    ReportTime time;
    QList<Participant> participants;
    QList<LockedThing> resources;
    QList<Edge> edges;
    QList<Link> links; ///< all waits, whether in a ring or not
    QList<Cycle> cycles; ///< each participant that is in a ring is in one of these
    QList<int> victims; ///< as the source names them; none: unknown, or nobody
    RawText raw; ///< the source's text of this event, as it stood
    /// The report's faults: repaired, missing or contradictory parts, as sentences. Each view of the report
    /// shows them.
    QStringList complaints;

    bool isComplete() const { return !cycles.isEmpty(); }
    bool operator==(const DeadlockReport&) const = default;
};
using ReportPtr = std::shared_ptr<const DeadlockReport>;

/// Returns for each participant the one that stands for its session: itself, or of several threads the main
/// one, else the first. Participants without a session's number stand for themselves.
QList<int> leadersOf(const DeadlockReport& report);

/// An event, which is what lists count: all participants and victims of a report, with the rings in which
/// they wait. A report has several only if no participant of one waits for one of the other, directly or
/// not: then the server ended each by itself. PostgreSQL ends and records each ring by itself, so that there
/// each ring of a snapshot is one. Made by deadlocksOf(); the pointer is never null, and `rings` not empty.
struct Deadlock {
    ReportPtr report;
    int index = 0; ///< within the report
    QList<int> rings{}; ///< indexes into the report's cycles
    QList<int> participants{}; ///< one of each session (leadersOf()), whether in a ring or behind one
    QList<int> victims{}; ///< as the report names them: threads, too

    /// The first victim's ring, or of several without a victim any.
    const Cycle& cycle() const { return report->cycles[rings.first()]; }
    /// Returns the waits of all its rings, each once; the first ring's come first, in their order.
    QList<Link> links() const;
    const Participant& participant(int at) const { return report->participants[at]; }
    const LockedThing& resource(int at) const { return report->resources[at]; }
    /// True of a victim, and of what stands for a session of which a thread is one.
    bool isVictim(int participant) const;
    /// Returns the tables of its resources, or if none is known by name those that its statements name first;
    /// sorted, each once. A transaction that stands for rows is of the table that its waiter names, if no
    /// other is given: PostgreSQL's log gives it for the victim alone.
    QStringList tables() const;
    LockMode mode(const QString& text) const { return LockMode::fromText(report->engine, text); }
};
QList<Deadlock> deadlocksOf(const ReportPtr& report);

/// The deadlocks that a snapshot shows, as a report; null if it shows none. Victims are not known yet.
ReportPtr fromSnapshot(const Snapshot& snapshot);

/// Fills in `links` and `cycles` from the edges and victims. For the readers. Finds the shortest ring of each
/// victim, then of each participant that waits in a ring and is in none of these.
void findCycles(DeadlockReport& report);

/// A statement without what clients and batches put around it: comments and SET options before it, the
/// declarations of its parameters ("(@P0 int,@P1 nvarchar(40))UPDATE …"), and sp_executesql around its text.
QString bareStatement(const QString& statement);
/// True of INSERT, UPDATE, DELETE and MERGE, whatever clients have put around it.
bool isChange(const QString& statement);
/// The table that a statement names first: behind UPDATE, INTO, FROM, JOIN, TABLE. Empty if there is none.
/// A guess for display: statements are not parsed. Of an alias ("UPDATE o … FROM orders o") its table.
QString firstTable(const QString& statement);
QString firstTableAsWritten(const QString& statement); ///< in the quotes that it has there

} // namespace lockscope::deadlock
