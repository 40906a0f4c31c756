// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QByteArray>
#include <QString>

#include <tl/expected.hpp>

#include <map>

namespace lockscope::db {

/// SQL texts by name.
using NamedStatements = std::map<QByteArray, QByteArray>;

/// What stands in a topic file of schema/. Each statement begins with a line "-- name: acquire" and ends with
/// a semicolon, which is no part of it, just as the comment lines that stand between its name and its text.
/// It may be several for the server (a batch of T-SQL). Before the first name only comments are allowed.
/// Error: what is wrong with the file and where, for who edits it. Any thread.
tl::expected<NamedStatements, QString> namedStatements(const QByteArray& file);

/// Without the comment lines at the top and the space around.
QByteArray withoutHeading(const QByteArray& text);

} // namespace lockscope::db
