// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/Command.h"
#include "app/lockctl/CommandLine.h"
#include "core/base/Result.h"
#include "core/base/ShownText.h"
#include "core/json/FileCheck.h"
#include "core/report/Writer.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QString>

#include <chrono>
#include <functional>

namespace lockscope {
struct Snapshot;
} // namespace lockscope

namespace lockscope::ctl {

using report::displayWidth;
using report::fitted;
using report::TextTable;
using report::TextTone;
using report::toned;
using report::wrapped;

/// Keeps what a client writes into its program name from steering the terminal.
inline QString printable(const QString& text)
{
    return inOneLine(text);
}

enum class Stream { In, Out, Err };

/// UTF-8 to standard output, at once.
void print(const QString& text);
/// The same of lines that hold what others wrote: nothing in them can steer the terminal.
void say(const QString& text);
/// The same in one line, whatever is in it.
void sayLine(const QString& text);
/// Returns whether something could not be written to standard output: its disk is full, its reader is gone.
bool isOutputLost();
/// A reader that is gone shows as lost output from now on, and does not end the program.
void surviveClosedOutput();
/// "lockctl: text" to standard error, in one line; nothing in it can steer the terminal.
void complain(const QString& text);
/// Complains of each fault of a file.
void complain(const json::FileFaults& faults);
QJsonArray faultsJson(const json::FileFaults& faults);
/// The server that is meant from now on: of errors that name none.
void speakOf(const QString& server);
/// The error in one line, with its server.
QString errorText(Error error);
/// Prints what failed, on which server and what to do, of an error that does not end the command, or has a
/// status of its own. Returns exitUsage for BadInput, else `failed`.
ExitStatus fail(const Error& error, ExitStatus failed = exitFailed);
/// The exit status of the command. Its error is printed as by fail().
ExitStatus statusOf(const Command& command, const Result<ExitStatus>& result);
/// Prints one line, with escapes for what could steer a terminal.
void printJson(const QJsonObject& object, Stream stream = Stream::Out);
void printJson(const QJsonArray& array);
/// Piece by piece, however many locks it has.
void printJson(const Snapshot& snapshot);
/// Returns the JSON of each element, by a function or a member.
template <class Range, class JsonOf> QJsonArray jsonOfEach(const Range& range, const JsonOf& jsonOf)
{
    QJsonArray array;
    for (const auto& each : range)
        array.append(std::invoke(jsonOf, each));
    return array;
}
/// Prints an answer: `text` in one line for people or, with --json, `json`. Returns exitOk.
ExitStatus answer(const CommandLine& line, const QString& text, const QJsonObject& json);

/// Asks at the terminal; anything but yes is no.
bool agreed(const QString& question);

bool isTerminal(Stream stream);
struct ScreenSize {
    int columns = 80;
    int rows = 24;
};
/// Returns the size of the terminal on standard output; $COLUMNS and $LINES win. Unlimited columns (0) if it
/// is no terminal.
ScreenSize screenSize();

/// True only on a terminal, and never if $NO_COLOR is set.
bool useColours();

/// One line on the terminal that is written again and again, and goes with this. Nothing where there is no
/// terminal.
class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine();
    Q_DISABLE_COPY_MOVE(ProgressLine)

    /// Left out if the last one was there for less than a tenth of a second.
    void show(const QString& text);

private:
    const bool m_isTerminal;
    bool m_isShown = false;
    std::chrono::steady_clock::time_point m_shownAt;
};

/// --format, of commands that print a report; `tables`: what --table may name, if it has several.
void addForms(Command& command, const QStringList& tables = {});
/// Writes a report to standard output in the form that the options name. `maxRows` of each table for people;
/// 0: all.
class ReportPrinter : public report::Writer {
public:
    explicit ReportPrinter(const CommandLine& line, qsizetype maxRows = 0);
};
/// Prints all of it, or the table that --table names. Returns exitOk.
ExitStatus printReport(const CommandLine& line, report::Report report, qsizetype maxRows = 0);

} // namespace lockscope::ctl
