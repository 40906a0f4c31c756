// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Sentences.h"

#include <QString>
#include <QStringView>

#include <array>
#include <optional>

namespace lockscope {

enum class Engine : quint8 { SqlServer, Postgres, Sqlite };
QString engineName(Engine engine); ///< "SQL Server", "PostgreSQL", "SQLite"
/// "PostgreSQL, SQLite"
template <class Engines> QString enginesText(const Engines& engines)
{
    return textOfEach(engines, engineName).join(QStringLiteral(", "));
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

/// Says why no session can cancel a statement of another one; empty: one can.
inline constexpr PerEngine<QStringView> reasonAgainstCancelling{.postgres = {},
    .sqlServer = u"On SQL Server only a statement's own client can cancel it; others can end its session.",
    .sqlite = u"SQLite has no server that could end another program's session."};

inline bool canCancelStatements(Engine engine)
{
    return reasonAgainstCancelling[engine].isEmpty();
}

/// True if the engine undoes a transaction change by change, which can take as long as the work did and keeps
/// its locks until then; false if at once (PostgreSQL marks it as aborted).
inline constexpr PerEngine<bool> rollbackTakesTime{.postgres = false, .sqlServer = true, .sqlite = false};

/// True if a column may hold values of any type, whatever it was made for.
inline constexpr PerEngine<bool> columnsHoldAnything{.postgres = false, .sqlServer = false, .sqlite = true};

/// The port that a server listens at if nobody says another one; 0: there is none.
inline constexpr PerEngine<int> defaultPort{.postgres = 5432, .sqlServer = 1433, .sqlite = 0};

} // namespace lockscope
