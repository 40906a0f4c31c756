// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QByteArray>
#include <QFileDevice>
#include <QString>
#include <QStringList>

namespace lockscope::test {

inline constexpr QFileDevice::Permissions onlyOwn = QFileDevice::ReadOwner | QFileDevice::WriteOwner;
inline constexpr QFileDevice::Permissions ownProgram = onlyOwn | QFileDevice::ExeOwner;

/// Returns the path of a file or folder of the sources, or of their root with a '/' at its end.
QString sourcePath(const QString& name = {});
/// Returns the path of what the build has made: "lockctl", "lockscope-sandbox". A test program that starts
/// `lockscope` or the double says so in tests/CMakeLists.txt, so that they are built first.
QString programPath(const char* name);
/// Returns the content of a file. It is empty if no such file can be read.
QByteArray contentOf(const QString& path);
/// Returns the content of a file without which a test can't go on.
QByteArray readFile(const QString& path);
/// Returns the path of a file that is not there yet, in a new folder of its own that is gone with the
/// program.
QString freshPath(const QString& name);
/// Writes a new file and returns its path. A test can't go on without it. No `permissions` are the usual
/// ones.
QString makeFile(
    const QString& path, const QByteArray& content = {}, QFileDevice::Permissions permissions = {});

/// The files below schema/, with the tests' own: "postgres/locks.sql".
QStringList schemaFiles();

/// Returns all paths that db::Statement::get knows: each statement of a topic file and each script that is a
/// file of its own. Ends the program for a malformed topic file.
QStringList statementPaths();

} // namespace lockscope::test
