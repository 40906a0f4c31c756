// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/Server.h"

// Apart from the rest, in unity builds too (core/CMakeLists.txt): a program that uses nothing of this file,
// such as lockscope-session, is linked without the keychain's libraries.

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

Result<Server> Server::parse(const QString& text, Resolver resolve)
{
    return ServerUrl::parse(text).map(
        [&](const ServerUrl& url) { return at(url, defaultPasswords(), std::move(resolve)); });
}

} // namespace lockscope::db
