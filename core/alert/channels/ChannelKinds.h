// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/channels/Channel.h"

namespace lockscope::alert {

// One for each ChannelSettings::Kind; for Channel::make().
Result<std::unique_ptr<Channel>> webhookChannel(const ChannelSettings&, const ChannelOptions&);
Result<std::unique_ptr<Channel>> mailChannel(const ChannelSettings&, const ChannelOptions&);
Result<std::unique_ptr<Channel>> programChannel(const ChannelSettings&, const ChannelOptions&);
Result<std::unique_ptr<Channel>> journalChannel(const ChannelSettings&, const ChannelOptions&);

} // namespace lockscope::alert
