// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <QList>
#include <QString>
#include <QStringList>

#include <stop_token>

namespace lockscope::db {

class Connection;

/// A table of a server's database and those of its columns that a lock table needs.
struct TableColumns {
    QString schema; ///< empty where the engine has none
    QString table;
    QStringList columns{}; ///< all of them, in their order
    QStringList names{}; ///< columns of text, which can hold a lock's name
    QStringList times{}; ///< columns that can hold a time
    QStringList zoned{}; ///< those of `times` that know their time zone: nobody has to choose one

    bool operator==(const TableColumns&) const = default;
};

/// The tables that this session may read and that have both a text and a time column, by name; none of the
/// engine's own and none of Lockscope's. Blocks; reads the catalogue only.
Result<QList<TableColumns>> tablesWithColumns(Connection& connection, std::stop_token stop);

} // namespace lockscope::db
