// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "core/db/Connection.h"

#include <QSet>

namespace lockscope::locks {

/// Writes names of application locks down at the server, so that the monitor can show them instead of
/// numbers: once for each name, server and process, and only if the schema is there. Failing to do so is no
/// reason to refuse a lock.
class AppLockNames {
public:
    explicit AppLockNames(db::Connection& connection);

    /// Inside a transaction it does nothing: the row would stay invisible and could make others wait.
    void remember(const QString& name);

private:
    /// Names known to be registered at one server. Any thread.
    struct Known {
        Mutex mutex;
        QSet<QString> names LOCKSCOPE_GUARDED_BY(mutex);
    };
    static std::shared_ptr<Known> knownAt(const db::ServerUrl& url);
    const db::Statement& statement(const char* file) const;
    bool isWritable();

    db::Connection& m_connection;
    const std::shared_ptr<Known> m_known;
    std::optional<bool> m_isWritable;
};

} // namespace lockscope::locks
