// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/SurrogateAccess.h"

namespace lockscope::locks {

/// The tables that are there only to be locked: what they are called and how they are made. Bound to the
/// thread of its connection.
class SurrogateTables {
public:
    SurrogateTables(db::Connection& connection, Surrogates surrogates);

    /// Nothing if the server keeps the name of the table whole.
    std::optional<Error> refuse(const QString& name) const;
    QString tableOf(const QString& name) const; ///< quoted
    /// MissingObject if the program's own table is not there: only the product's own are made.
    Result<void> prepare(const QString& name);

private:
    db::Connection& m_connection;
    const Surrogates m_surrogates;
};

} // namespace lockscope::locks
