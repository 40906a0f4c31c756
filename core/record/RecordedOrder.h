// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/order/OrderWatch.h"
#include "core/record/RecordingReader.h"

#include <optional>

namespace lockscope::record {

/// The order in which locks were taken, from the snapshots of a recording. The thread of its reader.
class RecordedOrder {
public:
    /// Reads the order known at `to` from the snapshots since `from`. A later `to` reads on from where the
    /// last call ended, with all that it knew; an earlier one begins again. `goOn` is called after each
    /// snapshot; false is the error Cancelled, and state() has what was read until then.
    using GoOn = std::function<bool(qint64 polls)>;
    Result<order::OrderStatePtr> read(
        RecordingReader& reader, ServerTime from, ServerTime to, const GoOn& goOn = {});
    order::OrderStatePtr state() const;
    qint64 unreadable() const { return m_unreadable; } ///< damaged snapshots

private:
    void takeServerCounts(RecordingReader& reader, ServerTime from, ServerTime to);
    Result<void> take(const RecordingReader::Frame& frame, const GoOn& goOn);

    std::optional<order::OrderOfSnapshots> m_order;
    qint64 m_unreadable = 0;
};

} // namespace lockscope::record
