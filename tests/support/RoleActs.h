// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QStringList>

namespace lockscope::test {

/// The SQL of an engine for what people do with the schema. SQL that is the same on all engines is not here.
struct RoleActs {
    QString acquire;
    QString renew;
    QString release;
    QString leaveQueue;
    QString purge;
    QString insertEntry; ///< by hand, past the functions
    QString emptyTable; ///< of all entries, without looking
    QString writeAudit;
    QString takeAppLock;
    QString takeKey; ///< a surrogate
    QString makeTable; ///< a surrogate
};

/// "none" is somebody without any of ours.
inline const QStringList schemaRoles{
    QStringLiteral("none"), QStringLiteral("reader"), QStringLiteral("operator"), QStringLiteral("admin")};

// Adds the data of a test: the columns "role" and "sql", and a row for each action that a role may do, or may
// not.
void addAllowed(const RoleActs& acts);
void addForbidden(const RoleActs& acts);

} // namespace lockscope::test
