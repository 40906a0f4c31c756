// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/credentials/Keychain.h"

#include <functional>

namespace lockscope::db {

/// Asks for the password of a URL; called on the thread that opens the connection, may block, never logs.
/// An empty password means "none": trust, peer or .pgpass may still let us in.
using PasswordProvider = std::function<Result<QString>(const QString& serverUrl)>;

/// Returns LOCKSCOPE_PASSWORD if set, else the keychain's password, else an empty one. A keychain that is
/// missing or has none is not an error: the connection is tried without. One that is locked, refuses or hangs
/// is an error, or a login would fail for no reason that the user could see.
PasswordProvider defaultPasswords(const KeychainPtr& keychain = desktopKeychain());
/// Always this one (from --password-stdin or a dialog).
PasswordProvider fixedPassword(const QString& password);
/// Returns `text` with the password replaced where it is a word of its own, between quotes, signs or spaces,
/// as drivers repeat it. A part of a longer word is left: a short password would make messages unreadable,
/// and so reveal itself. Used on all driver messages.
QString scrubbed(QString text, const QString& password);

/// Returns `text` without the values that look like secrets of a connection string or URL ("Password=…",
/// "oauth_client_secret=…", "//user:…@host"), wherever it comes from. Part of scrubbed(); also for text that
/// a user typed.
QString withoutSecrets(QString text);

} // namespace lockscope::db
