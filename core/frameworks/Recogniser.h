// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/FrameworkMatch.h"
#include "core/domain/Snapshot.h"
#include "core/frameworks/Catalogue.h"

#include <QHash>

namespace lockscope::frameworks {

/// A table of the database that has the columns of a framework's.
struct KnownTable {
    QString schema;
    QString table;
    quint64 id = 0; ///< oid or object id
    QStringList columns;
};

/// What of a database the keys of frameworks are made of.
struct DatabaseFacts {
    QString database; ///< of the connection
    QStringList schemas;
    QList<KnownTable> tables; ///< those that any framework of the catalogue names
};

/// Tells whose locks those of a snapshot are: advisory keys and application locks by constants and formulas,
/// ordinary locks by the table. All in memory; what was recognised once costs a look-up in a hash. One
/// thread.
class Recogniser {
public:
    Recogniser(Engine engine, CataloguePtr catalogue);

    /// Of the database of the connection; of others only the name is known.
    void setFacts(const DatabaseFacts& facts);
    /// Fills in `Resource::framework`, and the readable name of those that had only numbers.
    void recognise(Snapshot& snapshot);
    /// The match of a row of `table`; the same for all rows of it.
    FrameworkMatchPtr matchOf(
        const FrameworkPtr& framework, const FrameworkLock& lock, const QString& table) const;

private:
    struct Rules;

    Engine m_engine;
    CataloguePtr m_catalogue;
    std::shared_ptr<Rules> m_rules;
    DatabaseFacts m_facts;
    QHash<ResourceKey, FrameworkMatchPtr> m_known; // null: nobody's
};

} // namespace lockscope::frameworks
