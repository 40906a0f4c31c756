// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QByteArray>

namespace lockscope::sandbox {

/// What a PostgreSQL server keeps of a password (RFC 5803), to be given to it instead of the password.
/// Iterations make the guessing of weak passwords slow, and every login: a random password needs one only,
/// and 200 sessions connect in half the time.
QByteArray scramSecret(const QByteArray& password, const QByteArray& salt);

} // namespace lockscope::sandbox
