// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/Finding.h"
#include "core/deadlock/FindingRules.h"

#include <QRegularExpression>

#include <algorithm>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

constexpr auto ignoringCase = QRegularExpression::CaseInsensitiveOption;

bool isSqlServer(const Deadlock& deadlock)
{
    return deadlock.report->engine == Engine::SqlServer;
}

bool isIntent(const QString& mode)
{
    return mode == u"IS"_s || mode == u"IU"_s || mode == u"IX"_s || mode.startsWith(u"Sch-"_s);
}

/// True of a query alone: no change, no table made of it. Of what is not known it is false.
bool isQuery(const QString& statement)
{
    static const QRegularExpression change(
        u"\\b(INTO|INSERT|UPDATE|DELETE|MERGE|EXEC|EXECUTE)\\b"_s, ignoringCase);
    static const QRegularExpression query(
        u"^(?:SELECT|(?:WITH|IF|WHILE|SET|DECLARE|RETURN)\\b.*\\bSELECT)\\b"_s,
        ignoringCase | QRegularExpression::DotMatchesEverythingOption);
    const QString code = codeOf(bareStatement(statement), Engine::SqlServer, CodePart::All);
    return query.match(code).hasMatch() && !change.match(code).hasMatch();
}

/// True of hints that keep shared locks.
bool hasIsolationHint(const QString& statement)
{
    static const QRegularExpression hint(u"\\b(HOLDLOCK|SERIALIZABLE|REPEATABLEREAD)\\b"_s, ignoringCase);
    return hint.match(codeOf(statement, Engine::SqlServer, CodePart::All)).hasMatch();
}

/// True of hints that lock in spite of row versions.
bool hasLockingHint(const QString& statement)
{
    static const QRegularExpression hint(
        u"\\b(READCOMMITTEDLOCK|UPDLOCK|XLOCK|TABLOCKX?)\\b"_s, ignoringCase);
    return hasIsolationHint(statement)
        || hint.match(codeOf(statement, Engine::SqlServer, CodePart::All)).hasMatch();
}

bool hasTableHint(const QString& statement)
{
    static const QRegularExpression hint(u"\\bTABLOCKX?\\b"_s, ignoringCase);
    return hint.match(codeOf(statement, Engine::SqlServer, CodePart::All)).hasMatch();
}

bool isReadCommitted(const Participant& one)
{
    return one.isolation.startsWith(u"read committed"_s, Qt::CaseInsensitive);
}

/// The database of a lock; empty if the report has its number only.
QString databaseOf(const Deadlock& deadlock, const Link& link)
{
    static const QRegularExpression number(u"^database \\d+$"_s);
    const QString& own = deadlock.resource(link.resource).database;
    // A session works in its own, unless it names another.
    const bool isElsewhere = firstTable(statementOf(deadlock, link)).count(u'.') > 1;
    const QString database = own.isEmpty() && !isElsewhere ? deadlock.participant(link.waiter).database : own;
    return number.match(database).hasMatch() ? QString() : database;
}

/// READ_COMMITTED_SNAPSHOT spares this wait: a query at READ COMMITTED that asks for plain shared locks. The
/// server's own databases and tables don't have it.
bool isVersionRead(const Deadlock& deadlock, const Link& link)
{
    static const QSet<QString> ofServer{
        u"master"_s, u"tempdb"_s, u"msdb"_s, u"model"_s, u"mssqlsystemresource"_s};
    const Participant& reader = deadlock.participant(link.waiter);
    const LockedThing& thing = deadlock.resource(link.resource);
    return isSqlServer(deadlock) && (link.awaited == u"S"_s || link.awaited == u"IS"_s)
        && isWriting(link.held) && !link.converts && isReadCommitted(reader) && !thing.isTransaction
        && !thing.table.startsWith(u"sys."_s, Qt::CaseInsensitive)
        && !ofServer.contains(databaseOf(deadlock, link).toLower()) && isQuery(reader.statement)
        && !hasLockingHint(reader.statement);
}

QString rowVersions(const Deadlock& deadlock, const Link& link)
{
    const QString database = databaseOf(deadlock, link);
    return u"Let queries read row versions instead of waiting: ALTER DATABASE %1 SET READ_COMMITTED_SNAPSHOT ON"_s
        .arg(database.isEmpty() ? u"…"_s : u"[%1]"_s.arg(QString(database).replace(u']', u"]]"_s)));
}

} // namespace

