// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/TestServer.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>

#include <memory>

namespace lockscope::test {

/// The real program, against one server.
class Lockctl {
public:
    struct Answer {
        int code = -1;
        QString out;
        QString err;

        QJsonObject json() const { return QJsonDocument::fromJson(out.toUtf8()).object(); }
        QJsonArray jsonArray() const { return QJsonDocument::fromJson(out.toUtf8()).array(); }
        bool isOneLineOfError() const
        {
            return err.startsWith(QLatin1String("lockctl: ")) && err.count(QLatin1Char('\n')) == 1;
        }
        /// All of it, for a test that fails.
        QByteArray allOutput() const { return QByteArray::number(code) + ": " + out.toUtf8() + err.toUtf8(); }
    };

    explicit Lockctl(const QString& server, const QString& password = {});

    void set(const QString& name, const QString& value) { m_environment.insert(name, value); }
    void unset(const QString& name) { m_environment.remove(name); }

    /// Parts a command line at its blanks; "%1" is the first of `values`, blanks and all.
    template <class... Values> static QStringList words(const char* line, const Values&... values)
    {
        return filled(line, QStringList{values...});
    }

    std::unique_ptr<QProcess> start(const QStringList& arguments) const;
    template <class... Values>
    std::unique_ptr<QProcess> start(const char* line, const Values&... values) const
    {
        return start(words(line, values...));
    }
    /// Starts it by another program that takes the command as one argument, between its own.
    std::unique_ptr<QProcess> startBy(const QString& program, const QStringList& before,
        const QStringList& arguments, const QStringList& after) const;
    /// Closes its standard input and waits for its end.
    static Answer finish(QProcess& process);
    /// The same once its end was requested, by SIGTERM.
    static Answer terminate(QProcess& process)
    {
        process.terminate();
        return finish(process);
    }
    Answer operator()(const QStringList& arguments) const { return finish(*start(arguments)); }
    /// ctl()("release %1 --reason %2", …): see words().
    template <class... Values> Answer operator()(const char* line, const Values&... values) const
    {
        return (*this)(words(line, values...));
    }

    /// Names in a list of its help: those that `pattern` captures, sorted.
    static QStringList namesIn(const QString& help, const QString& pattern);
    /// Returns every command in its help, those of a group as "scenario run".
    static QStringList commands();

private:
    static QStringList filled(const char* line, const QStringList& values);

    QProcessEnvironment m_environment;
};

/// A test of the program against a database, in which it may do anything.
class LockctlTest : public QObject {
protected:
    Lockctl ctl() const { return Lockctl(m_url.toString(), m_server->password()); }

    TestServer* m_server = &TestServer::shared();
    db::ServerUrl m_url;
};

} // namespace lockscope::test

/// Verifies the exit code of the program, whose answer the second argument is. The test fails with all of its
/// output if it is another one.
#define VERIFY_CODE(expected, ...)                                                                           \
    do {                                                                                                     \
        const auto answer_ = __VA_ARGS__;                                                                    \
        QVERIFY2(answer_.code == (expected), answer_.allOutput());                                           \
    } while (false)
