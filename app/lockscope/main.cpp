// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "Arguments.h"
#include "core/base/ShownText.h"
#include "core/base/WriteFile.h"
#include "core/record/ManyServers.h"
#include "ui/kit/widgets/SaveDialog.h"
#include "ui/shell/window/MainWindow.h"
#include "ui/views/settings/Preferences.h"

#include <QApplication>
#include <QBuffer>
#include <QEvent>
#include <QFileInfo>
#include <QPixmap>
#include <QSettings>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <utility>

using namespace lockscope;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

QStringList commandLine(int argc, char** argv)
{
    QStringList words;
    for (int i = 0; i < argc; ++i)
        words << QString::fromLocal8Bit(argv[i]);
    return words;
}

bool hasDisplay()
{
#ifndef Q_OS_MACOS
    return qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY");
#else
    return true;
#endif
}

QString passwordFromStdin()
{
    std::string line;
    std::getline(std::cin, line);
    return QString::fromStdString(line);
}

/// Prints how long it took from the start of `main` to the first paint of the window and the first snapshot
/// on view.
class Timings : public QObject {
public:
    Timings(ui::MainWindow& window, std::chrono::steady_clock::time_point start)
        : m_start(start)
    {
        window.installEventFilter(this);
        connect(&window, &ui::MainWindow::snapshotShown, this, [this] {
            if (!std::exchange(m_read, true))
                print("first snapshot");
        });
    }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Paint && !std::exchange(m_painted, true))
            print("first paint");
        return QObject::eventFilter(watched, event);
    }

private:
    void print(const char* what) const
    {
        const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - m_start;
        std::fprintf(stderr, "%s: %.1f ms\n", what, passed.count());
    }

    const std::chrono::steady_clock::time_point m_start;
    bool m_painted = false;
    bool m_read = false;
};

// The very first start of the sandbox creates its database.
constexpr auto longestWait = 60s;
// Layouts and charts settle with the events after the snapshot.
constexpr auto settling = 300ms;

/// Takes the picture that --screenshot asks for and ends the program: 0 if it shows a snapshot (or errors are
/// allowed), else 1 with the reason on standard error.
class Screenshot : public QObject {
public:
    Screenshot(ui::MainWindow& window, const app::Arguments& arguments);

private:
    void take();
    void takeIfReady();
    bool hasSnapshot() const;

    ui::MainWindow& m_window;
    app::Arguments m_arguments;
    bool m_due = false; ///< the time that was asked for is over
    bool m_taken = false;
};

Screenshot::Screenshot(ui::MainWindow& window, const app::Arguments& arguments)
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

int show(QApplication& program, const app::Arguments& arguments, QSettings& settings,
    std::chrono::steady_clock::time_point start)
{
    ui::theme::apply(program, arguments.theme.value_or(ui::Preferences::load(settings).theme));
    ui::MainWindow::Options options;
    if (arguments.passwordFromStdin)
        options.passwords = db::fixedPassword(passwordFromStdin());
    options.readOnly = arguments.readOnly;
    options.interval = arguments.interval;
    ui::MainWindow window(settings, options);
    if (!arguments.page.isEmpty() && !window.showPage(arguments.page, arguments.filter)) {
        std::fprintf(stderr, "lockscope: there is no page \"%s\"; the pages are %s.\n",
            qUtf8Printable(arguments.page), qUtf8Printable(window.pageIds().join(QStringLiteral(", "))));
        return 2;
    }
    std::optional<Timings> timings;
    if (arguments.timings)
        timings.emplace(window, start);
    std::optional<Screenshot> screenshot;
    if (!arguments.screenshot.isEmpty()) {
        window.resize(arguments.size);
        screenshot.emplace(window, arguments);
    }
    if (!arguments.recording.isEmpty())
        window.openRecording(arguments.recording, arguments.at);
    else if (arguments.server)
        window.openServer(*arguments.server, arguments.demo);
    else if (!screenshot && arguments.reports.isEmpty())
        window.reopenServers();
    if (!arguments.reports.isEmpty())
        window.openReports(arguments.reports);
    window.show();
    const int code = QApplication::exec();
    window.hide();
    ui::waitForWriting(std::chrono::seconds(5));
    return code;
}

} // namespace

int main(int argc, char** argv)
{
    const auto start = std::chrono::steady_clock::now();
    const auto arguments = app::Arguments::parse(commandLine(argc, argv));
    if (!arguments) {
        std::fprintf(stderr, "lockscope: %s\n", qUtf8Printable(arguments.error().toString()));
        return 2;
    }
    if (arguments->answer) {
        std::fputs(qUtf8Printable(*arguments->answer), stdout);
        return 0;
    }
    if (!arguments->screenshot.isEmpty() && !hasDisplay() && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    record::prepareForManyServers();
    QApplication program(argc, argv);
    QApplication::setApplicationName(QStringLiteral("lockscope"));
    QApplication::setOrganizationName(QStringLiteral("lockscope"));
    QApplication::setApplicationDisplayName(QStringLiteral("Lockscope"));
    QApplication::setApplicationVersion(QStringLiteral(LOCKSCOPE_VERSION));
    if (arguments->screenshot.isEmpty()) {
        QSettings settings;
        return show(program, *arguments, settings, start);
    }
    // A picture neither depends on the user's layout nor changes it.
    const QTemporaryDir folder;
    qputenv("XDG_STATE_HOME", folder.filePath(QStringLiteral("state")).toLocal8Bit());
    QSettings settings(folder.filePath(QStringLiteral("picture.ini")), QSettings::IniFormat);
    settings.setValue(ui::MainWindow::recordingAnnounced, true); // a picture is of what stays
    return show(program, *arguments, settings, start);
}