void parallel(const Deadlock& deadlock, Findings& out)
{
    const Shape shape(deadlock);
    const QList<int> participants = deadlock.cycle().participants();
    const SessionId first = deadlock.participant(participants.first()).session;
    const bool isOneSession = first.isValid() && std::ranges::all_of(participants, [&](int each) {
        return deadlock.participant(each).session == first;
    });
    if (!shape.hasOther && !isOneSession)
        return;
    out << Finding{.id = u"parallel"_s,
        .certainty = isOneSession ? Certainty::Certain : Certainty::Likely,
        .says = isOneSession
            ? u"Threads of one parallel statement wait for each other: no other session is to blame, and no order of locks cures it."_s
            : u"Parallel threads take part. Their waits for each other are no locks; the locks in the ring are what can be changed."_s,
        .cure = isOneSession
            ? u"Run the statement with OPTION (MAXDOP 1), or make the index with which it reads few rows: %1"_s
                  .arg(shortStatement(deadlock.participant(participants.first()).statement))
            : QString(),
        .restsOn =
            u"The ring has waits for an exchange between threads, or all its participants are of one session."_s,
        .wouldProve = u"Run the statement with OPTION (MAXDOP 1)."_s,
        .hedge = isOneSession ? QString() : u"The report does not have all waits of parallel threads."_s};
}

void keyLookup(const Deadlock& deadlock, Findings& out)
{
    const Shape shape(deadlock);
    const auto& links = deadlock.cycle().links;
    if (!shape.isOneTable() || shape.hasUnnamed || shape.indexes.size() < 2)
        return;
    // It has come by the index that the other one waits for.
    const auto indexOf = [&](const Link& reader) {
        const auto other =
            std::ranges::find_if(links, [&](const Link& link) { return link.blocker == reader.waiter; });
        return other == links.cend() ? QString() : deadlock.resource(other->resource).index;
    };
    // From the clustered index, which mostly is the primary key, nobody has to go on.
    const auto reader = std::ranges::find_if(links, [&](const Link& link) {
        const QString index = indexOf(link);
        return isShared(link.awaited) && isReadCommitted(deadlock.participant(link.waiter))
            && isQuery(statementOf(deadlock, link)) && !index.isEmpty()
            && !index.startsWith(u"PK"_s, Qt::CaseInsensitive);
    });
    const bool hasReader = reader != links.cend();
    QStringList indexes = shape.indexes.values();
    indexes.sort();
    indexes.replaceInStrings(QRegularExpression(u"^$"_s), u"the heap"_s);
    const QString table = tableOf(deadlock, links.first());
    Finding finding{.id = u"key-lookup"_s,
        .certainty = hasReader ? Certainty::Likely : Certainty::Possible,
        .says =
            u"Both work on the same table by different indexes: one goes from the index to the row, the other from the row to the index."_s,
        .restsOn = u"The locks are on two indexes of %1: %2."_s.arg(table, indexes.join(u", "_s)),
        .wouldProve =
            u"Check whether the reader's plan has a Key Lookup; add the covering index on a copy and run both again."_s,
        .hedge = hasReader
            ? u"The report has no plan: that the reader looks up rows is concluded from the locks."_s
            : u"The report has no plan: the server chooses in which order a statement uses the indexes."_s};
    if (hasReader)
        finding.cure =
            u"Let the index %1 of %2 have all columns that the query reads (INCLUDE), so that it needs no second lock: %3"_s
                .arg(indexOf(*reader), table, shortStatement(statementOf(deadlock, *reader)));
    out << finding;
}

void readerWriter(const Deadlock& deadlock, Findings& out)
{
    const bool isSpared = std::ranges::all_of(deadlock.rings, [&](int ring) {
        return std::ranges::any_of(deadlock.report->cycles[ring].links,
            [&](const Link& link) { return isVersionRead(deadlock, link); });
    });
    for (const Link& link : deadlock.links()) {
        if (!isVersionRead(deadlock, link))
            continue;
        out << Finding{.id = u"reader-writer"_s,
            .certainty = Certainty::Likely,
            .says =
                u"%1 only reads rows that %2 has changed. With READ_COMMITTED_SNAPSHOT readers read the version before and wait for nobody%3"_s
                    .arg(beginningWith(deadlock, link.waiter), participantName(deadlock, link.blocker),
                        isSpared ? u", so that this deadlock can't happen."_s
                                 : u". Another ring of this deadlock remains."_s),
            .cure = isSpared ? rowVersions(deadlock, link) : QString(),
            .restsOn = sentenceOf(deadlock, link),
            .wouldProve =
                u"Read is_read_committed_snapshot_on of sys.databases; run both with it on a copy."_s,
            .hedge =
                u"Programs that rely on readers to wait must be checked before; row versions need space in tempdb, or in the database where it has accelerated recovery."_s};
        return;
    }
}

