// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/ActRights.h"

#include "core/db/Connection.h"
#include "core/db/SchemaTrust.h"
#include "core/domain/Engine.h"
#include "core/domain/Framework.h"
#include "core/domain/LockTable.h"

namespace lockscope::admin {

using namespace Qt::StringLiterals;

Result<QStringList> firedByFreeing(db::Connection& connection, const LockTableEntry& entry)
{
    static constexpr PerEngine<const char*> statements{
        .postgres = "frameworks_admin/fires", .sqlServer = nullptr, .sqlite = nullptr};
    const char* const statement = statements[connection.engine()];
    const FrameworkLock* const lock = entry.framework ? entry.framework->lockDefinition : nullptr;
    const bool isOurs = !entry.framework;
    QStringList fired;
    if (!statement || !(isOurs || (lock && entry.source)))
        return fired;
    const QString act = isOurs || lock->row.update.empty() ? u"DELETE"_s : u"UPDATE"_s;
    const std::vector<db::Param> params = isOurs
        ? std::vector<db::Param>{u"lockscope"_s, u"lock_entry"_s, act, true}
        : std::vector<db::Param>{entry.source->schema, entry.source->table, act, false};
    const auto asked = connection.execute(
        db::statementOfTrust(connection.dialect(), statement, 0), params, [&fired](const db::Row& row) {
            const QString function = row.text(1);
            fired << row.text(0) + (function.isEmpty() ? QString() : u" (%1)"_s.arg(function));
        });
    return ifDone(asked, std::move(fired));
}

} // namespace lockscope::admin
