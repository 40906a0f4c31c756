// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"

#include <QMap>
#include <QStringList>

#include <memory>
#include <vector>

namespace lockscope::test {

/// A table with something planted in it: planted_code.sql.
struct Trap {
    QString planter;
    QString kind;
    QString place() const { return planter + QLatin1Char('_') + kind; }
    QString table() const { return place() + QLatin1String(".shedlock"); }
};

/// A session of the shared server whose application is called so, where the name is not empty.
std::unique_ptr<db::Connection> connectAs(
    const db::ServerUrl& url, db::Purpose purpose, const QString& application);

/// A new database of the shared server with our schema and a team's history, in which four roles have planted
/// code of every kind. Code that runs writes to the server's log, even if its transaction may only read and
/// is rolled back.
class PlantedDatabase {
public:
    PlantedDatabase(); ///< ends the program if it can't be made

    const db::ServerUrl& url() const { return m_url; } ///< the superuser's
    const db::ServerUrl& operatorUrl() const { return m_operator; }
    const db::ServerUrl& monitorUrl() const { return m_monitor; }
    /// The role of an own connection for reading (`reader=`); its password is the server's.
    const QString& reader() const { return m_reader; }
    /// "superuser", "operator" or "monitor".
    const db::ServerUrl& urlOf(const QString& role) const;
    /// The roles, by "stranger", "owner", "guest" and "trigger".
    const QMap<QString, QString>& roles() const { return m_roles; }
    const std::vector<Trap>& traps() const { return m_traps; }
    /// Planted code that has run so far for an application that is not called "planting" or one of `known`.
    /// The reader may run code that it reads.
    QStringList whatRan(const QStringList& known = {}) const;

private:
    db::ServerUrl m_url;
    db::ServerUrl m_operator;
    db::ServerUrl m_monitor;
    QString m_reader;
    QMap<QString, QString> m_roles;
    std::vector<Trap> m_traps;
};

} // namespace lockscope::test