void readerBlocksWriter(const Deadlock& deadlock, Findings& out)
{
    if (!isSqlServer(deadlock))
        return;
    for (const Link& link : deadlock.links()) {
        if ((link.held != u"S"_s && link.held != u"IS"_s) || link.converts
            || !(isWriting(link.awaited) || link.awaited == u"U"_s))
            continue;
        const Participant& reader = deadlock.participant(link.blocker);
        const bool isLong = !isReadCommitted(reader);
        out << Finding{.id = u"reader-blocks-writer"_s,
            .certainty = Certainty::Certain,
            .says = isLong
                ? u"%1 keeps a shared lock that %2 waits for: at %3 it lasts until its transaction ends."_s
                      .arg(beginningWith(deadlock, link.blocker), participantName(deadlock, link.waiter),
                          reader.isolation.isEmpty() ? u"an unknown isolation"_s : reader.isolation.toUpper())
                : u"%1 keeps a shared lock that %2 waits for: at READ COMMITTED it lasts as long as the reading of that row or page, in a long query or a key lookup."_s
                      .arg(beginningWith(deadlock, link.blocker), participantName(deadlock, link.waiter)),
            .restsOn = sentenceOf(deadlock, link)};
        return;
    }
}

namespace {

/// Says what may have set an isolation, by what the report has of the client.
QString setterOf(const Participant& one)
{
    const QString text = one.statement + u' ' + one.inputBuffer;
    static const QRegularExpression set(u"\\bSET\\s+TRANSACTION\\s+ISOLATION\\s+LEVEL\\b"_s, ignoringCase);
    if (set.match(text).hasMatch())
        return u"Its own SET TRANSACTION ISOLATION LEVEL sets it."_s;
    if (hasIsolationHint(text))
        return u"Its statement has a hint that locks so (HOLDLOCK, SERIALIZABLE, REPEATABLEREAD)."_s;
    if (one.transaction.compare(u"DTCXact"_s, Qt::CaseInsensitive) == 0)
        return u"It is part of a distributed transaction: MSDTC, COM+ and TransactionScope begin them SERIALIZABLE unless another level is set."_s;
    if (one.program.contains(u"SqlClient"_s, Qt::CaseInsensitive))
        return u"The client is .NET: new TransactionScope() is SERIALIZABLE unless TransactionOptions has another IsolationLevel."_s;
    if (one.program.contains(u"JDBC"_s, Qt::CaseInsensitive) || one.program.contains(u"jTDS"_s))
        return u"The client is Java: setTransactionIsolation(), the pool's setting or @Transactional sets it."_s;
    if (one.program.startsWith(u"SSIS"_s))
        return u"The client is Integration Services: its containers are SERIALIZABLE by default."_s;
    return u"The session has set it, or its library: TransactionScope of .NET is SERIALIZABLE by default, JDBC and ODBC have a setting of the connection."_s;
}

} // namespace

