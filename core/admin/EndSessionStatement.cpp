// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/EndSessionStatement.h"

#include "core/db/Statement.h"

#include <QUuid>

namespace lockscope::admin {

using namespace Qt::StringLiterals;

QString endSessionStatement(Engine engine, const Session& shown)
{
    if (shown.system)
        return {};
    const auto text = [](const db::Statement& statement) {
        return QString::fromUtf8(statement.sql()).trimmed() + u';';
    };
    if (engine == Engine::SqlServer && !shown.unitOfWork.isEmpty()) {
        const QUuid unit = QUuid::fromString(shown.unitOfWork); // nothing else gets into the text
        return unit.isNull() ? QString()
                             : text(db::Statement::filled("sqlserver/admin/end_unit_of_work_by_hand",
                                 {{"unit"_L1, unit.toString(QUuid::WithoutBraces).toUpper()}}));
    }
    if (shown.id.value <= 0 || !shown.started.isValid())
        return {};
    const QString session = QString::number(shown.id.value);
    const QString started = QString::number(shown.started.us);
    switch (engine) {
    case Engine::Postgres:
        return text(db::Statement::filled(
            "postgres/admin/end_session_by_hand", {{"session"_L1, session}, {"started"_L1, started}}));
    case Engine::SqlServer:
        return text(db::Statement::filled(
            "sqlserver/admin/end_session_by_hand", {{"session"_L1, session}, {"started"_L1, started}}));
    case Engine::Sqlite:
        break;
    }
    return {};
}

} // namespace lockscope::admin
