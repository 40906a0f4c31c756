// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"

#include <QtGlobal>

namespace lockscope::db {

enum class Wait { Readable, Woken, TimedOut };

/// Lets any thread end another one's wait for a socket. The one place of core/db that needs poll().
class WakePipe {
public:
    WakePipe();
    ~WakePipe();
    Q_DISABLE_COPY_MOVE(WakePipe)

    /// Any thread.
    void wake();
    /// Until `socket` can be read or was closed, wake() was called (before or during the wait), or `timeout`
    /// is over (negative = never). A wake ends one wait.
    Wait waitFor(int socket, milliseconds timeout) { return wait(socket, false, timeout); }
    /// … or `socket` takes bytes: Readable, too.
    Wait waitToWrite(int socket, milliseconds timeout) { return wait(socket, true, timeout); }

private:
    Wait wait(int socket, bool orToWrite, milliseconds timeout);

    int m_ends[2] = {-1, -1};
};

} // namespace lockscope::db
