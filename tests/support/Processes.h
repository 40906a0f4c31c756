// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QList>
#include <QString>

namespace lockscope::test {

// Processes as Linux shows them, in /proc.

/// "cmdline", "environ"; empty if there is none: zombies have no command line.
QByteArray processFile(qint64 process, const QString& name);
/// Returns the processes that run `program` and have `directory` among their arguments.
QList<qint64> processesOf(const QString& program, const QString& directory);
/// Returns the processes that `parent` has started and whose program's name begins so (15 characters of it
/// are known).
QList<qint64> childrenOf(qint64 parent, const QByteArray& name);
/// Returns the processes that have a text in their command line, which everybody can see.
QList<qint64> processesWith(const QByteArray& text);
/// Nobody has the directory among its arguments, but for parts of this test.
bool nothingRunsIn(const QString& directory);

/// Returns a port of 127.0.0.1 for a program that is to listen there: none that another test gets while the
/// program starts.
quint16 freePort();

} // namespace lockscope::test
