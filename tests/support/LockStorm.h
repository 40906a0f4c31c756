// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/FaultyNetwork.h"
#include "tests/support/LockHistory.h"
#include "tests/support/OtherProcess.h"
#include "tests/support/StormPart.h"

#include <chrono>
#include <map>
#include <random>

namespace lockscope::test {

/// Mixed clients, each a process, fight for a few names of a lock table, while they are killed, stopped and
/// cut off and the server crashes; the server's history and what the clients know are judged by LockHistory.
class LockStorm {
public:
    struct Order {
        qint64 grants = 3'000; ///< goes on until so many were seen
        qint64 overlaps = 0; ///< and so many plain INSERTs that somebody had to wait for
        int names = 3;
        unsigned seed = 1;
        /// The average time from one blow to the next; none: nobody is killed, stopped or cut off.
        std::optional<milliseconds> strikes = milliseconds(250);
        std::vector<StormWay> ways{StormWay::Library, StormWay::Library, StormWay::Lockctl,
            StormWay::Functions, StormWay::Functions, StormWay::PlainSql, StormWay::PlainSql};
        milliseconds patience{240'000}; ///< then it is stuck
    };

    /// The rig's database gets triggers that write down what becomes of its rows.
    LockStorm(const LockRig& rig, Order order);
    ~LockStorm();

    /// Runs to the end; returns the faults, a line each.
    QStringList run();
    /// Returns a summary for the reader of the test's output.
    QString report() const;
    qint64 grants() const { return m_history.grants(); }
    qint64 overlaps() const { return m_overlaps; }

private:
    using Clock = std::chrono::steady_clock;
    struct Client {
        StormWay way = StormWay::Library;
        int number = 0;
        bool isFar = false; ///< behind the faulty network
        std::unique_ptr<OtherProcess> process;
        std::optional<Clock::time_point> wakesAt; ///< of one that is stopped
        std::vector<qint64> stopped; ///< the processes that were
        QStringList files; ///< one each time it is started
    };
    enum class Strike { Kill, Stop, EndSession, Cut, Stall, Crash, Purge };

    void prepareHistory() const;
    void start(Client& client);
    void strike();
    void wake(Clock::time_point now);
    bool calmDown(); ///< everybody is granted something again
    /// lockctl's clients are the processes that they start.
    static std::vector<qint64> targets(const Client& client);
    void crashServer();
    /// Reads what the server's history has new.
    void drain();
    Result<qint64> takeFromServer(const db::RowSink& keep);
    Result<qint64> takeFromFile(const db::RowSink& keep);
    qint64 countLines(char kind) const;
    void readFiles();
    std::optional<qint64> ask(const QString& sql);
    bool connect();
    int pick(int count) { return std::uniform_int_distribution(0, count - 1)(m_random); }

    const LockRig& m_rig;
    const bool m_isFile;
    const Order m_order;
    QTemporaryDir m_directory;
    std::unique_ptr<FaultyNetwork> m_network; ///< none for a file
    std::optional<Clock::time_point> m_stallEnds;
    std::unique_ptr<db::Connection> m_observer;
    std::vector<Client> m_clients;
    std::mt19937 m_random;
    LockHistory m_history;
    QStringList m_faults;
    std::map<Strike, int> m_strikes;
    std::map<StormWay, qint64> m_held;
    qint64 m_overlaps = 0;
    Clock::duration m_took{};
};

} // namespace lockscope::test
