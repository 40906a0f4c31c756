// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QJsonObject>
#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>

namespace lockscope::test {

/// A browser without a window, for exported pages: opens a file, moves the mouse, returns the page's
/// complaints. Driven by its DevTools protocol over a pipe. One thread; each call waits for the answer.
class Chromium {
public:
    /// Returns the path of Chromium; empty if it is not installed.
    static QString program();

    Chromium();
    ~Chromium();
    Q_DISABLE_COPY_MOVE(Chromium)

    /// Loads the file and waits until `ready` is true there; false if it does not become so.
    bool open(const QString& path, const QString& ready);
    /// Returns the value of the expression on the page; of a promise its outcome. Undefined if it fails: then
    /// faults() says why.
    QJsonValue evaluate(const QString& expression);
    QString text(const QString& expression) { return evaluate(expression).toString(); }
    double number(const QString& expression) { return evaluate(expression).toDouble(); }
    /// Sends an event of the mouse, in pixels of the page on view. `type` is DevTools' name: "mouseMoved",
    /// "mousePressed", "mouseWheel".
    void mouse(const QString& type, double x, double y, const QJsonObject& more = {});
    void setView(int width, int height, bool dark);
    QByteArray picture(); ///< PNG of what is on view

    /// Errors of the console, exceptions, what a policy has refused; in their order.
    const QStringList& faults() const { return m_faults; }

private:
    QJsonObject call(const QString& method, const QJsonObject& params = {});
    bool receive(QJsonObject& message);
    void note(const QJsonObject& event);

    QTemporaryDir m_home;
    QProcess m_process;
    int m_toBrowser = -1;
    int m_fromBrowser = -1;
    int m_id = 0;
    QString m_session;
    QByteArray m_received;
    QStringList m_faults;
};

} // namespace lockscope::test
