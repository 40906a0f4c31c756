// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QHash>
#include <QString>

#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace lockscope::test::tds {

/// Application locks as sp_getapplock and sp_releaseapplock give them. Not thread-safe: the server's thread.
class DoubleLocks {
public:
    enum class Mode { IntentShared, Shared, Update, IntentExclusive, Exclusive };
    enum class Owner { Transaction, Session };
    /// Return codes of the procedures; an acquire that waited and was granted returns GrantedLater.
    enum Code {
        Granted = 0,
        GrantedLater = 1,
        TimedOut = -1,
        Cancelled = -2,
        DeadlockVictim = -3,
        BadParameter = -999,
    };
    /// Names are compared binary.
    struct Key {
        QString database;
        QString principal;
        QString name;
        bool operator==(const Key&) const = default;
        bool operator<(const Key& other) const;
    };
    struct Request {
        int session = 0;
        Key key;
        Mode mode = Mode::Exclusive;
        Owner owner = Owner::Transaction;
        std::chrono::milliseconds timeout{-1}; ///< -1 = for ever, 0 = not at all
        int deadlockPriority = 0; ///< the lowest of a circle is its victim, among equals the newest
    };
    /// A line of sys.dm_tran_locks.
    struct Row {
        Key key;
        QString mode; ///< "S", "X", "SIX" …
        QString status; ///< "GRANT", "CONVERT", "WAIT"
        int session = 0;
        Owner owner = Owner::Transaction;
        int references = 0;
    };
    using Answer = std::function<void(Code)>;
    using Ticket = quint64; ///< names a waiting request; 0 = it was answered at once

    using After = std::function<void(std::chrono::milliseconds, std::function<void()>)>; ///< runs it later
    explicit DoubleLocks(After after)
        : m_after(std::move(after))
    {
    }

    /// "Exclusive" …, in any case of letters; nullopt if there is no such mode.
    static std::optional<Mode> modeOf(const QString& name);
    static bool compatible(Mode held, Mode requested);

    /// `answer` is called before acquire() returns, or later, or never if the wait is given up or cancelled.
    Ticket acquire(const Request& request, Answer answer);
    /// Returns whether acquire() would grant it at once to a session that does not hold it yet.
    bool isFree(const Request& request) const;
    /// The client's attention: nobody is answered.
    void giveUp(Ticket ticket);
    /// Gives back one reference; BadParameter if the session doesn't hold it.
    Code release(int session, Owner owner, const Key& key);
    void transactionEnded(int session);
    void disconnected(int session);

    /// Holders, then waiters in the order of their queue, name by name.
    std::vector<Row> rows() const;
    /// Returns the sessions that must go first: holders and earlier waiters in conflict. Empty for a session
    /// that doesn't wait.
    std::set<int> blockersOf(int session) const;

private:
    using Modes = std::set<Mode>; // what a holder has asked for so far; all of them stay
    struct Holder {
        int session = 0;
        Owner owner = Owner::Transaction;
        Modes modes;
        int references = 0;
    };
    struct Waiter {
        Ticket ticket = 0;
        Request request;
        Answer answer;
        bool converts = false; // holds the name already: goes before those who don't
    };
    struct Name {
        std::vector<Holder> holders;
        std::list<Waiter> waiters;
    };

    static QString modeText(const Modes& modes);
    static bool conflicts(const Holder& holder, const Request& request);
    static Holder* holderOf(Name& name, int session, Owner owner);
    void hold(Name& name, const Request& request);
    bool canHave(const Name& name, const Request& request) const;
    void grantWaiters(const Key& key);
    bool answerWaiter(Ticket ticket, Code code);
    std::set<int> blockersOf(const Name& name, const Waiter& waiter) const;
    bool breakCircle(int session);
    void releaseAll(int session, std::optional<Owner> owner);

    const After m_after;
    std::map<Key, Name> m_names;
    Ticket m_lastTicket = 0;
};

} // namespace lockscope::test::tds
