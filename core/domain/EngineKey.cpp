// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/EngineKey.h"

namespace lockscope {

QString engineKey(Engine engine)
{
    static constexpr QStringView keys[] = {u"sqlserver", u"postgres", u"sqlite"}; // in the order of Engine
    return keys[size_t(engine)].toString();
}

std::optional<Engine> engineOfKey(QStringView key)
{
    for (const Engine engine : allEngines)
        if (engineKey(engine) == key)
            return engine;
    return std::nullopt;
}

} // namespace lockscope
