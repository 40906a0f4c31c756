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

/// The statements of a topic file of schema/. Each begins with a line "-- name: acquire" and ends with a
/// semicolon, which is no part of it, just as the comment lines between its name and its text. It may be
/// several for the server (a batch of T-SQL). Before the first name only comments are allowed. Fails with the
/// fault of the file and its place, for people who edit it. Any thread.
tl::expected<NamedStatements, QString> namedStatements(const QByteArray& file);

/// Returns the text without the comment lines at the top and the space around.
QByteArray withoutHeading(const QByteArray& text);

} // namespace lockscope::db
