// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

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

} // namespace lockscope::test::tds
