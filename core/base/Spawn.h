// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <QByteArray>
#include <QStringList>

#include <algorithm>
#include <sys/types.h>
#include <tl/expected.hpp>
#include <vector>

namespace lockscope {

/// A program to start, without a shell. It gets what is named here and nothing else of ours: no signal
/// handler, no blocked signal, no other descriptor. QProcess is for those whose output an event loop reads
/// (SessionProcesses), or that are read to their end within a time (findPostgresPrograms).
struct ProgramStart {
    QByteArray path{}; ///< of its file; empty = the first argument
    std::vector<QByteArray> arguments{}; ///< the program's name first
    std::vector<QByteArray> environment{}; ///< "NAME=value"
    std::vector<int> descriptors{}; ///< become 0, 1, 2 and so on; −1 = /dev/null. None = 0 to 2 stay
    std::vector<int> kept{}; ///< further descriptors, which keep their numbers: those from firstFree() on
    std::vector<int> ignoredSignals{}; ///< all others get their default action
    bool leadsGroup = false; ///< of processes, a new one
    int signalIfWeDie = 0; ///< sent at the end of the thread that starts it (Linux); 0 = it goes on

    /// Returns the first number behind those of `descriptors` and of its input, output and errors.
    int firstFree() const { return std::max(3, static_cast<int>(descriptors.size())); }
};

/// Starts the program and returns its process, for which the caller waits, or the system's error number, also
/// if the file can't be executed; EINVAL if one of `kept` has a number that another one gets. Any thread.
tl::expected<pid_t, int> spawn(ProgramStart program);

/// Returns texts in the encoding of file names, as arguments of a program.
std::vector<QByteArray> inFileEncoding(const QStringList& texts);
/// Returns those of our variables whose "NAME=value" begins with one of the prefixes ("PATH=", "LC_").
std::vector<QByteArray> ourEnvironment(const std::vector<QByteArray>& prefixes = {""});

/// The path of another program of ours: beside this one, where the package puts it, or on the PATH.
/// MissingObject if there is none; `purpose` says what for: "which runs the sandbox's server". Any thread.
Result<QString> findOwnProgram(const QString& name, const QString& purpose);
/// Returns the hint for a program of ours that is not there.
QString ownProgramHint();

} // namespace lockscope
