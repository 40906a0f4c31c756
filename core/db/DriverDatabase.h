// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QSqlDatabase>

namespace lockscope::db {

/// A connection of Qt's registry with a name of its own, never the default one. To be disposed of on the same
/// thread.
QSqlDatabase addDatabase(const QString& driver);
/// Closes it and takes it out of the registry. `database` must be the last reference.
void disposeOf(QSqlDatabase& database);

} // namespace lockscope::db
