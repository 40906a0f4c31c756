// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/ServerUrl.h"

#include <QMap>
#include <QProcess>
#include <QTemporaryDir>

namespace lockscope::test {

/// The folder of the frameworks' tables as they make them, rows in them, and what must be shown of these: a
/// file ID.json each, see its README.
QString frameworkTables();

/// A program of tests/frameworks: it works with a real framework in a database. Killed with this object.
class FrameworkProgram {
public:
    struct Answer {
        int code = -1; ///< 0 done, 3 somebody else has the lock
        QString out;
        QString err;

        bool isDone() const { return code == 0 && out.contains(QLatin1String("done\n")); }
        bool isLocked() const { return code == 3 && out.contains(QLatin1String("locked: ")); }
        /// All of it, for a test that fails.
        QByteArray allOutput() const { return QByteArray::number(code) + ": " + out.toUtf8() + err.toUtf8(); }
    };

    /// Why there are no programs in this language here; empty if there are.
    static QString reasonAgainst(const QString& language);

    using Environment = QMap<QString, QString>;

    /// `program` is one of that language, `act` "hold" or "work". PostgreSQL is reached by TCP. `more` is
    /// added to its environment.
    FrameworkProgram(const QString& language, const QString& program, const QString& act,
        const db::ServerUrl& url, const QString& password, const Environment& more = {});
    ~FrameworkProgram();
    Q_DISABLE_COPY_MOVE(FrameworkProgram)

    /// Until it says that it has its framework's lock; false if it ends or takes too long.
    [[nodiscard]] bool waitUntilHeld();
    /// Until it has ended by itself; killed if that takes too long.
    Answer wait();
    /// kill -9: it can't clean up.
    void kill();
    /// Stops all of it where it is (SIGSTOP), and continues it.
    void pause();
    void resume();
    qint64 id() const { return m_process.processId(); }
    bool isRunning() const { return m_process.state() == QProcess::Running; }
    /// Returns its output so far, for a test that fails.
    QByteArray allOutput() const { return m_out + m_err; }

private:
    void read();

    const QTemporaryDir m_home; ///< what a language's machine leaves behind goes there
    QProcess m_process;
    QByteArray m_out;
    QByteArray m_err;
};

} // namespace lockscope::test
