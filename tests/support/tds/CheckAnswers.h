// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/SessionAnswers.h"

namespace lockscope::test::tds {

/// The answers of a server about a session, its database and the schema when it is checked.
struct CheckPicture {
    QString login = QStringLiteral("ann");
    QString user = QStringLiteral("ann");
    QString authentication = QStringLiteral("SQL");
    std::optional<bool> reader; ///< nothing: there is no such role
    std::optional<QString> encrypted = QStringLiteral("FALSE"); ///< nothing: closed to us
    QString collation = QStringLiteral("Latin1_General_100_CI_AS_SC_UTF8");
    bool readCommittedSnapshot = false;
    QString snapshotIsolation = QStringLiteral("OFF");
    std::optional<bool> optimizedLocking;
    SchemaPicture schema{};
};

/// Answers sqlserver/check/* and what asks for the schema.
void addCheckAnswers(TdsServer& server, const CheckPicture& picture = {});

} // namespace lockscope::test::tds
