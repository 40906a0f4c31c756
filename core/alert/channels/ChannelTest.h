// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/channels/Channel.h"

namespace lockscope::alert {

/// A test message that was delivered.
struct ChannelTest {
    QString answer; ///< what the receiver said, as a sentence
    milliseconds took{0};

    QString toString() const; ///< "It has arrived after 0.2 s. hooks.example.net answers with status 200."
};

/// Sends a test message by a channel, at once and only once: it is not queued, whatever comes of it. `by`:
/// who asks for it. Blocks as Channel::send() does.
Result<ChannelTest> testChannel(
    const ChannelSettings& settings, const QString& by, const std::stop_token& stop);

} // namespace lockscope::alert
