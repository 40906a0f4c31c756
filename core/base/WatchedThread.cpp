// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/WatchedThread.h"

#include "core/base/PlainFile.h"

#ifdef Q_OS_LINUX

#include <unistd.h>
#endif

namespace lockscope {

using namespace Qt::StringLiterals;

#ifdef Q_OS_LINUX

WatchedThread WatchedThread::current()
{
    return WatchedThread(gettid());
}

/// proc(5), /proc/pid/status: "State:	S (sleeping)", "voluntary_ctxt_switches:	150".
std::optional<qint64> WatchedThread::nap() const
{
    bool asleep = false;
    for (const QByteArray& line : fileContent(u"/proc/self/task/%1/status"_s.arg(m_id)).split('\n')) {
        const qsizetype colon = line.indexOf(':');
        const auto value = [&] { return line.mid(colon + 1).trimmed(); };
        if (line.startsWith("State:"))
            asleep = value().startsWith('S');
        else if (line.startsWith("voluntary_ctxt_switches:"))
            return asleep ? std::optional<qint64>(value().toLongLong()) : std::nullopt;
    }
    return 0;
}

#else

WatchedThread WatchedThread::current()
{
    return WatchedThread(0);
}

std::optional<qint64> WatchedThread::nap() const
{
    return m_id;
}

#endif

} // namespace lockscope
