// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/LockMode.h"

namespace lockscope {

/// What differs from engine to engine, as a table: texts, or functions that make what is the engine's own.
/// None of them can be forgotten.
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
