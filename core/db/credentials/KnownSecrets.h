// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

namespace lockscope::db {

/// `text` without the values of what looks like a secret of a connection string or URL ("Password=…",
/// "oauth_client_secret=…", "//user:…@host"), whoever wrote it. Part of scrubbed(); and for what a user
/// typed.
QString withoutSecrets(QString text);

} // namespace lockscope::db
