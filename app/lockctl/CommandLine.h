// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/Command.h"
#include "core/base/Result.h"
#include "core/base/ServerTime.h"

#include <QHash>

namespace lockscope::ctl {

/// The user's command line: a command, its options, its arguments.
class CommandLine {
public:
    /// `words` come after the program's name. Options of all commands may stand before the command, too;
    /// after "--" nothing is an option, even if it begins with '-'. BadInput: wrong usage.
    static Result<CommandLine> parse(const QStringList& words);

    /// Returns null if none was named: then help or the version was asked for.
    const Command* command() const { return m_command; }
    bool has(const QString& option) const { return m_given.contains(option); }
    QString value(const QString& option) const; ///< the last one, or the default
    QStringList values(const QString& option) const { return m_given.value(option); } ///< each that was given
    QStringList positionals() const { return m_names; }
    QString positional(int at) const { return m_names.value(at); }
    QStringList commandAfterDashes() const { return m_commandToRun; }
    bool json() const ///< --json, or --format json
    {
        return has(QStringLiteral("json")) || value(QStringLiteral("format")) == QStringLiteral("json");
    }
    bool readOnly() const; ///< --read-only, or $LOCKSCOPE_READ_ONLY is anything but empty or 0

    Result<milliseconds> duration(const QString& option) const;
    /// Puts the duration into `into` if the option was given.
    template <class Target> Result<void> setDuration(const QString& option, Target& into) const
    {
        if (has(option)) {
            LOCKSCOPE_TRY_GET(into, duration(option));
        }
        return {};
    }
    /// A whole number of at least `least`.
    Result<qint64> number(const QString& option, qint64 least) const;

private:
    QString errorIn(const QStringList& afterDashes);
    QString contradiction() const;
    QString usage(const QString& error) const;

    const Command* m_command = nullptr;
    QHash<QString, QStringList> m_given; // by option; of a flag what the library says instead of a value
    QStringList m_names;
    QStringList m_commandToRun;
};

} // namespace lockscope::ctl
