// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Snapshots from rows as real servers show them: tests/support/sqlserver/dmv-rows.json is the input,
// expected-snapshots.txt, where each line has its reason, the result.

#include "core/monitor/SnapshotSource.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/support/WireSuite.h"
#include "tests/support/tds/MonitorAnswers.h"

namespace tst_SqlServerContention {

using namespace lockscope;
using namespace lockscope::test::tds;

static QString secondsText(microseconds length)
{
    return QString::number(static_cast<double>(length.count()) / 1e6, 'g', 9) + u" s"_s;
}

static QString agoText(const Snapshot& snapshot, const std::optional<ServerTime>& time)
{
    return time ? secondsText(snapshot.takenAt - *time) + u" ago"_s : u"unknown"_s;
}

static QString stateText(RequestState state)
{
    return state == RequestState::Granted ? u"holds"_s
        : state == RequestState::Waiting  ? u"waits for"_s
                                          : u"converts to"_s;
}

/// "session 61: idle in transaction since 209 s ago; CORP\ann, App, WS1, orders; transaction 270 s ago; …"
static QString lineOf(const Snapshot& snapshot, const lockscope::Session& session)
{
    QStringList parts{u"session %1: %2 since %3"_s.arg(session.id.value)
                          .arg(sessionStateName(session.state), agoText(snapshot, session.stateSince))};
    parts << QStringList({session.user, session.program, session.host, session.database}).join(u", "_s);
    if (session.transactionStarted)
        parts << u"transaction "_s + agoText(snapshot, session.transactionStarted);
    if (!session.loggedIn().isValid())
        parts << u"login time unknown"_s;
    if (!session.waitEvent.isEmpty())
        parts << u"wait "_s + session.waitEvent;
    if (session.percentDone)
        parts << u"%1 % done"_s.arg(*session.percentDone);
    if (!session.unitOfWork.isEmpty())
        parts << u"unit of work "_s + session.unitOfWork;
    if (session.system)
        parts << u"system"_s;
    if (!session.statement.isEmpty())
        parts << u"\""_s + session.statement + u"\""_s;
    return parts.join(u"; "_s);
}

/// "62 waits for X on dbo.Orders key (8194443284a0), 9 s"
static QString lineOf(const Snapshot& snapshot, const LockRequest& request)
{
    QString line = u"%1 %2 %3 on %4"_s.arg(request.session.value)
                       .arg(stateText(request.state), request.mode.name(), snapshot.resourceOf(request).name);
    if (request.count > 1)
        line += u" ×%1"_s.arg(request.count);
    if (request.owner == LockOwner::Session)
        line += u", for the session"_s;
    if (const auto age = snapshot.ageOf(request); age && request.isWaiting())
        line += u", "_s + (age->exact ? QString() : u"at least "_s) + secondsText(age->value);
    return line;
}

static QString lineOf(const Snapshot& snapshot, const WaitEdge& edge)
{
    return u"%1 -> %2 %3 %4"_s.arg(edge.waiter.value)
        .arg(edge.blocker.value)
        .arg(edge.kind == WaitEdge::Kind::Holder ? u"holds"_s : u"is ahead in the queue for"_s,
            snapshot.resources[edge.resource].name);
}

template <class Things> static QStringList linesOf(const Snapshot& snapshot, const Things& things)
{
    std::vector<std::pair<qint64, QString>> lines;
    for (const auto& thing : things) {
        qint64 order = 0;
        if constexpr (requires { thing.waiter; })
            order = thing.waiter.value;
        else if constexpr (requires { thing.id; })
            order = thing.id.value;
        else
            order = thing.session.value;
        lines.emplace_back(order, lineOf(snapshot, thing));
    }
    std::sort(lines.begin(), lines.end());
    QStringList texts;
    for (const auto& [order, text] : lines)
        texts << text;
    return texts;
}

/// Returns the lines without the monitor's own session, whose id and times are not those of the file.
static QStringList linesOf(const Snapshot& snapshot)
{
    std::vector<lockscope::Session> sessions;
    std::ranges::copy_if(
        snapshot.sessions, std::back_inserter(sessions), std::not_fn(&lockscope::Session::own));
    QStringList lines = linesOf(snapshot, sessions) + linesOf(snapshot, snapshot.requests)
        + linesOf(snapshot, snapshot.waits);
    for (const Limitation& limitation : snapshot.limitations)
        lines << u"limitation: "_s + limitation.what;
    return lines;
}

/// The lines of a section, "[name]" to the next one, without reasons ("# …").
static QStringList expected(const QString& section)
{
    QStringList lines;
    bool isMeant = false;
    for (const QString& line :
        QString::fromUtf8(test::readFile(u":/schema/test/sqlserver/expected-snapshots.txt"_s)).split(u'\n')) {
        if (line.startsWith(u'['))
            isMeant = line == u'[' + section + u']';
        else if (isMeant && !line.isEmpty() && !line.startsWith(u'#'))
            lines << line;
    }
    return lines;
}

class tst_SqlServerContention : public test::WireSuite {
    Q_OBJECT

private Q_SLOTS:
    void theSnapshotIsAsExpected_data()
    {
        test::addColumns<QStringList, qint64>("closed", "lockMemoryKb");
        test::row("all is told", QStringList(), qint64(0));
        test::row("locks are not listed", QStringList(), qint64(900'000));
        test::row("locks and tasks are hidden",
            QStringList({u"sys.dm_tran_locks"_s, u"sys.dm_os_waiting_tasks"_s}), qint64(0));
    }
    void theSnapshotIsAsExpected()
    {
        FETCH(QStringList, closed, qint64, lockMemoryKb);
        Picture picture = documentedContention();
        picture.closedViews = {closed.begin(), closed.end()};
        picture.lockMemoryKb = lockMemoryKb;
        TdsServer server;
        MonitorAnswers answers(server);
        answers.show(picture);
        const db::ServerProfile profile = test::profileOf(urlOf(server));
        const auto source = monitor::makeSnapshotSource(
            {profile, [&server](const QString&) -> Result<QString> { return passwordOf(server); }});
        (void)source->take(std::stop_token()); // learns the names
        const auto taken = source->take(std::stop_token());
        VERIFY_DONE(taken);
        const QStringList actual = linesOf(**taken);
        const QStringList requested = expected(QString::fromLatin1(QTest::currentDataTag()));
        if (qEnvironmentVariableIsSet("LOCKSCOPE_PRINT_SNAPSHOTS"))
            qInfo().noquote() << actual.join(u'\n');
        for (const QString& line : actual)
            QVERIFY2(requested.contains(line), qPrintable(u"not expected: "_s + line));
        for (const QString& line : requested)
            QVERIFY2(actual.contains(line), qPrintable(u"missing: "_s + line));
        QCOMPARE(actual.size(), requested.size());
    }
};

LOCKSCOPE_TEST(tst_SqlServerContention)

} // namespace tst_SqlServerContention
#include "tst_SqlServerContention.moc"
