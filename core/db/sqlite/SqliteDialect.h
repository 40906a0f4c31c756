// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Dialect.h"

namespace lockscope::db {

class SqliteDialect final : public Dialect {
public:
    Engine engine() const override { return Engine::Sqlite; }
    QString reasonAgainst(Capability capability) const override;
    QString parameterMarker(qsizetype number) const override;

private:
    /// `code` is an (extended) result code as a number. Source: sqlite.org/rescode.html.
    Decision decide(const QString& code, const QString& text) const override;
};

} // namespace lockscope::db
