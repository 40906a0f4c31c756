// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/frameworks/Catalogue.h"
#include "core/frameworks/FoundTable.h"
#include "core/frameworks/Recogniser.h"

#include <vector>

namespace lockscope::frameworks {

/// Looks for the tables that the catalogue and the server's profile name, in every schema of the
/// connection's database, from the server's own catalogue: one round trip, no table is touched. One thread.
class TableSearch {
public:
    TableSearch(const db::Dialect& dialect, CataloguePtr catalogue, db::ServerProfile profile);

    /// Begins anew: to run as one batch. The items write into this object.
    std::vector<db::BatchItem> items();

    /// What they found.
    DatabaseFacts facts() const;
    /// The tables with locks in their rows, those of the profile first. A table that is attached is not read
    /// as a framework's, too.
    std::vector<FoundTablePtr> found() const;
    /// Attached, and not there or without their columns.
    QList<db::AttachedTable> missing() const;
    /// The server replays another's changes, perhaps late: holders have their sessions there, and not here.
    bool isCopy() const { return m_isCopy; }

private:
    void want(const FrameworkTable& table);
    void add(const db::Row& row);
    const DatabaseTable* attachedTable(const db::AttachedTable& attached) const;
    FoundTable foundOf(
        const FrameworkPtr& framework, const FrameworkLock& lock, const DatabaseTable& table) const;
    void judge(FoundTable& found) const;
    QString whyNotRead(const DatabaseTable& table, const QStringList& columns) const;

    const db::Dialect& m_dialect;
    CataloguePtr m_catalogue;
    db::ServerProfile m_profile;
    std::vector<FrameworkTable> m_wanted;
    QString m_names; ///< one a line
    QString m_columns;
    QString m_patterns;
    std::vector<DatabaseTable> m_tables;
    std::shared_ptr<LockRowTable> m_last; ///< of the table whose columns come at the moment
    DatabaseFacts m_facts;
    bool m_isCopy = false;
};

} // namespace lockscope::frameworks
