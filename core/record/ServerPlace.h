// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/ServerUrl.h"

#include <QDir>

namespace lockscope::record {

/// Returns the server's place, independent of its name in the profile and of the login:
/// "postgres://db1:5432/shop", "sqlite:/srv/locks.db", "sandbox:". By this a recording knows its server
/// again. Two names of one host count as two; only those of this computer itself are known to be one. Blocks
/// on the disk for a file, whose links are followed: ServerWatch::place() has it.
QString serverPlace(const db::ServerUrl& url);
/// Returns alert::Cause::server of a server: its host and port, or the file. All databases of a server share
/// it.
QString causeServer(const db::ServerUrl& url);
QString causeServer(const QString& place); ///< the same of serverPlace()
/// Returns the database that a place names; empty: none, as of a file.
QString causeDatabase(const QString& place);
/// Returns the folder of recordings: `recordings` in the program's folder for its state.
QString recordingsFolder();
/// Returns the paths of the recordings there, by name or in another order.
QStringList ownRecordings(QDir::SortFlags order = QDir::Name);
/// The file of a server there, made of its place: one for all programs and logins that record it. One of them
/// writes at a time, and another one goes on with it afterwards.
QString recordingPath(const db::ServerUrl& url);
QString recordingPath(const QString& place); ///< the same of serverPlace()

} // namespace lockscope::record
