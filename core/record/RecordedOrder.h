// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/order/OrderWatch.h"
#include "core/record/RecordingReader.h"

#include <optional>

namespace lockscope::record {

/// In which order locks were taken, by the moments of a recording. The thread of its reader.
class RecordedOrder {
public:
    /// What is known at `to` by the moments from `from` on. A later `to` reads on from where the last call
    /// ended, with all that it knew; an earlier one begins anew. `goOn` is asked after each moment; false is
    /// the error Cancelled, and what was read until then is state().
    using GoOn = std::function<bool(qint64 looks)>;
    Result<order::OrderStatePtr> read(
        RecordingReader& reader, ServerTime from, ServerTime to, const GoOn& goOn = {});
    order::OrderStatePtr state() const;
    qint64 unreadable() const { return m_unreadable; } ///< moments that are damaged

private:
    Result<void> take(const RecordingReader::Frame& frame, const GoOn& goOn);

    std::optional<order::OrderOfLooks> m_order;
    ServerTime m_first;
    ServerTime m_last;
    qint64 m_looks = 0;
    qint64 m_unreadable = 0;
};

} // namespace lockscope::record