void isolation(const Deadlock& deadlock, Findings& out)
{
    if (!isSqlServer(deadlock))
        return;
    for (const Link& link : deadlock.links()) {
        const Participant& one = deadlock.participant(link.waiter);
        const QString level = one.isolation.toUpper();
        const bool isStrict = level.startsWith(u"SERIALIZABLE") || level.startsWith(u"REPEATABLE READ");
        // A range is locked at SERIALIZABLE only, which a hint asks for, too.
        const bool hasHint = hasIsolationHint(one.statement);
        const bool isHint = !isStrict && hasHint && link.awaited.startsWith(u"Range");
        if (!isStrict && !isHint)
            continue;
        const QString name = isHint ? u"SERIALIZABLE"_s : level;
        out << Finding{.id = u"isolation"_s,
            .certainty = Certainty::Likely,
            .says = u"%1 works at %2: what it only reads stays locked until its transaction ends. %3"_s.arg(
                beginningWith(deadlock, link.waiter), name, setterOf(one)),
            .cure = isShared(link.held) || link.held.startsWith(u"Range") || isShared(link.awaited)
                ? (isHint ? u"Remove the hint (HOLDLOCK, SERIALIZABLE) if nothing relies on it: "_s
                          : u"Run it at READ COMMITTED%1 if nothing relies on %2: SET TRANSACTION ISOLATION LEVEL READ COMMITTED; "_s
                                .arg(hasHint ? u" and without its hint"_s : QString(), name))
                    + shortStatement(one.statement)
                : QString(),
            .restsOn = u"The report gives its isolation: %1."_s.arg(isHint ? one.isolation : name.toLower()),
            .wouldProve =
                u"Read transaction_isolation_level of sys.dm_exec_sessions while it runs, and the program's settings."_s,
            .hedge = u"The report names the isolation, not what has set it."_s};
        return;
    }
}

void escalation(const Deadlock& deadlock, Findings& out)
{
    if (!isSqlServer(deadlock))
        return;
    constexpr qint64 muchLog = 200'000; // escalation begins at 5,000 locks of a statement
    for (const Link& link : deadlock.links()) {
        const LockedThing& thing = deadlock.resource(link.resource);
        const Participant& waiter = deadlock.participant(link.waiter);
        const bool isComplete = thing.element == u"objectlock"_s || thing.element == u"hobtlock"_s;
        const bool isStronger = link.awaited == u"X"_s || link.awaited == u"S"_s;
        const bool isMuch = waiter.logUsed.value_or(0) >= muchLog;
        const QString verb = verbOf(waiter.statement);
        const bool isPortioned = verb == u"update"_s || verb == u"delete"_s;
        if (!isComplete || !isStronger || hasTableHint(waiter.statement) || (!link.converts && !isMuch))
            continue;
        out << Finding{.id = u"escalation"_s,
            .certainty = isMuch && link.converts ? Certainty::Likely : Certainty::Possible,
            .says = u"A transaction with many row locks requests the whole table instead: lock escalation."_s,
            .cure = isPortioned
                ? u"Change fewer than 5,000 rows in a statement, in portions that commit: %1 TOP (2000) … until none is left: %2"_s
                      .arg(verb.toUpper(), shortStatement(waiter.statement))
                : QString(),
            .restsOn = sentenceOf(deadlock, link)
                + u" It had used %L1 bytes of the log."_s.arg(waiter.logUsed.value_or(0)),
            .wouldProve =
                u"Count the event lock_escalation for that table, or the column index_lock_promotion_count of sys.dm_db_index_operational_stats."_s,
            .hedge = u"A hint (TABLOCKX) or SERIALIZABLE requests the whole table, too."_s};
        return;
    }
}

void tableLock(const Deadlock& deadlock, Findings& out)
{
    static const QSet<QString> ofTables{u"S"_s, u"U"_s, u"X"_s, u"SIX"_s, u"BU"_s, u"ShareLock"_s,
        u"ShareRowExclusiveLock"_s, u"ExclusiveLock"_s, u"AccessExclusiveLock"_s, u"Sch-M"_s};
    for (const Link& link : deadlock.links()) {
        const LockedThing& thing = deadlock.resource(link.resource);
        const bool isTable = thing.kind == ResourceKind::Relation
            && (!isSqlServer(deadlock) || thing.element == u"objectlock"_s);
        const bool isHeld = ofTables.contains(link.held);
        if (!isTable || (!isHeld && !ofTables.contains(link.awaited)))
            continue;
        const QString& mode = isHeld ? link.held : link.awaited;
        const bool isForm = mode == u"Sch-M"_s;
        const int at = isHeld ? link.blocker : link.waiter;
        const QString& statement = deadlock.participant(at).statement;
        const QString cause = !isSqlServer(deadlock)
            ? u"Commands such as ALTER TABLE, CREATE INDEX and LOCK TABLE do that."_s
            : isForm
            ? u"Statements that change a table's form do that: ALTER TABLE, TRUNCATE TABLE, those that create or rebuild an index, also the end of one ONLINE."_s
            : hasTableHint(statement)
            ? u"Its statement has the hint TABLOCK."_s
            : u"Lock escalation, a hint (TABLOCK, TABLOCKX) or a setting of the index that forbids row and page locks does that."_s;
        out << Finding{.id = u"table-lock"_s,
            .certainty = Certainty::Certain,
            .says = u"%1 %2 %3 on all of %4, not on rows. %5"_s.arg(
                beginningWith(deadlock, at), isHeld ? u"has"_s : u"waits for"_s, mode, thing.name, cause),
            .cure = isForm
                ? u"Run it while nobody uses %1, or with SET LOCK_TIMEOUT so that it gives way: %2"_s.arg(
                    thing.name, shortStatement(statement))
                : QString(),
            .restsOn = sentenceOf(deadlock, link)};
        return;
    }
}

