// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Notice.h"

#include <QByteArray>
#include <QDateTime>

#include <span>

namespace lockscope::alert {

/// Returns whether it is a plain address, "ann@example.net": no name, no list, nothing that could be a
/// header.
bool isMailAddress(const QString& text);
/// Returns a message of RFC 5322 in plain text, lines ending in CR LF. All notices of an incident are one
/// thread in mail programs: they answer to the same one.
QByteArray mailMessage(
    const ChannelSettings& settings, std::span<const Notice> notices, const QDateTime& now);

} // namespace lockscope::alert
