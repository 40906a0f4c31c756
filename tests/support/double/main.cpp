// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The test double of SQL Server as a program: for tests against "another server", and to see the pages.

#include "tests/support/DeadlockReports.h"
#include "tests/support/tds/AdminAnswers.h"
#include "tests/support/tds/CheckAnswers.h"
#include "tests/support/tds/DatabaseAnswers.h"
#include "tests/support/tds/MonitorAnswers.h"
#include "tests/support/tds/QueueAnswers.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QSocketNotifier>

#include <cstdio>
#include <unistd.h>

using namespace lockscope;
using namespace lockscope::test::tds;
using namespace Qt::StringLiterals;

constexpr qint64 table = 1'977'058'079;

/// Somebody went for lunch in the middle of a transaction.
static Picture contention()
{
    Picture picture;
    picture.schemaInstalled = true;
    picture.names[{u"[orders]"_s, table}] = u"dbo.orders"_s;
    picture.texts = {{u"01"_s, u"UPDATE dbo.orders SET state = 'paid' WHERE id = 4711"_s},
        {u"02"_s, u"SELECT SUM(total) FROM dbo.orders WITH (HOLDLOCK)"_s}};
    picture.session(61, "till").inTransaction(400'000, 7001).sleeping(360'000);
    picture.sessions.back().lastHandle = u"01"_s;
    Picture::Lock held = picture.lock(61, "OBJECT", table, "X").of(7001);
    int blocker = 61;
    for (const int id : {63, 70, 72}) {
        picture.session(id, id == 70 ? "report" : "web shop").inTransaction(50'000, 7000 + id);
        Picture::Request& request = picture.request(id, id == 70 ? "SELECT" : "UPDATE", 41'000);
        request.status = u"suspended"_s;
        request.waitType = u"LCK_M_IX"_s;
        request.waited = 41'000 - id * 100;
        request.blocker = blocker;
        request.handle = id == 70 ? u"02"_s : u"01"_s;
        picture.waitingLock(held, id, id == 70 ? "S" : "IX", request.waited, blocker).of(7000 + id);
        blocker = id == 63 ? 63 : 61;
    }
    picture.session(80, "nightly import").sleeping(20'000);
    picture.appLock(80, u"nightly import"_s, "X");
    picture.appLock(63, u"lockscope:orders/4711"_s, "X");
    return picture;
}

/// Hides other sessions from users without the right.
static void closeViews(Picture& picture)
{
    picture.rights.clear();
    picture.closedViews = {u"sys.dm_tran_locks"_s, u"sys.dm_os_waiting_tasks"_s, u"sys.dm_os_memory_clerks"_s,
        u"sys.dm_exec_connections"_s, u"sys.dm_tran_session_transactions"_s};
}

/// An engine that speaks TDS but is not Microsoft's.
static void removeViews(Picture& picture)
{
    picture.babelfish = u"4.3.0"_s;
    picture.missingViews = {u"sys.dm_tran_locks"_s, u"sys.dm_os_waiting_tasks"_s,
        u"sys.dm_os_memory_clerks"_s, u"sys.dm_exec_requests"_s, u"sys.dm_tran_session_transactions"_s};
    picture.appLockNames = {{u"nightly import"_s, true}};
}

static void fillLockTable(AdminAnswers::State& state)
{
    const qint64 now = contention().nowUs;
    state.nowUs = now;
    state.table.put({u"orders/4711"_s, u"t1"_s, 17, now - 90'000'000, now + 510'000'000,
        {u"ann"_s, u"app01"_s, u"sync"_s, 4711, 63}});
    state.table.put({u"best sellers"_s, u"t2"_s, 12, now - 4'000'000'000, now - 400'000'000,
        {u"iis"_s, u"web02"_s, u"w3wp"_s, 1288, 70}});
}

/// One report of three deadlocks, ten minutes ago.
static void showDeadlock(EventPicture& events, qint64 now, bool isOpen)
{
    constexpr qint64 minute = 60'000'000;
    events.isOpen = isOpen;
    events.deadlocks = 3;
    events.session(u"system_health"_s).file = u"system_health.xel"_s;
    events.file(u"system_health"_s, now - 600 * minute)
        .write({eventOf(u"xml_deadlock_report"_s, lockscope::test::twoRowsXml(), now - 10 * minute)});
}

int main(int argc, char** argv)
{
    const QCoreApplication app(argc, argv);
    QCommandLineParser parser;
    parser.setApplicationDescription(
        u"A test double of SQL Server on a port of this machine: it knows the statements of Lockscope's tests and no others. Prints its URL; ends with its standard input. Takes any password."_s);
    const QCommandLineOption poor(
        u"no-databases"_s, u"Clients may not create databases, only use what is there."_s);
    const QCommandLineOption closed(u"no-rights"_s, u"Clients may not see other sessions and their locks."_s);
    const QCommandLineOption bare(
        u"no-views"_s, u"There are no views of locks and waits, as on another engine that speaks TDS."_s);
    parser.addOptions({poor, closed, bare});
    parser.addHelpOption();
    parser.process(app);

    std::unique_ptr<LockAnswers> locks; // these outlive the server
    std::unique_ptr<DatabaseAnswers> databases;
    std::unique_ptr<QueueAnswers> queues;
    TdsServer server;
    addCheckAnswers(server); // of which those that keep a state know some better
    MonitorAnswers monitor(server);
    Picture picture = contention();
    if (parser.isSet(closed))
        closeViews(picture);
    if (parser.isSet(bare))
        removeViews(picture);
    monitor.show(picture);
    monitor.events().change(
        [&](EventPicture& events) { showDeadlock(events, picture.nowUs, !parser.isSet(closed)); });
    AdminAnswers admin(server);
    admin.change(fillLockTable);
    locks = std::make_unique<LockAnswers>(server);
    databases = std::make_unique<DatabaseAnswers>(server, *locks);
    queues = std::make_unique<QueueAnswers>(server);
    databases->setMayCreate(!parser.isSet(poor));

    std::printf("%s\n", qPrintable(urlOf(server).toString()));
    std::fflush(stdout);
    QSocketNotifier input(STDIN_FILENO, QSocketNotifier::Read);
    QObject::connect(&input, &QSocketNotifier::activated, [] {
        char byte = 0;
        if (read(STDIN_FILENO, &byte, 1) <= 0)
            QCoreApplication::quit();
    });
    return QCoreApplication::exec();
}
