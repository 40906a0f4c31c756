// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/Secrets.h"

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

PasswordProvider fixedPassword(const QString& password)
{
    return [password](const QString&) -> Result<QString> { return password; };
}

QString scrubbed(QString text, const QString& password)
{
    if (!password.isEmpty())
        text.replace(password, QStringLiteral("•••"));
    return text;
}

} // namespace lockscope::db
