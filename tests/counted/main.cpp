// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Work whose instructions are counted: unlike its time their number is the same in each run, so that a loss
// shows on any machine. packaging/dev count runs it and compares.
#include "core/domain/BlockingGraph.h"
#include "core/domain/SnapshotComparison.h"
#include "core/order/OrderOfSnapshots.h"
#include "tests/counted/Work.h"
#include "ui/views/locks/LocksPage.h"
#include "ui/views/page/AppContext.h"

#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>

#include <array>
#include <cstdio>

namespace lockscope::instructions {

using namespace Qt::StringLiterals;

namespace {

constexpr int sessions = 500;
constexpr int locks = 10'000;
constexpr ServerTime start{1'795'230'000'000'000};

/// Each session holds twenty locks, those of an odd number with a queue; `round`, of 1 to 4, says which
/// waiter of each tenth queue has its lock by now.
SnapshotPtr crowd(int round)
{
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->takenAt = start + std::chrono::seconds(600 + round);
    for (int i = 0; i < locks / 5; ++i)
        snapshot->resources.push_back({{ResourceKind::ApplicationLock, 1, 0, static_cast<quint64>(i), {}},
            u"shop"_s, u"application lock 'customer/%1'"_s.arg(i), true});
    for (int i = 0; i < sessions; ++i) {
        Session session;
        session.id = {1'000 + i};
        session.started = start;
        session.transactionStarted = start;
        session.program = u"checkout %1"_s.arg(i % 20);
        snapshot->sessions.push_back(session);
    }
    for (int i = 0; i < locks; ++i) {
        const bool waits = i % 5 != 0 && (i / 5) % 2 == 1 && i % 100 != 5 + round;
        LockRequest request;
        request.session = {1'000 + i % sessions};
        request.sessionStarted = start;
        request.resource = static_cast<quint32>(i / 5);
        request.mode = LockMode::exclusive(Engine::Postgres);
        request.state = waits ? RequestState::Waiting : RequestState::Granted;
        request.since = start + std::chrono::milliseconds(i);
        request.sinceExact = true;
        snapshot->requests.push_back(request);
    }
    snapshot->index();
    snapshot->waits = computeWaits(*snapshot);
    return snapshot;
}

void decode()
{
    decodePoll(locks);
}

void diff()
{
    const SnapshotPtr before = crowd(1);
    const SnapshotPtr after = crowd(2);
    countedWork([&] {
        if (diffSnapshots(*before, *after).isEmpty())
            qFatal("nothing changed");
    });
}

void graph()
{
    const SnapshotPtr snapshot = crowd(1);
    countedWork([&] {
        const std::vector<WaitEdge> waits = computeWaits(*snapshot);
        if (waits.empty() || BlockingGraph(*snapshot).heads().empty())
            qFatal("nobody waits");
    });
}

/// Everybody waits for the same thing, each behind all the others.
void queue()
{
    Snapshot snapshot;
    snapshot.resources.push_back({{ResourceKind::ApplicationLock, 1, 0, 1, {}}, {}, u"queue"_s, true});
    for (int i = 0; i <= locks; ++i) {
        Session session;
        session.id = {1'000 + i};
        snapshot.sessions.push_back(session);
        LockRequest request;
        request.session = session.id;
        request.mode = LockMode::exclusive(Engine::Postgres);
        request.state = i == 0 ? RequestState::Granted : RequestState::Waiting;
        snapshot.requests.push_back(request);
    }
    snapshot.index();
    snapshot.waits = computeWaits(snapshot);
    countedWork([&] {
        if (BlockingGraph(snapshot).victimsOf({1'000}) != locks)
            qFatal("somebody does not wait");
    });
}

/// The order of locks; the names are new at the first poll only.
void lockOrder()
{
    order::OrderOfSnapshots order;
    order.add(crowd(1));
    const SnapshotPtr after = crowd(2);
    countedWork([&] { order.add(after); });
    if (order.order().seen() == 0)
        qFatal("no order was seen");
}

void refresh()
{
    const QTemporaryDir home;
    QSettings settings(home.filePath(u"counted.ini"_s), QSettings::IniFormat);
    ui::AppContext context(settings);
    ui::LocksModel model(context);
    model.sort(ui::LocksModel::AgeColumn, Qt::DescendingOrder);
    model.showSnapshot(crowd(1));
    const SnapshotPtr after = crowd(2);
    static_cast<void>(after->blocking()); // each poll works it out, whichever page is on view
    context.noteSnapshot(*after);
    countedWork([&] { model.showSnapshot(after); });
}

struct Part {
    const char* name;
    void (*run)();
};
constexpr std::array parts{Part{"decode", decode}, Part{"diff", diff}, Part{"graph", graph},
    Part{"order", lockOrder}, Part{"queue", queue}, Part{"refresh", refresh}};

} // namespace

__attribute__((noinline)) void countedWork(const std::function<void()>& work)
{
    work();
}

} // namespace lockscope::instructions

int main(int argc, char** argv)
{
    using namespace lockscope::instructions;
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication program(argc, argv);
    for (const Part& part : parts) {
        if (argc == 2 && qstrcmp(argv[1], part.name) == 0) {
            part.run();
            return 0;
        }
    }
    for (const Part& part : parts)
        std::printf("%s\n", part.name);
    return argc == 1 ? 0 : 2;
}
