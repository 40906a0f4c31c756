// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Console.h"

#include "app/lockctl/CommandLine.h"
#include "core/base/ShownText.h"
#include "core/db/credentials/Secrets.h"
#include "core/domain/SnapshotJson.h"
#include "core/report/Report.h"

#include <QJsonDocument>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

using report::harmlessJson;
using report::steeringReplaced;

namespace {

bool& outputLost()
{
    static bool lost = false;
    return lost;
}

void noteWritten(FILE* file, bool isWritten)
{
    if (!isWritten && file == stdout)
        outputLost() = true;
}

void writePiece(FILE* file, const QByteArray& bytes)
{
    const auto size = static_cast<size_t>(bytes.size());
    noteWritten(file, std::fwrite(bytes.constData(), 1, size, file) == size);
}

/// Replaces invisible characters and those that turn the writing direction by their codes in everything that
/// is written, also where printable() was forgotten; the controls are ours (colours, lines).
QString withoutFormats(const QString& text)
{
    return steeringReplaced(text, [](QStringView units) {
        const bool isOurs = units.size() == 1 && units[0].category() == QChar::Other_Control;
        return isOurs ? units.toString() : inOneLine(units.toString());
    });
}

void write(FILE* file, const QString& text)
{
    const bool isPlain = std::ranges::all_of(text, [](QChar c) { return c.unicode() < 0x7f; });
    writePiece(file, (isPlain ? text : withoutFormats(text)).toUtf8());
    noteWritten(file, std::fflush(file) == 0);
}

QString lineOf(const QJsonDocument& document)
{
    return QString::fromUtf8(harmlessJson(document.toJson(QJsonDocument::Compact))) + u'\n';
}

constexpr auto showProgressEvery = std::chrono::milliseconds(100);
constexpr auto clearLine = "\r\x1b[K";

QString& currentServer()
{
    static QString server;
    return server;
}

} // namespace

void print(const QString& text)
{
    write(stdout, text);
}

void say(const QString& text)
{
    QStringList lines = text.split(u'\n');
    for (QString& line : lines)
        line = printable(line);
    print(lines.join(u'\n'));
}

void sayLine(const QString& text)
{
    print(printable(text) + u'\n');
}

bool isOutputLost()
{
    return outputLost();
}

void surviveClosedOutput()
{
    std::signal(SIGPIPE, SIG_IGN);
}

void complain(const QString& text)
{
    write(stderr, u"lockctl: "_s + printable(db::withoutSecrets(text)).simplified() + u'\n');
}

void complain(const json::FileFaults& faults)
{
    for (const json::FileFault& fault : faults)
        complain(fault.toString());
}

QJsonArray faultsJson(const json::FileFaults& faults)
{
    return jsonOfEach(faults, [](const json::FileFault& fault) {
        return QJsonObject{{u"file"_s, fault.file}, {u"line"_s, fault.line}, {u"column"_s, fault.column},
            {u"what"_s, fault.what}, {u"expected"_s, fault.expected}};
    });
}

void speakOf(const QString& server)
{
    currentServer() = server;
}

QString errorText(Error error)
{
    if (error.server.isEmpty())
        error.server = currentServer();
    return error.toString();
}

ExitStatus fail(const Error& error, ExitStatus failed)
{
    complain(errorText(error));
    return error.kind == ErrorKind::BadInput ? exitUsage : failed;
}

ExitStatus statusOf(const Command& command, const Result<ExitStatus>& result)
{
    return result ? *result : fail(result.error(), command.failed);
}

void printJson(const QJsonObject& object, Stream stream)
{
    write(stream == Stream::Err ? stderr : stdout, lineOf(QJsonDocument(object)));
}

void printJson(const QJsonArray& array)
{
    print(lineOf(QJsonDocument(array)));
}

void printJson(const Snapshot& snapshot)
{
    writeJson(snapshot, [](const QByteArray& piece) { writePiece(stdout, harmlessJson(piece)); });
    print(u"\n"_s);
}

ExitStatus answer(const CommandLine& line, const QString& text, const QJsonObject& json)
{
    if (line.json())
        printJson(json);
    else
        sayLine(text);
    return exitOk;
}

bool agreed(const QString& question)
{
    write(stderr, question);
    QByteArray answer;
    for (int c = std::getchar(); c != EOF && c != '\n'; c = std::getchar())
        answer.append(static_cast<char>(c));
    answer = answer.trimmed().toLower();
    return answer == "y" || answer == "yes";
}

bool isTerminal(Stream stream)
{
    FILE* const file = stream == Stream::In ? stdin : stream == Stream::Out ? stdout : stderr;
    return isatty(fileno(file)) != 0;
}

ScreenSize screenSize()
{
    ScreenSize size;
    if (!isTerminal(Stream::Out))
        size.columns = 0;
    winsize window{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
        size = {window.ws_col, window.ws_row};
    if (const int columns = qEnvironmentVariableIntValue("COLUMNS"); columns > 0)
        size.columns = columns;
    if (const int rows = qEnvironmentVariableIntValue("LINES"); rows > 0)
        size.rows = rows;
    return size;
}

bool useColours()
{
    return isTerminal(Stream::Out) && qEnvironmentVariableIsEmpty("NO_COLOR") && qgetenv("TERM") != "dumb";
}

ProgressLine::ProgressLine()
    : m_isTerminal(isTerminal(Stream::Err))
{
}

ProgressLine::~ProgressLine()
{
    if (m_isShown)
        std::fputs(clearLine, stderr);
}

void ProgressLine::show(const QString& text)
{
    const auto now = std::chrono::steady_clock::now();
    if (!m_isTerminal || now - m_shownAt < showProgressEvery)
        return;
    m_shownAt = now;
    m_isShown = true;
    std::fputs(clearLine, stderr);
    std::fputs(qPrintable(text), stderr);
    std::fflush(stderr);
}

namespace {

report::Form formOf(const CommandLine& line)
{
    if (line.json())
        return report::Form::Json;
    return static_cast<report::Form>(
        report::formNames.toString().split(u'|').indexOf(line.value(u"format"_s)));
}

} // namespace

void addForms(Command& command, const QStringList& tables)
{
    command.addValue(u"format"_s, report::formNames.toString(),
        u"Print it in this form; --json is --format json. CSV has the tables alone."_s, u"text"_s);
    if (!tables.isEmpty())
        command.addValue(u"table"_s, tables.join(u'|'), u"Print this table alone."_s);
}

ReportPrinter::ReportPrinter(const CommandLine& line, qsizetype maxRows)
    : Writer(
        formOf(line), {.width = screenSize().columns, .colours = useColours(), .maxRows = maxRows}, print)
{
}

ExitStatus printReport(const CommandLine& line, report::Report report, qsizetype maxRows)
{
    if (line.has(u"table"_s)) {
        const bool isForPrograms = formOf(line) == report::Form::Json || formOf(line) == report::Form::Csv;
        std::erase_if(report.sections,
            [&line](const report::Section& each) { return each.key != line.value(u"table"_s); });
        for (report::Section& each : report.sections) {
            if (each.shown == report::Shown::ToPrograms && !isForPrograms)
                each = {.key = each.key, .whenEmpty = u"This table is for programs: --format json or csv."_s};
            else if (each.whenEmpty.isEmpty())
                each.whenEmpty = u"There is nothing in this table."_s;
        }
    }
    ReportPrinter(line, maxRows).write(report);
    return exitOk;
}

} // namespace lockscope::ctl
