// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/ConnectionCheck.h"

namespace lockscope::db {

using namespace Qt::StringLiterals;

bool checkSqlite(
    const Server& server, const ConnectOptions& options, const CheckSink& tell, const std::stop_token& stop)
{
    const auto connection = server.connect(options);
    if (!reportOpened(connection, tell, stop))
        return false;
    const auto asked =
        (*connection)
            ->execute(
                Statement::get("sqlite/session/journal_mode"), {},
                [&](const Row& row) {
                    tell({.key = u"database"_s,
                        .name = u"Database"_s,
                        .finding = u"%1, journal mode %2"_s.arg(server.profile.url.database, row.text(0))});
                },
                stop);
    if (!asked && !stop.stop_requested())
        reportUnread(u"database"_s, u"Database"_s, asked.error(), tell);
    return reportSchema(**connection, tell, stop);
}

} // namespace lockscope::db
