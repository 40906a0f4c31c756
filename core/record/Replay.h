// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"
#include "core/record/Store.h"
#include "core/record/StoredTexts.h"

#include <functional>
#include <vector>

namespace lockscope::record {

/// Finds the snapshots in a recording. Going on from one to the next is cheap; any other begins at the key
/// frame before it. Thread-bound like the store.
class Replay {
public:
    Replay(Store& store, StoredTexts& texts)
        : m_store(store)
        , m_texts(texts)
    {
    }

    /// Returns the last snapshot at or before `at`, or the first of all. MissingObject: there is none.
    Result<SnapshotPtr> at(ServerTime at);
    /// Returns the snapshot of the frame `number`, of which `keyFrame` is the key frame.
    Result<SnapshotPtr> frame(qint64 number, qint64 keyFrame);
    struct Place {
        qint64 number;
        qint64 keyFrame;
        ServerTime taken;
        ServerTime noted;
        qint64 segment;
        microseconds interval;
    };
    /// Goes through the frames after this one, in the order of the file; `onPlace` ends it by returning
    /// false.
    Result<void> each(qint64 after, const std::function<bool(const Place&)>& onPlace);

private:
    Result<SnapshotPtr> decoded(qint64 number, qint64 keyFrame);
    Result<void> readFrames(qint64 first, qint64 last, std::vector<QByteArray>& frames);

    Store& m_store;
    StoredTexts& m_texts;
    SnapshotPtr m_last;
    qint64 m_lastNumber = 0;
};

} // namespace lockscope::record
