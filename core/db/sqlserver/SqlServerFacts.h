// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <QSet>
#include <QString>
#include <QStringList>

namespace lockscope::db {

class Row;

/// Error::nativeCode of a server that is too old: what it says itself to a function that it does not know.
inline constexpr QLatin1StringView tooOldCode{"195"};

/// The facts that a server that speaks TDS gave about itself when the session began (session/facts). A value;
/// constant for the life of the connection. Views are named without their schema: "dm_tran_locks".
struct SqlServerFacts {
    QString productVersion; ///< "16.0.4135.4"
    QString edition; ///< "Developer Edition (64-bit)"; Azure: "SQL Azure"
    int engineEdition =
        0; ///< SERVERPROPERTY('EngineEdition'): 5 = Azure SQL Database, 8 = Managed Instance …
    QString babelfishVersion; ///< "3.1.0"; empty on a Microsoft server
    QSet<QString> views; ///< dynamic management views and functions that exist, of those that we use
    QSet<QString>
        rights; ///< "VIEW SERVER STATE", …: held, of those that we use; in this database or server-wide

    static SqlServerFacts fromRow(const Row& row);

    int major() const; ///< 13 = 2016, 14 = 2017, 15 = 2019, 16 = 2022, 17 = 2025; 0 = unknown
    /// major · 1,000,000 + build, for comparisons: 16004135.
    int versionNumber() const;
    QString display() const; ///< "SQL Server 2022 16.0.4135.4", "Azure SQL Database 12.0.2000.8"
    static constexpr int azureSqlDatabase = 5;
    static constexpr int azureManagedInstance = 8;
    static constexpr int fabricSqlDatabase = 12;
    /// One database without a server around it, also the one in Microsoft Fabric.
    bool isAzureDatabase() const
    {
        return engineEdition == azureSqlDatabase || engineEdition == fabricSqlDatabase;
    }
    /// True if it is not Microsoft's engine: hints may be ignored, views be missing, cancels be late.
    bool isOtherEngine() const { return !babelfishVersion.isEmpty(); }
    /// A boxed product before 2016: it lacks functions that every poll and every lock needs.
    bool isTooOld() const;
    bool hasView(const QString& name) const { return views.contains(name); }
    /// Returns those that we use and that are missing, sorted.
    QStringList missingViews() const;
    /// Another engine may end a whole batch for a view that it lacks: don't name it to it. Microsoft's are
    /// asked all the same.
    bool mayName(const QString& view) const { return !isOtherEngine() || hasView(view); }
    /// sys.dm_db_page_info: from 2019 on.
    bool hasPageInfo() const;
    bool hasRight(const QString& name) const { return rights.contains(name); }

    /// The right that lets one see other sessions and all locks on this version and edition.
    QString viewStateRight() const;
    bool maySeeOthers() const
    {
        return hasRight(viewStateRight()) || hasRight(QStringLiteral("VIEW SERVER STATE"));
    }
    /// The statement that gives `right` to a login, on Azure SQL Database to a user; `quotedName` empty: with
    /// the name left for the administrator to fill in.
    QString grantOf(const QString& right, const QString& quotedName = {}) const;
    /// The right that lets one end other sessions.
    QString endSessionRight() const;

    bool operator==(const SqlServerFacts&) const = default;
};

} // namespace lockscope::db
