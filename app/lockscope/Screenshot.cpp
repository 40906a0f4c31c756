// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "Screenshot.h"

#include "core/base/ShownText.h"
#include "core/base/WriteFile.h"

#include <QApplication>
#include <QBuffer>
#include <QFileInfo>
#include <QPixmap>
#include <QTimer>

#include <algorithm>
#include <cstdio>

namespace lockscope::app {

using namespace Qt::StringLiterals;

using namespace std::chrono_literals;

namespace {
// The very first start of the sandbox creates its database.
constexpr auto longestWait = 60s;
// Layouts and charts settle with the events after the snapshot.
constexpr auto settling = 300ms;
} // namespace

Screenshot::Screenshot(ui::MainWindow& window, const Arguments& arguments)
    : m_window(window)
    , m_arguments(arguments)
{
    const bool shows = arguments.server || !arguments.recording.isEmpty();
    const auto after = std::max<milliseconds>(arguments.after, shows ? 0ms : settling);
    QTimer::singleShot(after, this, [this] {
        m_due = true;
        // A silent server is worth a picture, too, if errors are; else it gets the time that a start takes.
        if (m_arguments.allowError && m_arguments.after > 0ms)
            take();
        else
            takeIfReady();
    });
    connect(&window, &ui::MainWindow::snapshotShown, this,
        [this] { QTimer::singleShot(settling, this, &Screenshot::takeIfReady); });
    auto* failureWatch = new QTimer(this);
    connect(failureWatch, &QTimer::timeout, this, [this] {
        if (!hasSnapshot())
            takeIfReady();
    });
    failureWatch->start(settling);
    QTimer::singleShot(std::max<milliseconds>(longestWait, after), this, &Screenshot::take);
}

void Screenshot::takeIfReady()
{
    const bool failed = m_window.error().has_value();
    if (m_due && (hasSnapshot() || failed))
        take();
}

bool Screenshot::hasSnapshot() const
{
    const bool shows = m_arguments.server || !m_arguments.recording.isEmpty();
    return !shows || m_window.snapshot();
}

void Screenshot::take()
{
    if (std::exchange(m_taken, true))
        return;
    const bool good = hasSnapshot();
    if (!good) {
        const auto error = m_window.error();
        const QString reason =
            error ? error->toString() : QStringLiteral("No snapshot came in time from the server.");
        std::fprintf(stderr, "lockscope: %s\n", qUtf8Printable(reason));
    }
    bool written = true;
    if (good || m_arguments.allowError) {
        QBuffer picture;
        picture.open(QIODevice::WriteOnly);
        const QString kind = QFileInfo(m_arguments.screenshot).suffix().toUpper();
        const bool isMade = m_window.grab().save(&picture, kind.isEmpty() ? "PNG" : qPrintable(kind));
        const auto done = isMade ? writeFile(m_arguments.screenshot, picture.data())
                                 : Result<void>(failure(ErrorKind::BadInput,
                                     u"Can't make a picture of the kind %1."_s.arg(kind), u"Name a .png."_s));
        written = done.has_value();
        if (!written)
            std::fprintf(stderr, "lockscope: %s\n", qUtf8Printable(inOneLine(done.error().toString())));
    }
    QApplication::exit((good || m_arguments.allowError) && written ? 0 : 1);
}

} // namespace lockscope::app
