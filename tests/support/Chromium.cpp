// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/Chromium.h"

#include "tests/support/Waiting.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QStandardPaths>
#include <QUrl>

#include <array>
#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace lockscope::test {

using namespace Qt::StringLiterals;

namespace {

constexpr int maxAnswer = 60'000; ///< ms

/// Both ends above those that the browser expects, and not inherited.
std::array<int, 2> makePipe()
{
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        qFatal("no pipe");
    for (int& end : ends) {
        const int high = fcntl(end, F_DUPFD_CLOEXEC, 10);
        ::close(end);
        end = high;
    }
    return ends;
}

} // namespace

QString Chromium::program()
{
    return QStandardPaths::findExecutable(u"chromium"_s);
}

Chromium::Chromium()
{
    constexpr int reads = 3; // what it reads its orders from, and writes its answers to
    constexpr int writes = 4;
    std::signal(SIGPIPE, SIG_IGN); // a browser that has ended is noticed by its silence
    const auto orders = makePipe();
    const auto answers = makePipe();
    m_process.setChildProcessModifier([orders, answers] {
        dup2(orders[0], reads);
        dup2(answers[1], writes);
    });
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"HOME"_s, m_home.path());
    m_process.setProcessEnvironment(environment);
    m_process.setStandardErrorFile(m_home.filePath(u"log"_s));
    m_process.setStandardOutputFile(QProcess::nullDevice());
    // Its own sandbox is off, because it needs rights that root and containers lack; it sees our own pages
    // only.
    m_process.start(program(),
        {u"--headless"_s, u"--no-sandbox"_s, u"--disable-gpu"_s, u"--disable-dev-shm-usage"_s,
            u"--no-first-run"_s, u"--disable-background-networking"_s, u"--disable-component-update"_s,
            u"--remote-debugging-pipe"_s, u"--user-data-dir="_s + m_home.filePath(u"profile"_s),
            u"about:blank"_s});
    if (!m_process.waitForStarted())
        qFatal("%s does not start", qPrintable(program()));
    ::close(orders[0]);
    ::close(answers[1]);
    m_toBrowser = orders[1];
    m_fromBrowser = answers[0];
    const QString target =
        call(u"Target.createTarget"_s, {{u"url"_s, u"about:blank"_s}})[u"targetId"_s].toString();
    m_session =
        call(u"Target.attachToTarget"_s, {{u"targetId"_s, target}, {u"flatten"_s, true}})[u"sessionId"_s]
            .toString();
    for (const QString& domain : {u"Page"_s, u"Runtime"_s, u"Log"_s})
        call(domain + u".enable"_s);
}

Chromium::~Chromium()
{
    ::close(m_toBrowser); // then it ends
    if (!m_process.waitForFinished(10'000)) {
        m_process.kill();
        m_process.waitForFinished();
    }
    ::close(m_fromBrowser);
}

bool Chromium::open(const QString& path, const QString& ready)
{
    call(u"Page.navigate"_s, {{u"url"_s, QUrl::fromLocalFile(path).toString()}});
    return waitUntil([&] { return evaluate(ready).toBool(); });
}

QJsonValue Chromium::evaluate(const QString& expression)
{
    const QJsonObject answer = call(u"Runtime.evaluate"_s,
        {{u"expression"_s, expression}, {u"returnByValue"_s, true}, {u"awaitPromise"_s, true}});
    if (answer.contains(u"exceptionDetails"_s))
        m_faults << QString::fromUtf8(QJsonDocument(answer[u"exceptionDetails"_s].toObject()).toJson());
    return answer[u"result"_s].toObject()[u"value"_s];
}

void Chromium::mouse(const QString& type, double x, double y, const QJsonObject& more)
{
    QJsonObject params = more;
    params[u"type"_s] = type;
    params[u"x"_s] = x;
    params[u"y"_s] = y;
    call(u"Input.dispatchMouseEvent"_s, params);
}

void Chromium::setView(int width, int height, bool dark)
{
    call(u"Emulation.setDeviceMetricsOverride"_s,
        {{u"width"_s, width}, {u"height"_s, height}, {u"deviceScaleFactor"_s, 1}, {u"mobile"_s, false}});
    const QJsonObject scheme{
        {u"name"_s, u"prefers-color-scheme"_s}, {u"value"_s, dark ? u"dark"_s : u"light"_s}};
    call(u"Emulation.setEmulatedMedia"_s, {{u"features"_s, QJsonArray{scheme}}});
}

QByteArray Chromium::picture()
{
    const QString png = call(u"Page.captureScreenshot"_s)[u"data"_s].toString();
    return QByteArray::fromBase64(png.toLatin1());
}

/// The result; empty if the browser refuses or does not answer.
QJsonObject Chromium::call(const QString& method, const QJsonObject& params)
{
    QJsonObject order{{u"id"_s, ++m_id}, {u"method"_s, method}, {u"params"_s, params}};
    if (!m_session.isEmpty())
        order[u"sessionId"_s] = m_session;
    const QByteArray text = QJsonDocument(order).toJson(QJsonDocument::Compact) + '\0';
    for (qsizetype sent = 0; sent < text.size();) {
        const ssize_t more = ::write(m_toBrowser, text.constData() + sent, std::size_t(text.size() - sent));
        if (more <= 0)
            return {};
        sent += more;
    }
    QJsonObject message;
    while (receive(message)) {
        if (message[u"id"_s].toInt() == m_id) {
            if (message.contains(u"error"_s))
                m_faults << method + u": "_s + message[u"error"_s].toObject()[u"message"_s].toString();
            return message[u"result"_s].toObject();
        }
        note(message);
    }
    m_faults << method + u": no answer"_s;
    return {};
}

bool Chromium::receive(QJsonObject& message)
{
    while (!m_received.contains('\0')) {
        pollfd answers{m_fromBrowser, POLLIN, 0};
        std::array<char, 65'536> part{};
        if (poll(&answers, 1, maxAnswer) <= 0)
            return false;
        const ssize_t length = ::read(m_fromBrowser, part.data(), part.size());
        if (length <= 0)
            return false;
        m_received.append(part.data(), length);
    }
    const qsizetype end = m_received.indexOf('\0');
    message = QJsonDocument::fromJson(m_received.left(end)).object();
    m_received.remove(0, end + 1);
    return true;
}

void Chromium::note(const QJsonObject& event)
{
    const QString method = event[u"method"_s].toString();
    const QJsonObject params = event[u"params"_s].toObject();
    const bool isFault = method == u"Runtime.exceptionThrown"
        || (method == u"Runtime.consoleAPICalled" && params[u"type"_s] == u"error"_s)
        || (method == u"Log.entryAdded" && params[u"entry"_s].toObject()[u"level"_s] == u"error"_s);
    if (isFault)
        m_faults << QString::fromUtf8(QJsonDocument(params).toJson(QJsonDocument::Compact));
}

} // namespace lockscope::test
