// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Thresholds.h"
#include "ui/shell/timetravel/TimeBarRecord.h"

namespace lockscope::ui {

/// "■ max 40 min": the greatest value on view with the sign of its level; "–" if it is empty.
QString maximumText(const QString& value, AgeLevel level);
/// "3 waiting, longest wait 0:41", "nobody waited".
QString waitingText(const record::RecordedSnapshot& snapshot);
/// Describes a place of a time bar: for a tooltip, one thing a line.
QString placeText(const TimeBarRecord& known, const QList<UnseenRange>& unseen, ServerTime at);
/// "Not recorded from 12:04:31 to 12:06:00 (1 min 29 s): the server can't be reached."
QString unseenText(const UnseenRange& unseenRange);
/// Several events of a mark, one a line: "12:04:31 deadlock: …"; of more than a few, how many others there
/// are.
QString eventsText(const QList<record::Event>& events, qsizetype first, qsizetype count);
/// Describes the position of the time bar, for users who can't see it: "Sun 22 Nov 12:04:31 UTC: 3 waiting,
/// longest wait 0:41".
QString positionText(
    const TimeBarRecord& known, const QList<UnseenRange>& unseen, std::optional<ServerTime> position);

} // namespace lockscope::ui
