// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Result.h"

#include <QString>

#include <optional>

namespace lockscope::db {

/// The password that the desktop keychain has for `key`; nullopt if it has none, or if there is no keychain
/// or it does not answer in time. Blocks up to a second without a keychain, and for as long as the user needs
/// to unlock one that asks. Not for the GUI thread. Any thread.
std::optional<QString> readKeychain(const QString& key);
/// Stores, or forgets an empty password. The same contract.
Result<void> writeKeychain(const QString& key, const QString& password);

} // namespace lockscope::db
