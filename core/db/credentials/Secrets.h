// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <QString>

#include <functional>
#include <memory>
#include <optional>

namespace lockscope::db {

/// Keeps passwords by the URL of their server. Any thread but the GUI's: it may ask its owner to be unlocked,
/// and blocks until then. Tests use one of their own.
class Keychain {
public:
    enum class Outcome {
        Done,
        NotFound, ///< it has no password for that key
        NoBackend, ///< there is no keychain on this machine
        Denied, ///< it is locked, or its owner said no
        NoAnswer, ///< it hangs, or its owner does not answer
        Failed,
    };
    struct Answer {
        Outcome outcome = Outcome::Done;
        QString text; ///< the password read, or what went wrong
    };

    virtual ~Keychain() = default;
    virtual Answer read(const QString& key) = 0;
    virtual Answer write(const QString& key, const QString& password) = 0;
    virtual Answer remove(const QString& key) = 0;
};
using KeychainPtr = std::shared_ptr<Keychain>;

/// The desktop's (QtKeychain, service "lockscope"). A session bus or a keychain that hangs costs a second.
KeychainPtr desktopKeychain();

/// The password that the keychain has for `key`; nullopt if it has none, or if there is no keychain. One that
/// refuses or does not answer is an error, which says what to do.
Result<std::optional<QString>> readKeychain(
    const QString& key, const KeychainPtr& keychain = desktopKeychain());
/// Stores, or forgets an empty password: what is not there is forgotten.
Result<void> writeKeychain(
    const QString& key, const QString& password, const KeychainPtr& keychain = desktopKeychain());

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
