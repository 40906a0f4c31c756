// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"
#include "core/record/Database.h"
#include "core/record/Texts.h"

#include <functional>

namespace lockscope::record {

/// Finds the snapshots in a recording. Going on from one moment to the next is cheap; any other begins at the
/// key frame before it. Thread-bound like the database.
class Replay {
public:
    Replay(Database& database, TextSource& texts)
        : m_database(database)
        , m_texts(texts)
    {
    }

    /// The last moment at or before `at`, or the first of all. MissingObject: there is none.
    Result<SnapshotPtr> at(ServerTime at);
    /// That of the frame `number`, of which `keyFrame` is the key frame.
    Result<SnapshotPtr> frame(qint64 number, qint64 keyFrame);
    /// Goes through all of them.
    Result<void> each(const std::function<void(ServerTime at, bool whole)>& told);

private:
    Database& m_database;
    TextSource& m_texts;
    SnapshotPtr m_last;
    qint64 m_lastNumber = 0;
};

} // namespace lockscope::record
