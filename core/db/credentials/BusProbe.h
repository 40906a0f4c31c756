// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"

#include <QByteArray>

namespace lockscope::db {

/// The state of the D-Bus session bus at an address: "unix:path=/run/user/1000/bus".
enum class BusState {
    Missing, ///< nobody listens
    Silent, ///< somebody does, and does not answer
    Answers,
    Unknown, ///< an address of a kind that is not looked into
};

/// Greets the bus as a client does (D-Bus specification, "Authentication Protocol") and waits `patience` for
/// the first answer. Without the D-Bus library, which would wait for a silent bus for 25 seconds, even as the
/// program ends. Any thread.
BusState probeBus(const QByteArray& address, milliseconds patience);

} // namespace lockscope::db
