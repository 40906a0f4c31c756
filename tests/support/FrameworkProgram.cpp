// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/FrameworkProgram.h"

#include "tests/support/Files.h"
#include "tests/support/Waiting.h"

#include <QFile>

#include <csignal>

namespace lockscope::test {

using namespace Qt::StringLiterals;

/// A machine for a language needs a while to start on a computer with other work.
constexpr std::chrono::milliseconds longest = 3 * patience;

static QString inFolderOf(const QString& language, const QString& file)
{
    return sourcePath(u"build/frameworks/"_s) + language + u'/' + file;
}

QString frameworkTables()
{
    return sourcePath(u"tests/support/frameworks"_s);
}

QString FrameworkProgram::reasonAgainst(const QString& language)
{
    if (QFile::exists(inFolderOf(language, u"run"_s)))
        return {};
    const QString missing = inFolderOf(language, u"missing"_s);
    return QFile::exists(missing)
        ? QString::fromUtf8(readFile(missing)).trimmed()
        : u"nothing is fetched for %1; `packaging/dev test` does that"_s.arg(language);
}

FrameworkProgram::FrameworkProgram(const QString& language, const QString& program, const QString& act,
    const db::ServerUrl& url, const QString& password, const Environment& more)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"})
        environment.insert(QLatin1String(name), m_home.path());
    // Far from UTC, or a wrong clock would not show.
    environment.insert(u"TZ"_s, u"Asia/Kolkata"_s);
    if (url.engine == Engine::Sqlite) {
        environment.insert(u"FRAMEWORK_FILE"_s, url.database);
    } else {
        environment.insert(u"PGHOST"_s, url.host);
        environment.insert(u"PGPORT"_s, QString::number(url.port));
        environment.insert(u"PGUSER"_s, url.user);
        environment.insert(u"PGPASSWORD"_s, password);
        environment.insert(u"PGDATABASE"_s, url.database);
        environment.insert(u"PGSSLMODE"_s, u"disable"_s);
    }
    for (auto one = more.begin(); one != more.end(); ++one)
        environment.insert(one.key(), one.value());
    m_process.setProcessEnvironment(environment);
    m_process.start(inFolderOf(language, u"run"_s), {program, act});
}

FrameworkProgram::~FrameworkProgram()
{
    kill();
}

void FrameworkProgram::read()
{
    m_out += m_process.readAllStandardOutput();
    m_err += m_process.readAllStandardError();
}

bool FrameworkProgram::waitUntilHeld()
{
    const QDeadlineTimer deadline(longest);
    while (!m_out.contains("held\n")) {
        const bool goesOn = m_process.waitForReadyRead(100) || m_process.state() != QProcess::NotRunning;
        read();
        if ((!goesOn || deadline.hasExpired()) && !m_out.contains("held\n"))
            return false;
    }
    return true;
}

FrameworkProgram::Answer FrameworkProgram::wait()
{
    if (!m_process.waitForFinished(int(longest.count())))
        kill();
    read();
    const bool byItself = m_process.exitStatus() == QProcess::NormalExit;
    return {byItself ? m_process.exitCode() : -1, QString::fromUtf8(m_out), QString::fromUtf8(m_err)};
}

void FrameworkProgram::kill()
{
    if (m_process.state() == QProcess::NotRunning)
        return;
    m_process.kill();
    m_process.waitForFinished();
    read();
}

void FrameworkProgram::pause()
{
    ::kill(static_cast<pid_t>(id()), SIGSTOP);
}

void FrameworkProgram::resume()
{
    ::kill(static_cast<pid_t>(id()), SIGCONT);
}

} // namespace lockscope::test
