// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/Dialect.h"

#include "core/db/postgres/PostgresDialect.h"
#include "core/db/sqlite/SqliteDialect.h"
#include "core/db/sqlserver/SqlServerDialect.h"
#include "core/domain/Engine.h"

#include <algorithm>

namespace lockscope::db {

std::optional<ErrorMeaning> findInText(std::span<const ErrorMeaning> table, const QString& text)
{
    const auto found = std::find_if(table.begin(), table.end(),
        [&text](const ErrorMeaning& meaning) { return text.contains(meaning.sign); });
    return found != table.end() ? std::optional(*found) : std::nullopt;
}

std::unique_ptr<Dialect> Dialect::create(Engine engine)
{
    using Make = std::unique_ptr<Dialect> (*)();
    static constexpr PerEngine<Make> make{
        .postgres = []() -> std::unique_ptr<Dialect> { return std::make_unique<PostgresDialect>(); },
        .sqlServer = []() -> std::unique_ptr<Dialect> { return std::make_unique<SqlServerDialect>(); },
        .sqlite = []() -> std::unique_ptr<Dialect> { return std::make_unique<SqliteDialect>(); }};
    return make[engine]();
}

const Dialect& Dialect::of(Engine engine)
{
    static const PerEngine<std::unique_ptr<Dialect>> dialects{.postgres = create(Engine::Postgres),
        .sqlServer = create(Engine::SqlServer),
        .sqlite = create(Engine::Sqlite)};
    return *dialects[engine];
}

QString Dialect::quoted(const QString& schema, const QString& identifier) const
{
    const QString place = schema.isEmpty() ? defaultSchema() : schema;
    return place.isEmpty() ? quoted(identifier) : quoted(place) + u'.' + quoted(identifier);
}

QString Dialect::enclosed(QChar open, QString identifier, QChar close)
{
    return open + identifier.replace(close, QString(2, close)) + close;
}

QString Dialect::grantOfRole(const QString& /*role*/, const QString& /*member*/) const
{
    return {};
}

Error Dialect::mapError(const QString& code, const QString& text, const QString& whatFailed) const
{
    const auto [deciding, meaning] = decide(code, text);
    Error error{.kind = meaning.kind,
        .what = whatFailed,
        .detail = text,
        .hint = meaning.hint.toString(),
        .nativeCode = deciding};
    if (meaning.kind == ErrorKind::MissingObject && text.contains(QLatin1String("lockscope")))
        error.hint = QStringLiteral("%1 Run: lockctl install --server URL")
                         .arg(can(Capability::LogIn)
                                 ? QStringLiteral("Lockscope's schema is not installed in this database.")
                                 : QStringLiteral("Lockscope's tables are not in this file."));
    return error;
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
        return std::optional(Error{.kind = ErrorKind::BadInput, .what = what, .hint = hint});
    };
    if (name.isEmpty())
        return refuse(QStringLiteral("The lock name is empty."), QStringLiteral("Give the lock a name."));
    if (name.size() > maxLockNameLength)
        return refuse(QStringLiteral("The lock name has %1 characters.").arg(name.size()),
            QStringLiteral(
                "At most %1 are kept by every engine. One beyond U+FFFF, such as an emoji, counts as two.")
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
