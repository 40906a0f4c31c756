// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "Arguments.h"

#include "core/base/Duration.h"
#include "core/record/ParseTime.h"
#include "ui/shell/servers/RecordingOpener.h"
#include "ui/views/deadlocks/ReportDrop.h"

#include <QCommandLineParser>
#include <QFileInfo>
#include <QRegularExpression>
#include <QUrl>

namespace lockscope::app {

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