void missingIndex(const Deadlock& deadlock, Findings& out)
{
    const Shape shape(deadlock);
    for (const Link& link : deadlock.links()) {
        const LockedThing& thing = deadlock.resource(link.resource);
        const bool isRange = link.awaited.startsWith(u"Range"_s) || link.held.startsWith(u"Range"_s);
        const bool isWide = isSqlServer(deadlock) && !thing.table.isEmpty()
            && (thing.kind == ResourceKind::Relation || thing.kind == ResourceKind::Page)
            && (!isIntent(link.awaited) || !isIntent(link.held))
            && !hasTableHint(deadlock.participant(link.waiter).statement)
            && !hasTableHint(deadlock.participant(link.blocker).statement);
        // A change takes update locks of all rows that it reads.
        const bool isScan = shape.isOneTable() && link.awaited == u"U"_s && isWriting(link.held)
            && thing.kind == ResourceKind::Row && isChange(statementOf(deadlock, link))
            && namesItsTable(deadlock, link);
        if (!isRange && !isWide && !isScan)
            continue;
        out << Finding{.id = u"missing-index"_s,
            .certainty = Certainty::Possible,
            .says = isRange
                ? u"A range of keys is locked, which at SERIALIZABLE keeps others from inserting between the rows that were read; the range is as wide as the index is coarse. A fitting index makes it narrow, and READ COMMITTED needs none."_s
                : isScan
                ? u"A change waits for the update lock of a row. Where no index fits its condition it takes such locks of all rows that it reads, and meets rows that it does not change."_s
                : u"More than rows is locked. Where no index fits the condition, a statement reads and locks many more rows than it needs, or the whole table."_s,
            .restsOn = sentenceOf(deadlock, link),
            .wouldProve = u"Check the plan of the statement for a scan of %1."_s.arg(thing.table),
            .hedge = isScan
                ? u"The row may be one that the statement changes."_s
                : u"Locks this wide can also be requested (TABLOCK, PAGLOCK, HOLDLOCK) or come of escalation."_s};
        return;
    }
}

void heap(const Deadlock& deadlock, Findings& out)
{
    if (!isSqlServer(deadlock))
        return;
    for (const Link& link : deadlock.links()) {
        const LockedThing& thing = deadlock.resource(link.resource);
        const bool isRid = thing.kind == ResourceKind::Row && thing.index.isEmpty()
            && (thing.element == u"ridlock"_s || thing.part.startsWith(u"row "_s));
        if (!isRid)
            continue;
        const QString table = thing.table.isEmpty() ? u"the table"_s : thing.table;
        out << Finding{.id = u"heap"_s,
            .certainty = Certainty::Certain,
            .says =
                u"%1 is a heap: it has no clustered index, so that rows are found by a scan of all of it or by a second step from an index. A clustered index on the key lets statements lock only the rows that they need."_s
                    .arg(table == thing.table ? table : u"The table"_s),
            .cure = thing.table.isEmpty()
                ? QString()
                : u"Give %1 a clustered index on the key by which rows are changed: CREATE CLUSTERED INDEX … ON %2 (…)"_s
                      .arg(thing.table, tableInSql(deadlock, link)),
            .restsOn = u"The lock is on a row by its place (RID): %1."_s.arg(thing.name),
            .wouldProve = u"Read sys.indexes: the table has an entry of type 0 (HEAP)."_s};
        return;
    }
}

