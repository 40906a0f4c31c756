// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/LockRig.h"

#include <QProcess>

namespace lockscope::test {

/// A second process of the same test program, whose arguments say what to play: a lock's holder or a fighter.
/// It reads "url, kind, owner" from its command line and the password from LOCKSCOPE_PASSWORD, as lockctl
/// does.
class OtherProcess {
public:
    OtherProcess(const QString& role, const LockRig& rig, const QStringList& arguments);
    ~OtherProcess();
    Q_DISABLE_COPY_MOVE(OtherProcess)

    /// The next line that it writes; ends the test program if none comes.
    QString readLine();
    qint64 id() const { return m_process.processId(); }
    /// kill -9: it can't clean up.
    void kill();
    /// Its exit code once it ended by itself.
    int wait();

private:
    QProcess m_process;
};

/// The arguments on the process's command line.
struct Part {
    QString role;
    db::ServerUrl url;
    LockVariant variant;
    QStringList arguments;

    /// Reads the arguments from the test's name on. Returns nothing if this is the test itself.
    static std::optional<Part> fromCommandLine(const QStringList& arguments);
    locks::AcquireRequest requestFor(const QString& name, milliseconds wait) const;
};

/// Runs the process's part, for LOCKSCOPE_TEST_WITH_PARTS.
template <int (*act)(const Part&)> std::optional<int> playedBy(const QStringList& arguments)
{
    const auto part = Part::fromCommandLine(arguments);
    return part ? std::optional(act(*part)) : std::nullopt;
}

} // namespace lockscope::test
