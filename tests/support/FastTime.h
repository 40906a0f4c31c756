// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/sandbox/PrivateServer.h"
#include "tests/support/Files.h"
#include "tests/support/Lockctl.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <ctime>

namespace lockscope::test {

/// A time that runs faster than this machine's, for programs that are started with it: all show the same. See
/// fasttime/FastTime.cpp.
class FastTime {
public:
    explicit FastTime(double factor)
        : m_value(QString::number(factor))
    {
        for (const clockid_t clock : {CLOCK_REALTIME, CLOCK_MONOTONIC}) {
            timespec now{};
            clock_gettime(clock, &now);
            m_value += QStringLiteral(",%1").arg(qint64(now.tv_sec) * 1'000'000'000 + now.tv_nsec);
        }
    }
    void applyTo(Lockctl& lockctl) const
    {
        lockctl.set(QStringLiteral("LD_PRELOAD"), programPath("fast-time.so"));
        lockctl.set(QStringLiteral("LOCKSCOPE_FAST_TIME"), m_value);
    }
    /// A folder of PostgreSQL's programs as they are in `directory`, whose server has this time.
    std::unique_ptr<QTemporaryDir> postgres(const QString& directory) const
    {
        auto folder =
            std::make_unique<QTemporaryDir>(QDir::tempPath() + QStringLiteral("/fast-postgres-XXXXXX"));
        // It may be started as another account.
        const auto forAll = ownProgram | QFile::ReadOther | QFile::ExeOther;
        QFile::link(directory + QStringLiteral("/initdb"), folder->filePath(QStringLiteral("initdb")));
        makeFile(folder->filePath(QStringLiteral("postgres")),
            QStringLiteral(
                "#!/bin/sh\nexec env LD_PRELOAD='%1' LOCKSCOPE_FAST_TIME='%2' '%3/postgres' \"$@\"\n")
                .arg(programPath("fast-time.so"), m_value, directory)
                .toUtf8(),
            forAll);
        QFile::setPermissions(folder->path(), forAll);
        return folder;
    }

private:
    QString m_value;
};

/// PostgreSQL's programs, in a folder of their own, as long as a server is made of them.
struct FastPrograms {
    explicit FastPrograms(const FastTime& time)
        : directory(emptyServerDirectory())
        , folder(time.postgres(*sandbox::findPostgresPrograms({})))
    {
        copyClusterTo(directory);
        qputenv("LOCKSCOPE_PG_BINDIR", folder->path().toUtf8());
    }
    const QString directory;
    const std::unique_ptr<QTemporaryDir> folder;
};

/// A private server with such a time.
class FastServer : FastPrograms, public TestServer {
public:
    explicit FastServer(const FastTime& time)
        : FastPrograms(time)
        , TestServer(directory, {})
    {
        qunsetenv("LOCKSCOPE_PG_BINDIR");
    }
};

} // namespace lockscope::test
