// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/SchemaFile.h"

namespace lockscope::db {

QByteArray schemaPath(const Dialect& dialect, const char* name)
{
    return QByteArray(dialect.schemaFolder()) + '/' + name;
}

const Statement& schemaStatement(const Dialect& dialect, const char* name)
{
    return Statement::get(schemaPath(dialect, name).constData());
}

} // namespace lockscope::db
