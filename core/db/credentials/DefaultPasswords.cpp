// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/credentials/Secrets.h"

// Apart from the rest: programs that are told their password do without the keychain's libraries.

namespace lockscope::db {

PasswordProvider defaultPasswords(const KeychainPtr& keychain)
{
    return [keychain](const QString& serverUrl) -> Result<QString> {
        if (qEnvironmentVariableIsSet("LOCKSCOPE_PASSWORD"))
            return qEnvironmentVariable("LOCKSCOPE_PASSWORD");
        return readKeychain(serverUrl, keychain).map([](const std::optional<QString>& password) {
            return password.value_or(QString());
        });
    };
}

} // namespace lockscope::db
