// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/AnswerTable.h"
#include "tests/support/tds/Tls.h"

#include <chrono>

namespace lockscope::test::tds {

/// A fault of a server, from the phase on. A fault within one answer is up to its handler (Reply::cutHere,
/// Reply::garbage).
struct Fault {
    enum class Kind {
        None,
        Silence, ///< takes everything and never says a word
        Cut, ///< closes the connection after `bytes` of its words
        Garbage, ///< says `bytes` that mean nothing
        Rows, ///< without end, as fast as they are taken
        Results, ///< empty ones, without end
        Messages, ///< without end
        Trickle, ///< says its words, a byte a second
    };
    enum class Phase { Connect, PreLogin, Login, Answer };

    Kind kind = Kind::None;
    Phase phase = Phase::Connect;
    int bytes = 0;
    int after = 0; ///< so many answers of that phase are right, all clients together
};

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
