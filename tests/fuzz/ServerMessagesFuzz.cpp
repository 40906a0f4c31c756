// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/Dialect.h"
#include "core/db/sqlserver/OdbcLink.h"
#include "core/monitor/sqlserver/SqlServerSessions.h"
#include "tests/fuzz/FuzzTarget.h"

#include <array>

namespace lockscope::test {

/// Feeds error texts to what reads them, for all engines; aborts if an error says nothing, or if a statement
/// is not a part of its batch.
static void fuzzServerMessages(const QByteArray& bytes)
{
    const QString all = QString::fromUtf8(bytes);
    const qsizetype end = all.indexOf(u'\n');
    const QString code = all.left(end < 0 ? 0 : end);
    const QString text = all.mid(end + 1);
    static const std::array dialects{db::Dialect::create(Engine::Postgres),
        db::Dialect::create(Engine::SqlServer), db::Dialect::create(Engine::Sqlite)};
    for (const auto& dialect : dialects) {
        const Error error = dialect->mapError(code, text, QStringLiteral("It failed."));
        if (error.what.isEmpty() || error.toString().isEmpty())
            qFatal("an error without a word: %s", qPrintable(all));
        const QString quoted = dialect->quoted(text);
        if (!quoted.startsWith(quoted.front()) || quoted.size() < text.size() + 2)
            qFatal("not quoted: %s", qPrintable(quoted));
        (void)dialect->refuseLockName(text);
    }
    const QString stripped = db::withoutDriverNames(text);
    if (!text.simplified().endsWith(stripped))
        qFatal("more than the drivers' names is gone: %s", qPrintable(text));
    const QString statement = monitor::StatementTexts::statementIn(text, code.toLongLong(), -1 - code.size());
    if (!text.contains(statement))
        qFatal("no part of its batch: %s", qPrintable(statement));
}

} // namespace lockscope::test

LOCKSCOPE_FUZZ(fuzzServerMessages)
