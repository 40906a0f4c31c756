// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/ServerUrl.h"

#include <memory>
#include <optional>
#include <vector>

namespace lockscope::test {

/// A program that knows nothing of ours: libpq or SQLite's library, and SQL.
class PlainSql {
public:
    using Rows = std::vector<QByteArrayList>;

    /// Nothing if the server can't be reached.
    static std::unique_ptr<PlainSql> open(const db::ServerUrl& url, const QString& password);
    virtual ~PlainSql() = default;

    /// Nothing after an error; $1, $2 … in the order in which they first appear.
    virtual std::optional<Rows> run(const char* sql, const QByteArrayList& values = {}) = 0;
    virtual bool isOpen() const = 0;
};

} // namespace lockscope::test