void sameModule(const Deadlock& deadlock, Findings& out)
{
    const auto isModule = [](const StackFrame& frame) {
        return !frame.isNative && !frame.procedure.isEmpty() && frame.procedure != u"adhoc"_s
            && frame.procedure != u"unknown"_s && !frame.procedure.startsWith(u"mssqlsystemresource"_s);
    };
    QHash<QString, std::pair<int, int>> lines; // of the first that is in it, and who
    QSet<int> seen;
    for (const Link& link : deadlock.links()) {
        if (seen.contains(link.waiter))
            continue;
        seen.insert(link.waiter);
        const auto& frames = deadlock.participant(link.waiter).frames;
        const auto frame = std::ranges::find_if(frames, isModule);
        if (frame == frames.cend())
            continue;
        const auto other = lines.constFind(frame->procedure);
        if (other == lines.cend()) {
            lines.insert(frame->procedure, {frame->line, link.waiter});
            continue;
        }
        out << Finding{.id = u"same-module"_s,
            .certainty = Certainty::Certain,
            .says = u"Both sides are in %1: it deadlocks with itself, and it alone has to be changed."_s.arg(
                frame->procedure),
            .restsOn =
                u"%1 is at its line %2, %3 at its line %4."_s.arg(beginningWith(deadlock, other->second))
                    .arg(other->first)
                    .arg(participantName(deadlock, link.waiter))
                    .arg(frame->line)};
        return;
    }
}

void openTransaction(const Deadlock& deadlock, Findings& out)
{
    for (const int at : deadlock.participants) {
        const Participant& one = deadlock.participant(at);
        const bool isImplicit = one.transaction == u"implicit_transaction"_s;
        const bool isSleeping = one.state == u"sleeping"_s && one.openTransactions.value_or(0) > 0;
        if (!isImplicit && !isSleeping)
            continue;
        out << Finding{.id = u"open-transaction"_s,
            .certainty = Certainty::Certain,
            .says =
                (isSleeping
                        ? u"%1 sleeps with an open transaction: its locks wait for its client's next statement, COMMIT or ROLLBACK."_s
                        : u"%1 is in a transaction that began by itself."_s)
                    .arg(beginningWith(deadlock, at))
                + (isImplicit
                        ? u" IMPLICIT_TRANSACTIONS is on, as JDBC's setAutoCommit(false) and ODBC's autocommit off have it: each statement, a SELECT too, opens a transaction that lasts until the program commits."_s
                        : QString()),
            .restsOn = u"Its state is %1, its transaction %2, at depth %3."_s.arg(
                one.state.isEmpty() ? u"unknown"_s : one.state,
                one.transaction.isEmpty() ? u"without a name"_s : one.transaction,
                one.openTransactions ? QString::number(*one.openTransactions) : u"unknown"_s)};
        return;
    }
}

void agentJob(const Deadlock& deadlock, Findings& out)
{
    for (const int at : deadlock.participants) {
        const Participant& one = deadlock.participant(at);
        const auto step = agentStepOf(one);
        if (!step)
            continue;
        const QString which = one.job.isEmpty()
            ? u"a job of SQL Server Agent. Its name: SELECT name FROM msdb.dbo.sysjobs WHERE job_id = '%1'"_s
                  .arg(step->job)
            : u"the job “%1” of SQL Server Agent"_s.arg(one.job);
        out << Finding{.id = u"agent-job"_s,
            .certainty = Certainty::Certain,
            .says =
                u"%1 is step %2 of %3. It can run at another time, or begin its step again after error 1205 (retry attempts)."_s
                    .arg(beginningWith(deadlock, at), step->number, which),
            .restsOn = u"Its program is %1."_s.arg(one.program)};
    }
}

void costlyVictim(const Deadlock& deadlock, Findings& out)
{
    constexpr qint64 muchLog = 1'000'000;
    for (const int at : deadlock.victims) {
        const qint64 used = deadlock.participant(at).logUsed.value_or(0);
        if (used < muchLog)
            continue;
        out << Finding{.id = u"costly-victim"_s,
            .certainty = Certainty::Certain,
            .says =
                u"Much work of %1 was lost: %L2 bytes of the log had to be undone, and its locks lasted until that was done. Shorter transactions lose less."_s
                    .arg(participantName(deadlock, at))
                    .arg(used),
            .restsOn = u"The log used of the victim."_s};
        return;
    }
}

} // namespace lockscope::deadlock
