// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/LockMode.h"

namespace lockscope {

/// A table of what differs from engine to engine: texts, or functions that return them. No engine can be
/// forgotten.
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
