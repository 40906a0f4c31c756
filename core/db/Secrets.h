// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Result.h"

#include <QString>

#include <functional>

namespace lockscope::db {

/// Asks for the password of a URL; called on the thread that opens the connection, may block, never logs.
/// An empty password means "none": trust, peer or .pgpass may still let us in.
using PasswordProvider = std::function<Result<QString>(const QString& serverUrl)>;

/// LOCKSCOPE_PASSWORD if set, else the desktop keychain (QtKeychain, service "lockscope"), else empty.
/// A locked or missing keychain is not an error: the connection is tried without. One that hangs is
/// (Timeout).
PasswordProvider defaultPasswords();
/// Always this one (from --password-stdin or a dialog).
PasswordProvider fixedPassword(const QString& password);
/// Stores in the keychain. Blocks; not for the GUI thread.
Result<void> storePassword(const QString& serverUrl, const QString& password);
/// `text` with every occurrence of the password replaced; used on all driver messages.
QString scrubbed(QString text, const QString& password);

} // namespace lockscope::db
