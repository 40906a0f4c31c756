// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/AnswerTable.h"
#include "tests/support/tds/Fault.h"
#include "tests/support/tds/Tls.h"

#include <chrono>

namespace lockscope::test::tds {

/// One message of a client, for tests that count round trips.
struct SeenMessage {
    int session = 0;
    PacketType type = PacketType::Batch;
    QStringList texts; ///< the statements in it, unwrapped
};

/// The state that all clients of a server share. Server thread only.
struct ServerState {
    QString name;
    AnswerTable answers;
    std::function<std::optional<ServerMessage>(const Login&)> refuse;
    std::vector<std::function<void(Session&)>> loggedIn;
    std::vector<std::function<void(Session&)>> disconnected;
    std::vector<std::function<void(Session&, bool committed)>> transactionEnded;
    std::shared_ptr<const TlsIdentity> tls; ///< null = it can't encrypt
    Fault fault;
    int rightAnswers = 0; ///< in the fault's phase, since it was set
    std::chrono::milliseconds delay{0}; ///< before each answer
    int lastSession = 50; ///< those up to 50 belong to the server itself
    std::vector<SeenMessage> seen;
    QStringList unknown; ///< statements that nobody answers
};

} // namespace lockscope::test::tds
