// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QProcessEnvironment>
#include <QStringList>

#include <tl/expected.hpp>

#include <vector>

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

    class Start;
};

/// The part between fork and exec. Everything is prepared before, because only little may be done there.
class Program::Start {
public:
    /// `command` has the program's name as its first word.
    Start(const Program& program, const QStringList& command, const QProcessEnvironment& environment,
        bool survivesUs);
    Q_DISABLE_COPY_MOVE(Start)

    /// Executes the program; returns, with errno, only if that fails. A script without "#!" is given to
    /// /bin/sh.
    void inChild() const;

private:
    static std::vector<char*> pointers(std::vector<QByteArray>& texts);

    const bool m_isBinary;
    const bool m_survivesUs;
    const int m_parent;
    const QByteArray m_path;
    std::vector<QByteArray> m_words;
    std::vector<QByteArray> m_shellWords;
    std::vector<QByteArray> m_settings;
    std::vector<char*> m_arguments;
    std::vector<char*> m_shellArguments;
    std::vector<char*> m_environment;
};

/// Notes the open descriptors, which are passed on to commands: to be called before anything else opens one.
void noteInheritedDescriptors(int argumentCount, char** arguments);

} // namespace lockscope::ctl
