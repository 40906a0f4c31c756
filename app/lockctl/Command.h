// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Result.h"

#include <QStringList>

#include <vector>

namespace lockscope::ctl {

class CommandLine;

/// One of the values below, or that of a command that was run.
using ExitStatus = int;

/// The exit statuses. Documented in --help, in lockctl(1) and in the manual.
enum ExitCode : int {
    exitOk = 0,
    exitFailed = 1, ///< the server refused, was not there, or something else went wrong
    /// For `deadlock`, `deadlocks` and `order`: there is one; 0 is that there is none, and if reports or
    /// polls can't be had there is no verdict.
    exitSomeFound = exitFailed,
    exitUsage = 2,
    /// For scenarios: there is no verdict on the invariant; 1 is that it broke. For `range` and `compare`:
    /// too little was seen. For `deadlock` and `deadlocks`: a file or the records can't be read.
    exitNoVerdict = 3,
    // of `free`, for scripts:
    exitNothingFound = 4, ///< no such lock is held
    exitAmbiguous = 5, ///< several are: nothing was done
    exitChanged = 6, ///< it differs from what was shown: nothing was done
    exitRefused = 7, ///< it must not or may not be freed from here
    exitNotObtained = 75, ///< sysexits' EX_TEMPFAIL: somebody else has the lock; try again later
    exitNotExecutable = 126, ///< as shells do
    exitNotFound = 127,
    exitSignal = 128, ///< plus the number of the signal that ended the command, or lockctl's wait
};

struct Option {
    QString name; ///< "json", "n": without dashes
    /// The form of its value: "TIME", or all that it may be, "table|app"; "[NAME]": that or nothing; empty:
    /// it is a flag.
    QString value{};
    QString meaning;
    QString byDefault{};
    QString letter{}; ///< another name, "h" of "help"

    QString spelling() const; ///< "--json", "-n", "-h,--help"
    QStringList choices() const; ///< empty: anything
    bool mayLackValue() const { return value.startsWith(u'['); }
};

/// A command, or a group of commands: what the parser, the help and the shells' completion know of it.
struct Command {
    /// Errors are printed by statusOf(): functions of commands return them.
    using Run = Result<ExitStatus> (*)(const CommandLine& line);

    QString name; ///< "list"; of one in a group the whole, "scenario run"
    QString summary; ///< for the list of commands
    Run run; ///< null: it is a group
    QString description;
    /// "NAME -- COMMAND…"; what begins with '(' or '-' is shown, but no place for a word
    QString arguments{};
    QStringList examples{};
    std::vector<Option> options{};
    std::vector<Command> commands{}; ///< of a group
    /// Options of the first list don't go together with those of the second.
    std::vector<std::pair<QStringList, QStringList>> apart{};
    /// The status of an error other than BadInput; exitNoVerdict where 1 means something else.
    ExitStatus failed = exitFailed;

    Command(const QString& wholeName, const QString& inBrief, Run what, const QString& inFull)
        : name(wholeName)
        , summary(inBrief)
        , run(what)
        , description(inFull)
    {
    }
    void addFlag(const QString& flag, const QString& meaning);
    void addValue(
        const QString& option, const QString& value, const QString& meaning, const QString& byDefault = {});

    QString lastName() const { return name.section(u' ', -1); } ///< "run" of "scenario run"
    QString usage() const; ///< "run [OPTIONS] NAME -- COMMAND…", "scenario [OPTIONS] list|run…"
    QStringList
    places() const; ///< "NAME"; the last one may be "FILE…", one or more, "[NAME]", one or none, or "[FILE…]"
    bool takesCommand() const { return arguments.contains(u"-- "); } ///< the words behind "--" are to be run
};

/// --server, --json and the others that every command takes, before it or after it.
const std::vector<Option>& globalOptions();
const std::vector<Command>& commands();

/// Notes the open descriptors, which are passed on to the command of `run`: to be called before anything else
/// opens one.
void noteInheritedDescriptors(int argumentCount, char** arguments);

/// Returns the help for people, at most 80 columns wide: of lockctl itself, or of one command.
QString helpText(const Command* command);
/// Returns the words that may come next after these, of which the last one is still being written: for the
/// shells' completion, each with its meaning behind a tab. Nothing: a file, or anything.
QStringList completions(const QStringList& words);

Command listCommand();
Command treeCommand();
Command watchCommand();
Command runCommand();
Command acquireCommand();
Command releaseCommand();
Command freeCommand();
Command frameworksCommand();
Command purgeCommand();
Command endSessionCommand();
Command auditCommand();
Command planCommand();
Command checkCommand();
Command installCommand();
Command uninstallCommand();
Command scenarioCommand();
Command recordCommand();
Command agentCommand();
Command metricsCommand();
Command recordingsCommand();
Command historyCommand();
Command deadlockCommand();
Command deadlocksCommand();
Command orderCommand();
Command alertsCommand();
Command incidentCommand();
Command rangeCommand();
Command compareCommand();
Command sandboxCommand();

} // namespace lockscope::ctl
