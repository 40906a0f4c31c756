// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/SchemaFile.h"

namespace lockscope::db {

QByteArray schemaPath(const Dialect& dialect, const char* file)
{
    return QByteArray(dialect.schemaFolder()) + '/' + file;
}

const Statement& schemaStatement(const Dialect& dialect, const char* file)
{
    return Statement::get(schemaPath(dialect, file).constData());
}

} // namespace lockscope::db
