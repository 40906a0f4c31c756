// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/ServerUrl.h"
#include "core/db/sqlserver/SqlServerFacts.h"
#include "tests/support/tds/TdsServer.h"

namespace lockscope::test::tds {

/// SQL Server 2022 with every view and right.
db::SqlServerFacts wholeServer();

/// The part of Lockscope's schema that a database has.
struct SchemaPicture {
    std::optional<QString> version; ///< none: it is not installed; empty: it says no version
    QString owner = QStringLiteral("dbo");
    QString foreignObject; ///< in it, owned by mallory
};
SchemaPicture wholeSchema();
/// Answers what asks for it.
void answerSchema(TdsServer& server, const std::function<SchemaPicture(const Request&)>& schema);

/// Lets db::SqlServerConnection open sessions on the double, which claims to be what `facts` say.
void addSessionAnswers(TdsServer& server, const db::SqlServerFacts& facts = wholeServer());

/// Returns the URL of the double, without encryption, for the driver in use (Odbc.h); as user "ann".
db::ServerUrl urlOf(const TdsServer& server, const QString& database = QStringLiteral("orders"));
/// The password of "ann".
QString passwordOf(const TdsServer& server);

} // namespace lockscope::test::tds
