// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Statement.h"

#include <span>
#include <vector>

namespace lockscope::db {

/// Parameters in libpq's text format. Kept between calls, so that a call allocates nothing.
class PostgresParams {
public:
    /// BadInput for text that PostgreSQL can't store: a NUL character or half a surrogate pair.
    Result<void> bind(std::span<const Param> params);

    int count() const { return static_cast<int>(m_values.size()); }
    const char* const* values() const { return m_values.data(); }

private:
    std::vector<const char*> m_values;
    std::vector<char> m_text;
};

} // namespace lockscope::db
