// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/FrameworkMatch.h"
#include "core/domain/Snapshot.h"
#include "core/frameworks/FoundTable.h"

#include <QHash>

#include <vector>

namespace lockscope::frameworks {

class RuleIndex;

/// Recognises the frameworks that a snapshot's locks belong to: advisory keys and application locks by
/// constants and formulas, ordinary locks by the table. All in memory; a lock that was recognised once costs
/// a look-up in a hash. One thread.
///
/// A match is certain if the key is a constant beyond ±65,536 that is no plain number; if it is computed of
/// names that the database has and needs more than 32 bits, a pair counting as 64; if it is computed in 32
/// bits and the database has a table of that framework; if it is a name that the pattern meets whole; or if
/// it is the framework's own `objsubid`. Everything else is likely only: ranges, plain numbers, parts that
/// may be any number. Where several frameworks match, the most certain counts and the evidence names the
/// others; several certain ones are likely only. Lockscope's own locks are nobody else's.
class Recogniser {
public:
    Recogniser(Engine engine, std::vector<FrameworkPtr> frameworks);
    ~Recogniser();
    Q_DISABLE_COPY_MOVE(Recogniser)

    /// Sets the facts of the connection's database; of others only the name is known. Forgets what was
    /// recognised, if the facts are others.
    void setFacts(const DatabaseFacts& facts);
    /// Fills in `Resource::framework`, and the readable name of those that had only numbers and are certain.
    void recognise(Snapshot& snapshot);

private:
    /// The match of a resource, kept until the facts change.
    struct Known {
        FrameworkMatchPtr match; ///< null: nobody's
        std::vector<LockMode> modes; ///< it is only if a request has one of them; none: any
    };
    const Known* known(const Resource& resource, const Snapshot& snapshot);
    Known judge(const Resource& resource, const Snapshot& snapshot, bool& mayChange) const;
    const RuleIndex& indexOf(const QString& database);

    const Engine m_engine;
    const std::vector<FrameworkPtr> m_frameworks;
    DatabaseFacts m_facts;
    QHash<QString, std::shared_ptr<const RuleIndex>> m_indexes; ///< by database
    QHash<ResourceKey, Known> m_known;
    Known m_passing; ///< of one that may be something else at the next poll
};

} // namespace lockscope::frameworks
