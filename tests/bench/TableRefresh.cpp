// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Measures the time that a refresh of the Locks page takes on the GUI thread.
#include "tests/bench/Bench.h"
#include "tests/bench/Measure.h"

#include "core/domain/SnapshotComparison.h"
#include "ui/kit/tables/TableView.h"
#include "ui/views/locks/LocksPage.h"
#include "ui/views/page/AppContext.h"

#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>

namespace lockscope::bench {

using namespace Qt::StringLiterals;

constexpr int sessions = 1'000;
constexpr int requests = 100'000;
constexpr int shifting = 100; // rows that come and go in each round
constexpr int locksPerResource = 5;
constexpr int resources = (requests + shifting) / locksPerResource;
constexpr ServerTime start{1'795'230'000'000'000};

/// Each session holds a hundred locks. In each round another 400 of the rows wait and 400 do not any more; a
/// hundred have gone, and another hundred have come.
static SnapshotPtr makeSnapshot(int round)
{
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->server = u"bench"_s;
    snapshot->takenAt = start + std::chrono::seconds(600 + round);
    for (int i = 0; i < resources; ++i)
        snapshot->resources.push_back({{ResourceKind::ApplicationLock, 1, 0, static_cast<quint64>(i), {}},
            u"shop"_s, u"application lock 'customer/%1'"_s.arg(i), true});
    for (int i = 0; i < sessions; ++i) {
        Session session;
        session.id = {1'000 + i};
        session.started = start;
        session.state = SessionState::Active;
        session.user = u"app"_s;
        session.database = u"shop"_s;
        session.program = u"checkout %1"_s.arg(i % 20);
        session.host = u"app%1"_s.arg(i % 7);
        session.statement = u"UPDATE orders SET paid = true WHERE id = %1"_s.arg(i);
        snapshot->sessions.push_back(session);
    }
    for (int i = 0; i < requests + shifting; ++i) {
        if (i % (requests / shifting + 1) == round)
            continue; // each round lacks others
        LockRequest request;
        request.session = {1'000 + i % sessions};
        request.sessionStarted = start;
        request.resource = static_cast<quint32>(i / locksPerResource);
        request.mode = LockMode::exclusive(Engine::Postgres);
        const bool isWaiting = i % 250 == round % 250;
        request.state = isWaiting ? RequestState::Waiting : RequestState::Granted;
        request.since = start + std::chrono::milliseconds(isWaiting ? 600'000 + round : i);
        request.sinceExact = true;
        snapshot->requests.push_back(request);
    }
    snapshot->index();
    snapshot->waits = computeWaits(*snapshot);
    return snapshot;
}

void tableRefresh(Bench& bench)
{
    bench.report.section(u"Refresh of 100,000 sorted rows, 1 % changed, on the GUI thread"_s);
    const QTemporaryDir home;
    QSettings settings(home.filePath(u"bench.ini"_s), QSettings::IniFormat);
    ui::AppContext context(settings);
    ui::LocksModel model(context);
    ui::TableView view(model);
    view.resize(1'200, 700);
    view.show();
    model.sort(ui::LocksModel::AgeColumn, Qt::DescendingOrder);
    QApplication::processEvents();

    std::vector<SnapshotPtr> snapshots;
    const int rounds = bench.rounds(30);
    for (int round = 0; round <= rounds; ++round)
        snapshots.push_back(makeSnapshot(round));
    model.showSnapshot(snapshots.front());
    QApplication::processEvents();

    std::vector<double> diff;
    std::vector<double> refresh;
    std::vector<double> paint;
    for (size_t round = 1; round < snapshots.size(); ++round) {
        const auto beforeDiff = Clock::now();
        const SnapshotDiff changes = diffSnapshots(*snapshots[round - 1], *snapshots[round]);
        diff.push_back(millisecondsSince(beforeDiff));
        context.noteSnapshot(*snapshots[round]);
        const auto beforeRefresh = Clock::now();
        model.showSnapshot(snapshots[round]);
        refresh.push_back(millisecondsSince(beforeRefresh));
        const auto beforePaint = Clock::now();
        QApplication::processEvents();
        view.viewport()->repaint();
        paint.push_back(millisecondsSince(beforePaint));
    }
    bench.report.add(u"model refresh: median"_s, median(refresh), u"ms"_s, atMost(16),
        u"p99 %1 ms"_s.arg(percentile(refresh, 0.99), 0, 'f', 1));
    bench.report.add(u"its 99th percentile"_s, percentile(refresh, 0.99), u"ms"_s, atMost(33));
    bench.report.add(u"painting the window after it: median"_s, median(paint), u"ms"_s, atMost(8));
    bench.report.add(u"diff of the two snapshots alone: median"_s, median(diff), u"ms"_s);
}

} // namespace lockscope::bench
