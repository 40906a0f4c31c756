// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <QString>

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

} // namespace lockscope::db
