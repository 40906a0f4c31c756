// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Deadlock.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QStringList>

#include <vector>

namespace lockscope::scenario {

/// The strength of a lock, whatever the engine calls it; the stronger ones later.
enum class Strength : quint8 {
    SchemaStability,
    IntentShared,
    IntentExclusive,
    Shared,
    Update,
    SharedIntentExclusive,
    Exclusive,
    SchemaChange,
};

/// One lock of a participant: of which stand-in, and how strong.
struct Need {
    int place = 0; ///< in StandIns
    Strength strength = Strength::Exclusive;
    bool isRange = false; ///< of a lock of a range, which serializable sessions take

    bool operator==(const Need&) const = default;
};

/// A name of the report for people: short, and in one line.
QString plain(const QString& name);

/// The objects that stand for the resources of a deadlock in a scenario. Names of the report are only in
/// labels.
class StandIns {
public:
    explicit StandIns(const deadlock::Deadlock& deadlock);

    /// The need of that resource in that mode; makes its stand-in.
    Need need(int resource, const QString& mode);
    /// The place of one row that stands for all rows behind the transactions of the report.
    int commonRow();
    /// Returns the strengths in which a table may be held that somebody waits for in the mode `requested`,
    /// the weakest first, where the report does not say it; `isShared`: several hold it at once. Else empty.
    std::vector<Strength> heldThatFit(int resource, const QString& requested, bool isShared);
    /// The weakest strength that keeps out all that either of them keeps out.
    Strength joined(int place, Strength one, Strength other) const;
    bool covers(int place, Strength strong, Strength weak) const
    {
        return joined(place, strong, weak) == strong;
    }
    /// Equal numbers: two locks meet in the same way. 0 if neither keeps the other out.
    int meeting(const Need& one, const Need& other) const;
    /// "to read rows": of a table's lock, for people.
    static QString modeText(Strength strength);
    /// "shop.orders row 1"
    QString label(int place) const { return m_things[size_t(place)].label; }
    bool isRow(int place) const { return m_things[size_t(place)].kind == Kind::Row; }
    /// The rows that two places stand for are of one table.
    bool isSameTable(int a, int b) const;
    /// Statements that make the tables, by engine.
    QJsonObject setup() const;
    /// The step that takes the lock in an open transaction.
    QJsonObject step(const Need& need) const;
    /// One statement that takes them all; they are rows of one table.
    QJsonObject oneStatement(const std::vector<Need>& needs) const;
    /// Reads the row and locks nothing. PostgreSQL only.
    QJsonObject readWithoutLock(int place) const;
    const QStringList& leftOut() const { return m_leftOut; }

private:
    enum class Kind : quint8 { Row, Table, ApplicationLock };
    struct Thing {
        int resource = 0; ///< of the report; −1: of none of its own
        Kind kind = Kind::Row;
        int table = 0; ///< of a row or table: its number
        int row = 0;
        QString label;
    };
    Kind kindOf(const deadlock::LockedThing& resource);
    Strength strengthOf(const deadlock::LockedThing& resource, const QString& mode);
    int tableNumber(const QString& name);
    QStringList reachOf(int place) const;
    void leaveOut(const QString& sentence);

    const deadlock::Deadlock& m_deadlock;
    std::vector<Thing> m_things;
    QStringList m_tables; ///< names of the report
    QStringList m_leftOut;
};

} // namespace lockscope::scenario
