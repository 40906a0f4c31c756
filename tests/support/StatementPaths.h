// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QStringList>

namespace lockscope::test {

/// The files below schema/, with the tests' own: "postgres/locks.sql".
QStringList schemaFiles();

/// Returns all paths that db::Statement::get knows: each statement of a topic file and each script that is a
/// file of its own. Ends the program for a malformed topic file.
QStringList statementPaths();

} // namespace lockscope::test
