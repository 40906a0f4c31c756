// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Diagnosis.h"
#include "core/domain/Thresholds.h"
#include "tests/support/TakenSnapshot.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/support/tds/AdminAnswers.h"
#include "tests/support/tds/MonitorAnswers.h"

namespace lockscope::test::tds {

inline constexpr qint64 orders = 1'977'058'079;
inline constexpr qint64 ordersHobt = 72'057'594'038'910'976;
inline const QString unitOfWork = u"D5499C66-E398-45CA-BF7E-DC9C194B48CF"_s;

/// A double with some contention, and the source that reads it through the real driver.
struct SnapshotBench {
    TdsServer server;
    AdminAnswers acts{server};
    MonitorAnswers answers{server};
    db::ServerUrl url = urlOf(server);
    db::PasswordProvider passwords = [this](const QString&) -> Result<QString> { return passwordOf(server); };
    std::unique_ptr<monitor::SnapshotSource> source;

    explicit SnapshotBench(const Picture& picture = {}, const monitor::ProbeSelection& probes = {},
        const QList<db::AttachedTable>& attached = {})
    {
        answers.show(picture);
        db::ServerProfile profile = test::profileOf(url);
        profile.attached = attached;
        source = monitor::makeSnapshotSource({profile, passwords}, probes);
    }

    SnapshotPtr take() { return test::take(*source); }
    /// Polls until one takes the question for a name with it that is not known; false if none does.
    [[nodiscard]] bool waitUntilAskedAgain(const QString& name)
    {
        return test::waitUntil([&] {
            (void)take();
            const QString sent = server.seen().back().texts.join(u' ');
            return sent.contains(u"sys.dm_tran_locks"_s) && sent.contains(name);
        });
    }

    /// Statements that the reading session sends, batch by batch.
    qsizetype roundTrips() { return static_cast<qsizetype>(server.seen().size()); }
    /// Returns whether the statements after the first `after` ask for locks.
    bool asksForLocks(qsizetype after)
    {
        const auto seen = server.seen();
        return std::any_of(seen.begin() + after, seen.end(), [](const SeenMessage& message) {
            return message.texts.join(u' ').contains(u"FROM sys.dm_tran_locks"_s);
        });
    }
};

/// The first one.
inline SnapshotPtr snapshotOf(const Picture& picture, const monitor::ProbeSelection& probes = {},
    const QList<db::AttachedTable>& attached = {})
{
    return SnapshotBench(picture, probes, attached).take();
}

inline const LockRequest* requestOf(const Snapshot& snapshot, qint64 session, bool waiting = false)
{
    const auto found = std::ranges::find_if(snapshot.requests, [&](const LockRequest& request) {
        return request.session.value == session && request.isWaiting() == waiting;
    });
    return found == snapshot.requests.end() ? nullptr : &*found;
}

inline QString nameOf(const Snapshot& snapshot, const LockRequest* request)
{
    return request ? snapshot.resourceOf(*request).name : u"(none)"_s;
}

/// "63->71 70->63", in the order of the edges' waiters.
inline QString edgesOf(const Snapshot& snapshot)
{
    std::vector<std::pair<qint64, qint64>> edges;
    for (const WaitEdge& edge : snapshot.waits)
        edges.emplace_back(edge.waiter.value, edge.blocker.value);
    std::sort(edges.begin(), edges.end());
    QStringList texts;
    for (const auto& [waiter, blocker] : edges)
        texts << u"%1->%2"_s.arg(waiter).arg(blocker);
    return texts.join(u' ');
}

/// Returns the parts that the snapshot says it does not show.
inline QStringList missesOf(const Snapshot& snapshot)
{
    QStringList texts = textsOf(snapshot.limitations, &Limitation::what);
    return texts;
}

inline Diagnosis diagnosisOf(const Snapshot& snapshot, qint64 session)
{
    return diagnose(snapshot, {session}, LockThresholds().hold.amber);
}

/// 71 has the table and sleeps; 63 waits for it.
inline Picture sleepingHead()
{
    Picture picture;
    picture.names[{u"[orders]"_s, orders}] = u"dbo.orders"_s;
    picture.session(71, "billing").sleeping(360'000).inTransaction(400'000, 7'001).lastHandle = u"0200AA"_s;
    picture.session(63, "shop");
    picture.request(63, "UPDATE", 41'000).waitType = u"LCK_M_IX"_s;
    picture.requests.back().blocker = 71;
    picture.requests.back().handle = u"0200BB"_s;
    picture.requests.back().start = 2 * 11;
    picture.texts[u"0200AA"_s] = u"UPDATE orders SET note = N'a' "_s;
    picture.texts[u"0200BB"_s] = u"SELECT 1;\n UPDATE orders SET note = N'b'"_s;
    picture.lock(71, "OBJECT", orders, "X").of(7'001);
    picture.waitingLock(picture.locks.back(), 63, "IX", 41'000, 71);
    picture.locks.back().of(7'002);
    return picture;
}

} // namespace lockscope::test::tds
