// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/Engine.h"

namespace lockscope {

QString engineName(Engine engine)
{
    static constexpr PerEngine<QStringView> names{
        .postgres = u"PostgreSQL", .sqlServer = u"SQL Server", .sqlite = u"SQLite"};
    return names[engine].toString();
}

QString engineKey(Engine engine)
{
    static constexpr PerEngine<QStringView> keys{
        .postgres = u"postgres", .sqlServer = u"sqlserver", .sqlite = u"sqlite"};
    return keys[engine].toString();
}

std::optional<Engine> engineOfKey(QStringView key)
{
    for (const Engine engine : allEngines)
        if (engineKey(engine) == key)
            return engine;
    return std::nullopt;
}

} // namespace lockscope
