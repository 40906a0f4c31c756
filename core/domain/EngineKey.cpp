// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/EngineKey.h"

namespace lockscope {

using namespace Qt::StringLiterals;

QString engineKey(Engine engine)
{
    switch (engine) {
    case Engine::Postgres:
        return u"postgres"_s;
    case Engine::SqlServer:
        return u"sqlserver"_s;
    case Engine::Sqlite:
        break;
    }
    return u"sqlite"_s;
}

std::optional<Engine> engineOfKey(QStringView key)
{
    for (const Engine engine : allEngines)
        if (engineKey(engine) == key)
            return engine;
    return std::nullopt;
}

} // namespace lockscope
