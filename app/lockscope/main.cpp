// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/Duration.h"
#include "core/base/PlainFile.h"
#include "core/base/Result.h"
#include "core/base/ShownText.h"
#include "core/db/ServerProfile.h"
#include "core/record/Database.h"
#include "core/record/Recording.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/SaveDialog.h"
#include "ui/shell/servers/Recordings.h"
#include "ui/shell/window/MainWindow.h"
#include "ui/views/deadlocks/DeadlocksPage.h"
#include "ui/views/settings/Preferences.h"

#include <QApplication>
#include <QBuffer>
#include <QCommandLineParser>
#include <QEvent>
#include <QFileInfo>
#include <QPixmap>
#include <QRegularExpression>
#include <QSettings>
#include <QSize>
#include <QStringList>
#include <QTemporaryDir>
#include <QTimer>
#include <QUrl>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

namespace lockscope::app {

/// The command line of the desktop program.
struct Arguments {
    std::optional<db::ServerProfile> server;
    QString recording; ///< a file instead of a server; empty = none
    QString at; ///< the time in it to show
    QStringList reports; ///< of deadlocks: files that are opened, with or without a server
    bool demo = false;
    QString page;
    QString filter;
    std::optional<ui::ThemeMode> theme;
    std::optional<milliseconds> interval;
    QString screenshot; ///< file; empty = an ordinary window
    milliseconds after{0};
    QSize size{1280, 800};
    bool allowError = false;
    bool readOnly = false;
    bool passwordFromStdin = false;
    bool timings = false;
    std::optional<QString> answer; ///< --help or --version: print this and end

    static Result<Arguments> parse(const QStringList& commandLine);
};

namespace {

Failure refused(const QString& what)
{
    return failure(ErrorKind::BadInput, what, QStringLiteral("See lockscope --help."));
}

struct Options {
    QCommandLineOption help{{QStringLiteral("h"), QStringLiteral("help")}, QStringLiteral("Show this help.")};
    QCommandLineOption version{
        {QStringLiteral("v"), QStringLiteral("version")}, QStringLiteral("Show the version.")};
    QCommandLineOption server{QStringLiteral("server"),
        QStringLiteral(
            "Open this server: sqlserver://user@host/db, postgresql://user@host/db, sqlite:///path/locks.db, or sandbox:"),
        QStringLiteral("URL")};
    QCommandLineOption demo{QStringLiteral("demo"),
        QStringLiteral("Open the sandbox with sessions that contend for real locks.")};
    QCommandLineOption recording{QStringLiteral("recording"),
        QStringLiteral("Open this recording, a file *.lockscope; instead of a server."),
        QStringLiteral("FILE")};
    QCommandLineOption at{QStringLiteral("at"),
        QStringLiteral("Show that time of the recording: 2026-11-22T03:12:07Z, or 5min before its end."),
        QStringLiteral("TIME")};
    QCommandLineOption page{QStringLiteral("page"),
        QStringLiteral(
            "Show this page: overview, blocking, locks, lock-table, sessions, scenarios, audit, deadlocks, lock-order, incidents or fleet."),
        QStringLiteral("NAME")};
    QCommandLineOption filter{
        QStringLiteral("filter"), QStringLiteral("Filter the rows of the page."), QStringLiteral("TEXT")};
    QCommandLineOption theme{
        QStringLiteral("theme"), QStringLiteral("light, dark or system."), QStringLiteral("THEME")};
    QCommandLineOption interval{QStringLiteral("interval"),
        QStringLiteral("How often to poll, 250ms to 60s."), QStringLiteral("TIME")};
    QCommandLineOption screenshot{QStringLiteral("screenshot"),
        QStringLiteral("Write a picture of the window after the first snapshot, then end."),
        QStringLiteral("FILE")};
    QCommandLineOption after{QStringLiteral("after"),
        QStringLiteral("Take the picture after that many seconds instead."), QStringLiteral("SECONDS")};
    QCommandLineOption size{
        QStringLiteral("size"), QStringLiteral("Size of the picture."), QStringLiteral("WIDTHxHEIGHT")};
    QCommandLineOption allowError{
        QStringLiteral("allow-error"), QStringLiteral("Write the picture even if nothing could be read.")};
    QCommandLineOption readOnly{
        QStringLiteral("read-only"), QStringLiteral("Never release or end anything from this window.")};
    QCommandLineOption passwordStdin{
        QStringLiteral("password-stdin"), QStringLiteral("Read the server's password from standard input.")};
    QCommandLineOption timings{QStringLiteral("timings"),
        QStringLiteral("Print the times to the first paint and the first snapshot to standard error.")};

