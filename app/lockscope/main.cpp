// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "Arguments.h"
#include "Screenshot.h"
#include "core/record/ManyServers.h"
#include "ui/kit/widgets/SaveDialog.h"
#include "ui/shell/window/MainWindow.h"
#include "ui/views/settings/Preferences.h"

#include <QApplication>
#include <QEvent>
#include <QSettings>
#include <QTemporaryDir>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <utility>

using namespace lockscope;

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
    std::optional<app::Screenshot> screenshot;
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
