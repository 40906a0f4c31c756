// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/Dialect.h"

#include "core/db/postgres/PostgresDialect.h"
#include "core/db/sqlite/SqliteDialect.h"
#include "core/db/sqlserver/SqlServerDialect.h"

namespace lockscope::db {

std::unique_ptr<Dialect> Dialect::create(Engine engine)
{
    switch (engine) {
    case Engine::Postgres:
        return std::make_unique<PostgresDialect>();
    case Engine::Sqlite:
        return std::make_unique<SqliteDialect>();
    case Engine::SqlServer:
        return std::make_unique<SqlServerDialect>();
    }
    return nullptr;
}

const Dialect& Dialect::of(Engine engine)
{
    static const PostgresDialect postgres;
    static const SqliteDialect sqlite;
    static const SqlServerDialect sqlServer;
    switch (engine) {
    case Engine::Postgres:
        return postgres;
    case Engine::Sqlite:
        return sqlite;
    case Engine::SqlServer:
        break;
    }
    return sqlServer;
}

QString Dialect::quoted(const QString& schema, const QString& identifier) const
{
    const QString place = schema.isEmpty() ? defaultSchema() : schema;
    return place.isEmpty() ? quoted(identifier) : quoted(place) + u'.' + quoted(identifier);
}

bool Dialect::isLockTimeout(const Error& error)
{
    // Babelfish has no number of its own for it.
    return error.nativeCode == QLatin1String("55P03") || error.nativeCode == QLatin1String("1222")
        || (error.nativeCode == QLatin1String("33557097")
            && error.detail.contains(QLatin1String("due to lock timeout")));
}

std::optional<Error> Dialect::refuseLockName(const QString& name) const
{
    const auto refuse = [](const QString& what, const QString& hint) {
        return std::optional(failure(ErrorKind::BadInput, what, hint).value());
    };
    if (name.isEmpty())
        return refuse(QStringLiteral("The lock name is empty."), QStringLiteral("Give the lock a name."));
    if (name.size() > maxLockNameLength)
        return refuse(QStringLiteral("The lock name has %1 characters.").arg(name.size()),
            QStringLiteral(
                "At most %1 are kept by every engine. One beyond U+FFFF, such as an emoji, counts as "
                "two.")
                .arg(maxLockNameLength));
    if (name.contains(QChar(0)))
        return refuse(QStringLiteral("The lock name contains a NUL character."),
            QStringLiteral("No engine stores it: leave it out."));
    if (!name.isValidUtf16())
        return refuse(QStringLiteral("The lock name contains half of a surrogate pair."),
            QStringLiteral("Give a name of valid Unicode characters."));
    return std::nullopt;
}

} // namespace lockscope::db
