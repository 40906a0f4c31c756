// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/RecordingWriter.h"
#include "tests/support/SnapshotBuilder.h"

namespace lockscope::test {

/// A made recording: an incident, calm, a gap, another incident.
///
///     s    0 … 9      51 holds public.orders, 63 is idle
///         10 … 29     63 waits for it; until 19 the name "nightly" is locked
///         30 … 39     63 has gone
///        200 … 209    63 is there again and waits for public.items
class MadeRecording {
public:
    static constexpr int firstGone = 30;
    static constexpr int lastBeforeGap = 39;
    static constexpr int firstAfterGap = 200;
    static constexpr int last = 209;

    static ServerTime time(int second) { return SnapshotBuilder::start() + std::chrono::seconds(second); }

    static SnapshotPtr at(int second)
    {
        SnapshotBuilder s(second);
        s.session(51, "billing").idleInTransaction(360 + second).running("UPDATE orders SET paid = true");
        s.holds(51, "public.orders", "RowExclusiveLock", 300 + second);
        if (second < firstGone) {
            s.session(63, "till").running("UPDATE orders SET paid = false");
            if (second >= 10)
                s.waits(63, "public.orders", "AccessExclusiveLock", second - 10);
        } else if (second >= firstAfterGap) {
            s.session(63, "till").running("DELETE FROM items");
            s.session(70, "report").idleInTransaction(20);
            s.holds(70, "public.items", "RowExclusiveLock", 20);
            s.waits(63, "public.items", "AccessExclusiveLock", second - firstAfterGap);
        }
        if (second < 20)
            s.entry("nightly", "ann").lease(600, 60 + second);
        return s.take();
    }

    static bool write(const QString& path, const QString& server)
    {
        auto writer = record::RecordingWriter::open(path,
            {.id = QStringLiteral("made"),
                .server = server,
                .engine = Engine::Postgres,
                .began = time(0),
                .program = QStringLiteral("MadeRecording")});
        if (!writer)
            return false;
        for (int second = 0; second <= last; ++second) {
            if (second > lastBeforeGap && second < firstAfterGap)
                continue;
            auto snapshot = std::make_shared<Snapshot>(*at(second));
            snapshot->server = server;
            if (!(*writer)->append(snapshot, time(second)))
                return false;
        }
        return true;
    }
};

} // namespace lockscope::test
