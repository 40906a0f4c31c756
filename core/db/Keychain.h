// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Result.h"

#include <QString>

#include <optional>

namespace lockscope::db {

/// The password that the desktop keychain has for `key`; nullopt if it has none, or if there is no keychain.
/// Timeout if the session bus or the keychain behind it hangs: that costs a second. One that asks the user to
/// be unlocked is waited for. Not for the GUI thread. Any thread.
Result<std::optional<QString>> readKeychain(const QString& key);
/// Stores, or forgets an empty password. The same contract.
Result<void> writeKeychain(const QString& key, const QString& password);

} // namespace lockscope::db
