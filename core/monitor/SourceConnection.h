// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"

#include <optional>

namespace lockscope::monitor {

/// A source's connection: opened on first use, and after a loss at the next one; whoever asks decides how
/// soon. A log-in that was refused is never tried again, because some failures lock the account: a person has
/// to act, and a new source tries once more. Poll thread only.
class SourceConnection {
public:
    SourceConnection(db::ServerUrl url, db::PasswordProvider passwords);

    /// True if it was opened by this call.
    Result<bool> ensureOpen();
    /// To call with every failure of a statement: a lost connection is let go.
    void noteFailure(const Error& error);
    db::Connection& operator*() { return *m_connection; }
    db::Connection* operator->() { return m_connection.get(); }

private:
    db::ServerUrl m_url;
    db::PasswordProvider m_passwords;
    std::unique_ptr<db::Connection> m_connection;
    std::optional<Error> m_refusal; ///< of a log-in
};

} // namespace lockscope::monitor
