// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"

#include <random>

namespace lockscope::bench {

/// A server at work, second by second: sessions run statements of a program (with parameters, as drivers send
/// them), take locks and give them back, a few wait.
class Traffic {
public:
    struct Order {
        int sessions = 200;
        int locks = 1'000;
        int names = 400; ///< that locks are taken of
        int statements = 500; ///< different ones
        double changes = 0.02; ///< of the locks, each second
        double waits = 0.01; ///< of those that come
    };
    explicit Traffic(const Order& order);

    SnapshotPtr next();

private:
    int pick(int count) { return std::uniform_int_distribution(0, count - 1)(m_dice); }
    LockRequest newRequest();

    Order m_order;
    std::mt19937 m_dice{1};
    Snapshot m_now;
    std::vector<QString> m_statements;
};

/// Sessions that take turns with one lock: who has had it begins to wait again, behind all others.
class Turns {
public:
    Turns(int waiters, int turnsPerSecond);

    SnapshotPtr next();

private:
    void takeTurn(ServerTime at);

    int m_turns;
    std::mt19937 m_dice{1};
    Snapshot m_now;
};

/// Sessions whose program writes values into its statements: each second each of them runs another text.
class LiteralTexts {
public:
    explicit LiteralTexts(int sessions);

    SnapshotPtr next();

private:
    std::mt19937 m_dice{1};
    Snapshot m_now;
};

} // namespace lockscope::bench