    void addTo(QCommandLineParser& parser)
    {
        parser.addOptions({help, version, server, demo, recording, at, page, filter, theme, interval,
            screenshot, after, size, allowError, readOnly, passwordStdin, timings});
    }
};

/// A file of any name that is no server: reports are known by what is in them.
bool isReport(const QString& text)
{
    const bool isPath = !text.contains(QLatin1String("://")) || QUrl(text).isLocalFile();
    return isPath
        && (ui::ReportDrop::isReportName(text)
            || (QFileInfo(text).isFile() && !db::ServerUrl::parse(text).has_value()));
}

/// A desktop gives a file as a URL.
QString fileOf(const QString& text)
{
    const QUrl url(text);
    return url.isLocalFile() ? url.toLocalFile() : text;
}

Result<db::ServerProfile> serverOf(const QString& text, bool readOnly)
{
    auto url = db::ServerUrl::parse(text);
    if (!url)
        return Failure(std::move(url.error()));
    db::ServerProfile profile;
    profile.url = *url;
    profile.readOnly = readOnly;
    return profile;
}

Result<void> readNumbers(const QCommandLineParser& parser, const Options& options, Arguments& result)
{
    if (parser.isSet(options.interval)) {
        const auto interval = parseDuration(parser.value(options.interval));
        if (!interval || *interval < milliseconds(250) || *interval > milliseconds(60'000))
            return refused(QStringLiteral("--interval takes a time from 250ms to 60s."));
        result.interval = *interval;
    }
    if (parser.isSet(options.after)) {
        const auto after = parseDuration(parser.value(options.after));
        if (!after)
            return refused(QStringLiteral("--after takes a number of seconds."));
        result.after = *after;
    }
    if (parser.isSet(options.size)) {
        static const QRegularExpression form(QStringLiteral("^(\\d{3,5})x(\\d{3,5})$"));
        const auto match = form.match(parser.value(options.size));
        if (!match.hasMatch())
            return refused(QStringLiteral("--size takes WIDTHxHEIGHT, for example 1280x800."));
        result.size = {match.captured(1).toInt(), match.captured(2).toInt()};
    }
    if (parser.isSet(options.theme)) {
        result.theme = ui::themeModeFromName(parser.value(options.theme));
        if (!result.theme)
            return refused(QStringLiteral("--theme takes light, dark or system."));
    }
    return {};
}

/// Reads the server, or the recording or the reports, that is to be shown.
Result<void> readTargets(const QCommandLineParser& parser, const Options& options, Arguments& result)
{
    QStringList urls = parser.positionalArguments();
    if (parser.isSet(options.server))
        urls.prepend(parser.value(options.server));
    if (urls.isEmpty() && result.demo)
        urls << QStringLiteral("sandbox:");
    result.recording = parser.value(options.recording);
    if (result.recording.isEmpty() && urls.size() == 1 && ui::RecordingOpener::isRecordingName(urls.first()))
        result.recording = fileOf(urls.takeFirst());
    for (const QString& text : QStringList(urls))
        if (isReport(text))
            result.reports << fileOf(urls.takeAt(urls.indexOf(text)));
    result.at = parser.value(options.at);
    if (!result.recording.isEmpty() && !urls.isEmpty())
        return refused(QStringLiteral("A server or a recording, not both."));
    if (result.recording.isEmpty() && !result.at.isEmpty())
        return refused(QStringLiteral("--at names a time of a recording: it goes with --recording FILE."));
    if (!result.at.isEmpty()) {
        if (const auto time = record::parseTime(result.at, {}); !time)
            return Failure(time.error());
    }
    if (urls.size() > 1)
        return refused(QStringLiteral("One server at a time on the command line; add others in the window."));
    if (!urls.isEmpty()) {
        auto server = serverOf(urls.first(), result.readOnly);
        if (!server)
            return Failure(std::move(server.error()));
        if (result.demo && !server->url.sandbox)
            return refused(QStringLiteral("--demo runs on the sandbox only, never on a server of yours."));
        result.server = *server;
    }
    return {};
}

} // namespace

Result<Arguments> Arguments::parse(const QStringList& commandLine)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral(
        "Lockscope shows who holds which database lock, who waits, since when, and who blocks whom.\n"
        "Without arguments it opens with a choice of what to view."));
    Options options;
    options.addTo(parser);
    parser.addPositionalArgument(QStringLiteral("URL"),
        QStringLiteral(
            "The same as --server URL, or a file as --recording FILE, or reports of deadlocks and logs, several at once: .xdl, .xml, .log, .csv, .json, .txt, and others that exist."),
        QStringLiteral("[URL|FILE…]"));
    if (!parser.parse(commandLine))
        return refused(parser.errorText());

    Arguments result;
    if (parser.isSet(options.help)) {
        // Arguments are read before there is an application that has a name.
        result.answer =
            parser.helpText().replace(QStringLiteral("<executable_name>"), QStringLiteral("lockscope"));
        return result;
    }
    if (parser.isSet(options.version)) {
        result.answer = QStringLiteral("lockscope " LOCKSCOPE_VERSION "\n");
        return result;
    }
    result.demo = parser.isSet(options.demo);
    result.page = parser.value(options.page);
    result.filter = parser.value(options.filter);
    result.screenshot = parser.value(options.screenshot);
    result.allowError = parser.isSet(options.allowError);
    result.readOnly = parser.isSet(options.readOnly);
    result.passwordFromStdin = parser.isSet(options.passwordStdin);
    result.timings = parser.isSet(options.timings);
    if (auto numbers = readNumbers(parser, options, result); !numbers)
        return Failure(std::move(numbers.error()));
    if (auto targets = readTargets(parser, options, result); !targets)
        return Failure(std::move(targets.error()));
    return result;
}

} // namespace lockscope::app

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
constexpr auto maxWait = 60s;
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
    QTimer::singleShot(std::max<milliseconds>(maxWait, after), this, &Screenshot::take);
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
