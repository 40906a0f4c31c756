// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/FrameworkMatch.h"
#include "core/domain/LockMode.h"
#include "core/frameworks/FoundTable.h"
#include "core/frameworks/KeyFormula.h"

#include <QHash>
#include <QRegularExpression>

#include <functional>
#include <vector>

namespace lockscope::frameworks {

/// Something that a lock may be.
struct Candidate {
    FrameworkPtr framework;
    const FrameworkLock* lock = nullptr;
    int weight = 0; ///< of several the heaviest counts; from `certainly` on it is certain
    QString name; ///< the lock's name then
    QString evidence{};

    static constexpr int certainly = 100;
};

/// The possible locks of one database, computed once: keys by number, patterns, tables. Immutable.
class RuleIndex {
public:
    /// `facts`: of that database; of others than the connection's only the name.
    RuleIndex(Engine engine, const std::vector<FrameworkPtr>& frameworks, DatabaseFacts facts);

    /// `part`: pg_locks.objsubid. `tableName`: of a table by its number, empty if it is not known.
    std::vector<Candidate> key(
        quint64 number, quint64 part, const std::function<QString(quint32)>& tableName) const;
    /// `isCut`: the name may go on.
    std::vector<Candidate> applicationLock(const QString& name, bool isCut) const;
    struct OfTable {
        Candidate candidate;
        std::vector<LockMode> modes;
    };
    /// Locks of the kind "table", by the table's number, or by the number of a part of it.
    const std::vector<OfTable>* table(quint64 id) const;
    const std::vector<OfTable>* tablePart(quint64 id) const;

private:
    struct Rule { ///< one that no number can be computed of
        FrameworkPtr framework;
        const FrameworkLock* lock = nullptr;
        const AdvisoryKeyRule* rule = nullptr;
    };
    struct Pattern {
        FrameworkPtr framework;
        const FrameworkLock* lock = nullptr;
        const ApplicationLockRule* rule = nullptr;
        QRegularExpression whole;
        QHash<QString, KeyNames> keys{}; ///< by the number in decimal
    };

    void add(Engine engine, const FrameworkPtr& framework, const FrameworkLock& lock);
    void addKey(const FrameworkPtr& framework, const FrameworkLock& lock, const AdvisoryKeyRule& rule);
    void addTable(const FrameworkPtr& framework, const FrameworkLock& lock, Engine engine);
    /// All names that the places of these texts can stand for.
    std::vector<KeyNames> namesFor(const FrameworkLock& lock, const QString& texts) const;
    bool meets(const FrameworkLock& lock) const;
    bool hasTableOf(const Framework& framework) const;
    int weightOf(const Framework& framework, const FrameworkLock& lock, const AdvisoryKeyRule& rule,
        quint64 number, bool hasPlaces) const;
    /// Compares with parts that can't be computed beforehand: any number, or a table's. False: it does not
    /// fit.
    bool matchParts(Candidate& found, const Rule& rule, quint64 number, quint64 part,
        const std::function<QString(quint32)>& tableName) const;
    std::optional<Candidate> generic(const Rule& rule, quint64 number, quint64 part,
        const std::function<QString(quint32)>& tableName) const;

    const DatabaseFacts m_facts;
    QHash<std::pair<quint64, quint64>, std::vector<Candidate>> m_numbers; ///< by part and number
    std::vector<Rule> m_rules;
    std::vector<Pattern> m_patterns;
    QHash<quint64, std::vector<OfTable>> m_tables;
    QHash<quint64, std::vector<OfTable>> m_parts;
};

} // namespace lockscope::frameworks
