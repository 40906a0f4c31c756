// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/Session.h"

#include "core/monitor/SnapshotSource.h"

#include <map>
#include <random>
#include <set>

namespace lockscope::test {

/// Real sessions that take locks of every kind at random, wait for each other and release them. After each
/// step the waits that we compute from pg_locks are compared with those that the server names.
class RandomContention {
public:
    struct Order {
        unsigned seed = 1;
        int contenders = 8;
        int steps = 24;
    };
    RandomContention(TestServer& server, Order order);

    /// Returns the difference between our answer and the server's; empty if there is none.
    QString run();
    int waiters() const { return m_waiters; } ///< how many were compared

private:
    using Blockers = std::map<qint64, std::set<qint64>>;

    QString randomStep();
    bool takeStep(QString& sql);
    bool isSettled() const;
    std::optional<QString> compare(); ///< nothing if the server changed its mind meanwhile
    Blockers byTheServer() const;
    int pick(int count) { return std::uniform_int_distribution(0, count - 1)(m_random); }

    const Order m_order;
    std::mt19937 m_random;
    std::vector<std::unique_ptr<Session>> m_contenders;
    std::unique_ptr<monitor::SnapshotSource> m_source;
    std::unique_ptr<db::Connection> m_observer;
    int m_waiters = 0;
};

} // namespace lockscope::test
