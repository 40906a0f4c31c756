// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/Secrets.h"

#include "core/db/Keychain.h"

namespace lockscope::db {

PasswordProvider defaultPasswords()
{
    return [](const QString& serverUrl) -> Result<QString> {
        if (qEnvironmentVariableIsSet("LOCKSCOPE_PASSWORD"))
            return qEnvironmentVariable("LOCKSCOPE_PASSWORD");
        return readKeychain(serverUrl).map(
            [](const std::optional<QString>& password) { return password.value_or(QString()); });
    };
}

PasswordProvider fixedPassword(const QString& password)
{
    return [password](const QString&) -> Result<QString> { return password; };
}

Result<void> storePassword(const QString& serverUrl, const QString& password)
{
    return writeKeychain(serverUrl, password);
}

QString scrubbed(QString text, const QString& password)
{
    if (!password.isEmpty())
        text.replace(password, QStringLiteral("•••"));
    return text;
}

} // namespace lockscope::db
