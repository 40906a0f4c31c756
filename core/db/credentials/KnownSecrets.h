// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

namespace lockscope::db {

/// Returns `text` without the values that look like secrets of a connection string or URL ("Password=…",
/// "oauth_client_secret=…", "//user:…@host"), wherever it comes from. Part of scrubbed(); also for text that
/// a user typed.
QString withoutSecrets(QString text);

} // namespace lockscope::db
