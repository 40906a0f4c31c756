// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Notice.h"

#include <QByteArray>

#include <span>

namespace lockscope::alert {

/// Returns the body of a message in the form of its receiver. `routingKey` is PagerDuty's, and so is that
/// there is one notice only. `now`: this machine's clock.
QByteArray webhookBody(ChannelSettings::Form form, std::span<const Notice> notices, bool withStatements,
    const QString& routingKey, ServerTime now);

} // namespace lockscope::alert
