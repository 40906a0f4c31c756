// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>
#include <QStringList>
#include <QStringView>

#include <array>
#include <optional>

namespace lockscope {

enum class Engine : quint8 { SqlServer, Postgres, Sqlite };
QString engineName(Engine engine); ///< "SQL Server", "PostgreSQL", "SQLite"
/// "PostgreSQL, SQLite"
template <class Engines> QString enginesText(const Engines& engines)
{
    QStringList names;
    for (const Engine engine : engines)
        names << engineName(engine);
    return names.join(QStringLiteral(", "));
}

/// All engines, in the order in which the window offers them.
inline constexpr std::array allEngines{Engine::SqlServer, Engine::Postgres, Engine::Sqlite};

/// "postgres", "sqlserver", "sqlite": as in files and in JSON.
QString engineKey(Engine engine);
std::optional<Engine> engineOfKey(QStringView key);

/// A table of values that differ between engines: texts, or functions that return them. Each engine has a
/// value.
template <class T> struct PerEngine {
    T postgres;
    T sqlServer;
    T sqlite;

    constexpr const T& operator[](Engine engine) const
    {
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
};

} // namespace lockscope
