// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/db/ServerProfile.h"
#include "core/domain/Framework.h"
#include "core/frameworks/Catalogue.h"
#include "core/frameworks/FoundTable.h"
#include "core/frameworks/ProgramZone.h"

#include <QSet>

#include <stop_token>
#include <vector>

namespace lockscope::frameworks {

/// Searches for the tables that the catalogue and the server's profile name, in every schema of the
/// connection's database, from the server's own catalogue: one round trip, no table is touched. One thread.
class TableSearch {
public:
    TableSearch(const db::Dialect& dialect, CataloguePtr catalogue, db::ServerProfile profile);

    /// The connection's role has nothing that somebody could gain by it: every table that it may read is
    /// read.
    void setByReader(bool byReader) { m_byReader = byReader; }
    /// Begins again: returns what is to run as one batch. The items write into this object.
    std::vector<db::BatchItem> items();
    /// To call when they have run. On PostgreSQL it asks of tables that refer to other objects whose these
    /// are: a round trip where there are such tables. Before, they are not trusted.
    Result<void> judgeReferring(db::Connection& connection, const std::stop_token& stop = {});

    /// Returns what they found.
    DatabaseFacts facts() const;
    /// The tables with locks in their rows, those of the profile first. A table that is attached is not read
    /// as a framework's, too.
    std::vector<FoundTablePtr> found() const;
    /// Attached, and not there or without their columns.
    QList<db::AttachedTable> missing() const;
    /// The server replays another's changes, perhaps late: holders have their sessions there, and not here.
    bool isCopy() const { return m_isCopy; }
    const ServerZone& zone() const { return m_zone; }

private:
    void request(const FrameworkTable& table);
    void add(const db::Row& row);
    const DatabaseTable* attachedTable(const db::AttachedTable& attached) const;
    FoundTable foundOf(
        const FrameworkPtr& framework, const FrameworkLock& lock, const DatabaseTable& table) const;
    void judge(FoundTable& found) const;
    bool isCopied(const DatabaseTable& table) const;
    bool isHarmless(const DatabaseTable& table) const { return table.isTrusted || m_byReader; }
    QString whyNotCopied(const DatabaseTable& table) const;
    QString whyNotRead(const DatabaseTable& table, const QStringList& columns) const;

    const db::Dialect& m_dialect;
    CataloguePtr m_catalogue;
    db::ServerProfile m_profile;
    std::vector<FrameworkTable> m_tableRules;
    QString m_names; ///< one a line
    QString m_columns;
    QString m_patterns;
    std::vector<DatabaseTable> m_tables;
    std::shared_ptr<LockRowTable> m_last; ///< of the table whose columns come just now
    DatabaseFacts m_facts;
    QSet<quint64>
        m_referring; ///< tables that are trusted if they lead to no stranger's code, by their numbers
    bool m_isCopy = false;
    bool m_byReader = false;
    ServerZone m_zone;
};

/// An attached table as a framework of its own: rows with a name and a time, freed by deleting exactly the
/// row that was shown. Of each engine.
FrameworkPtr ofAttached(const db::AttachedTable& table);

} // namespace lockscope::frameworks
