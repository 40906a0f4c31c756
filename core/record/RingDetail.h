// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/SameDeadlock.h"

#include <QJsonObject>

namespace lockscope::record {

/// In the detail of an event: the sessions of a ring and their transactions, by which a deadlock that a look
/// saw and the one that the server told are found to be one. Without its time, which is that of the event.
QJsonObject ringDetail(const deadlock::Identity& ring);
/// Nothing if it is none, as in events of before this was recorded.
std::optional<deadlock::Identity> ringOfDetail(const QJsonValue& detail, ServerTime at);
/// The detail of an event, as it is recorded.
QString detailText(const QJsonObject& detail);

} // namespace lockscope::record
