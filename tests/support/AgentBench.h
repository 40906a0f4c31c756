// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/Recording.h"
#include "core/record/RecordingReader.h"
#include "tests/support/Files.h"
#include "tests/support/HttpServer.h"
#include "tests/support/Lockctl.h"
#include "tests/support/Session.h"
#include "tests/support/Waiting.h"

#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <csignal>
#include <memory>
#include <vector>

#include <signal.h>

namespace lockscope::test {

/// An account's folders, a real server with sessions, and the agent, for tests of `lockctl agent`.
class AgentBench {
protected:
    /// Nobody listens there.
    const QString nowhere = QStringLiteral("postgresql://ann@127.0.0.1:1/nowhere");

    void setUp()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_url = m_server->freshDatabase();
        QDir().mkpath(m_folder->filePath(QStringLiteral("config/lockscope")));
        write(QStringLiteral("config/lockscope/alerts.json"),
            "{'rules': [{'name': 'blocked sessions', 'when': 'blocked sessions', 'levels': [{'severity': 'warning', 'from': 3, 'for': '1s'}], 'keep_firing_for': '1s'}]}");
    }
    void tearDown()
    {
        m_waiters.clear();
        m_head.reset();
    }

    static QByteArray quoted(QByteArray text) { return text.replace('\'', '"'); }
    void write(const QString& name, const QByteArray& text) const
    {
        makeFile(m_folder->filePath(name), quoted(text));
    }
    QString configPath() const { return m_folder->filePath(QStringLiteral("agent.json")); }
    /// `more`: other keys of the file, with a comma before each.
    void writeConfig(
        const QStringList& servers, const QByteArray& more = {}, const QByteArray& interval = "200ms") const
    {
        QByteArrayList list;
        for (const QString& server : servers)
            list << '"' + server.toUtf8() + '"';
        write(QStringLiteral("agent.json"),
            "{'servers': [" + list.join(", ") + "], 'interval': '" + interval + "', 'metrics': {'port': 0}"
                + more + '}');
    }
    std::unique_ptr<QProcess> start(const QStringList& servers, const QByteArray& more = {}) const
    {
        writeConfig(servers, more);
        return ctl().start("agent %1", configPath());
    }
    static void hangUp(const QProcess& agent) { ::kill(pid_t(agent.processId()), SIGHUP); }
    Lockctl ctl() const
    {
        Lockctl lockctl(m_url.toString(), m_server->password());
        lockctl.set(QStringLiteral("XDG_STATE_HOME"), m_folder->filePath(QStringLiteral("state")));
        lockctl.set(QStringLiteral("XDG_CONFIG_HOME"), m_folder->filePath(QStringLiteral("config")));
        if (!m_notify.isEmpty()) {
            lockctl.set(QStringLiteral("NOTIFY_SOCKET"), m_notify);
            lockctl.set(QStringLiteral("WATCHDOG_USEC"), QStringLiteral("400000"));
        }
        return lockctl;
    }
    static QString metricsUrl(QProcess& agent)
    {
        static const QRegularExpression given(QStringLiteral("Metrics are given at (\\S+)"));
        QString message;
        const bool isGiven = waitUntil(
            [&] { return (message += QString::fromUtf8(agent.readAllStandardOutput())).contains(given); });
        return isGiven ? given.match(message).captured(1) : QString();
    }
    /// The value of the sample that begins like that; empty: there is none.
    static QByteArray sample(const QByteArray& text, const QByteArray& start)
    {
        for (const QByteArray& line : text.split('\n'))
            if (line.startsWith(start))
                return line.split(' ').value(1);
        return {};
    }
    /// The start of a server's line.
    static QByteArray line(const QByteArray& name, const QString& url)
    {
        const auto parsed = *db::ServerUrl::parse(url);
        return name + quoted("{server='") + record::causeServer(parsed).toUtf8() + quoted("',database='")
            + parsed.database.toUtf8() + quoted("'}");
    }
    static QByteArray up(const QString& url) { return line("lockscope_up", url); }
    static int polls(const QString& metrics, const db::ServerUrl& url)
    {
        return sample(httpGet(metrics).body, line("lockscope_polls_total", url.toString())).toInt();
    }
    QString recordingOf(const db::ServerUrl& url) const
    {
        return m_folder->filePath(QStringLiteral("state/lockscope/recordings/"))
            + QFileInfo(record::recordingPath(url)).fileName();
    }

    /// One session idles in a transaction, and so many wait for it.
    void block(int waiting)
    {
        m_head = std::make_unique<Session>(*m_server, m_url);
        const auto isDone = [this](const char* sql) {
            if (!m_head->run(QString::fromLatin1(sql)))
                qFatal("the head blocker can't: %s", sql);
        };
        isDone("CREATE TABLE orders (id int)");
        isDone("BEGIN");
        isDone("LOCK TABLE orders");
        isDone("SELECT 'secret value'");
        for (int i = 0; i < waiting; ++i) {
            m_waiters.push_back(std::make_unique<Session>(*m_server, m_url));
            m_waiters.back()->start(QStringLiteral("SELECT * FROM orders"));
            if (!m_waiters.back()->waitUntilBlocked())
                qFatal("nobody waits");
        }
    }
    bool unblock() { return m_head->run(QStringLiteral("ROLLBACK")); }

    TestServer* m_server = &TestServer::shared();
    db::ServerUrl m_url;
    QString m_notify; ///< the service manager's socket; empty: there is none
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Session> m_head;
    std::vector<std::unique_ptr<Session>> m_waiters;
};

} // namespace lockscope::test
