// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProcessEnvironment>
#include <QStringList>

#include <tl/expected.hpp>

#include <sys/types.h>

namespace lockscope::ctl {

/// A program as a shell finds and starts it.
struct Program {
    struct Refusal {
        QString reason;
        int exitCode = 0; ///< 126 = found, but it can't be executed; 127 = not found
    };
    QString path;
    bool isBinary = false; ///< no script, even if it begins with neither "#!" nor a format that is known

    /// Finds it by its path, or by its name in one of the folders of `searchPath`.
    static tl::expected<Program, Refusal> find(const QString& name, const QString& searchPath);

    /// Starts it with what we were given: descriptors, ignored signals, words that are no text. The first
    /// word of `command` is its name. A script without "#!" is given to /bin/sh. The error is the system's
    /// number. Without `survivesUs` it gets SIGTERM when the calling thread ends (Linux).
    tl::expected<pid_t, int> start(
        const QStringList& command, const QProcessEnvironment& environment, bool survivesUs) const;
};

/// Notes the open descriptors, which are passed on to commands: to be called before anything else opens one.
void noteInheritedDescriptors(int argumentCount, char** arguments);

} // namespace lockscope::ctl
