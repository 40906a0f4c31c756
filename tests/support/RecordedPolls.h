// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/RecordingReader.h"
#include "core/record/RecordingWriter.h"
#include "tests/support/OrDie.h"
#include "tests/support/SnapshotBuilder.h"

#include <QTemporaryDir>

#include <functional>

namespace lockscope::test {

/// A recording that a test makes snapshot by snapshot, in a file of its own.
class RecordedPolls {
public:
    explicit RecordedPolls(Engine engine = Engine::Postgres)
    {
        const record::Identity identity{.id = QStringLiteral("test"),
            .server = QStringLiteral("shop@db1"),
            .engine = engine,
            .began = SnapshotBuilder::at(0),
            .program = QStringLiteral("test")};
        m_writer = orDie(record::RecordingWriter::open(path(), identity));
    }

    QString path() const { return m_folder.filePath(QStringLiteral("made.lockscope")); }

    /// Adds one snapshot; `fill` sets its content.
    void addPoll(int second, const std::function<void(SnapshotBuilder&)>& fill)
    {
        SnapshotBuilder builder(second);
        fill(builder);
        append(builder.take(), second);
    }
    /// Adds one poll a second, from the first to the one before `to`.
    void addPolls(int from, int to, const std::function<void(SnapshotBuilder&, int)>& fill)
    {
        for (int second = from; second < to; ++second)
            addPoll(second, [&](SnapshotBuilder& s) { fill(s, second); });
    }
    void append(const SnapshotPtr& snapshot, int second)
    {
        orDie(m_writer->append(snapshot, SnapshotBuilder::at(second)));
    }
    void end() { orDie(m_writer->end(QStringLiteral("stopped"))); }
    record::RecordingWriter& writer() { return *m_writer; }
    record::RecordingReader& reader()
    {
        if (!m_reader) {
            m_reader = orDie(record::RecordingReader::open(path()));
        }
        return *m_reader;
    }

private:
    QTemporaryDir m_folder;
    std::unique_ptr<record::RecordingWriter> m_writer;
    std::unique_ptr<record::RecordingReader> m_reader;
};

/// The only lock of that name in a recording.
inline record::RecordedLock lockNamed(record::RecordingReader& reader, const QString& name)
{
    const QList<record::RecordedLock> locks = orDie(reader.locksNamed(name));
    if (locks.size() != 1)
        qFatal("%lld locks are called %s", qlonglong(locks.size()), qPrintable(name));
    return locks.front();
}

/// Session 51 takes orders and then stock, 63 the other way round, one after the other: 12 snapshots.
inline void takeInOppositeOrders(SnapshotBuilder& s, int second)
{
    const int session = second < 6 ? 51 : 63;
    s.session(session, "shop").transaction(second % 6).running("LOCK TABLE …");
    s.holds(session, second < 6 ? "public.orders" : "public.stock", "AccessExclusiveLock", second % 6);
    if (second % 6 > 2)
        s.holds(
            session, second < 6 ? "public.stock" : "public.orders", "AccessExclusiveLock", second % 6 - 2);
}

/// A minute in a shop, polled each second. "billing" (51) has public.orders until 9 s; "report" (63) waits
/// for it from 4 s on and has it from 10 s to 14 s; "web" (70) waits from 6 s on, has it from 15 s to 20 s.
/// From 25 s to 32 s 51 has public.items, for which "web" (80) waits at 30 s and 31 s, and gives up.
inline void recordMinute(RecordedPolls& recording)
{
    recording.addPolls(0, 60, [](SnapshotBuilder& s, int i) {
        s.sessions({{51, "billing"}, {63, "report"}, {70, "web"}, {80, "web"}});
        if (i < 10)
            s.holds(51, "public.orders", "AccessExclusiveLock", 5 + i);
        if (i >= 4 && i < 10)
            s.waits(63, "public.orders", "AccessExclusiveLock", i - 4);
        if (i >= 10 && i < 15)
            s.holds(63, "public.orders", "AccessExclusiveLock", i - 10);
        if (i >= 6 && i < 15)
            s.waits(70, "public.orders", "AccessShareLock", i - 6);
        if (i >= 15 && i <= 20)
            s.holds(70, "public.orders", "AccessShareLock", i - 15);
        if (i >= 25 && i <= 32)
            s.holds(51, "public.items", "AccessExclusiveLock", i - 25);
        if (i == 30 || i == 31)
            s.waits(80, "public.items", "RowExclusiveLock", i - 30);
    });
}

/// A recording of that minute.
class RecordedMinute : public RecordedPolls {
public:
    RecordedMinute() { recordMinute(*this); }
};

} // namespace lockscope::test
