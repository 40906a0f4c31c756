// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"

#include <random>

namespace lockscope::test {

/// Snapshots of a server on which rows come, go, change and move at random; each field takes any value that
/// it can have. Repeatable by seed.
class RandomSnapshots {
public:
    struct Order {
        int sessions = 12;
        int requests = 30;
        double changes = 0.3; ///< the part of the rows that changes from one to the next
    };
    explicit RandomSnapshots(quint32 seed)
        : RandomSnapshots(seed, Order())
    {
    }
    RandomSnapshots(quint32 seed, Order order);

    Snapshot next();

private:
    template <class Row> void change(std::vector<Row>& rows, int usual);
    template <class Row> Row randomRow();
    bool chance(double part) { return std::uniform_real_distribution<>(0, 1)(m_dice) < part; }

    std::mt19937 m_dice;
    Order m_order;
    Snapshot m_now;
};

/// Returns the difference of two snapshots in words; empty if there is none.
QString differenceOf(const Snapshot& a, const Snapshot& b);

} // namespace lockscope::test
