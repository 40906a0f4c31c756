// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/TerminalKeyReader.h"

#include <functional>
#include <thread>

namespace lockscope::ctl {

class TerminalMode;

/// Reads keys on a thread of its own, so that they are answered while a poll is under way too. In the
/// background none are read: the system would stop the process for it.
class WatchKeys {
public:
    /// Both are called on that thread. `onRedraw`: the terminal has another size, or the process was
    /// continued.
    WatchKeys(const TerminalMode& terminal, std::function<void(Key)> onKey, std::function<void()> onRedraw);
    ~WatchKeys();
    Q_DISABLE_COPY_MOVE(WatchKeys)

private:
    void work(int redrawDescriptor, bool hasKeys);
    bool readKeys(); ///< false: the terminal is gone

    const std::function<void(Key)> m_onKey;
    const std::function<void()> m_onRedraw;
    TerminalKeyReader m_reader; // of the thread
    int m_endPipe[2] = {-1, -1};
    std::jthread m_thread;
};

} // namespace lockscope::ctl
