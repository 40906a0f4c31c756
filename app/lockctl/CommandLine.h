// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Result.h"
#include "core/base/ServerTime.h"

#include <QCommandLineParser>
#include <QJsonObject>

#include <optional>

namespace lockscope::ctl {

/// The options of one sub-command: --server, --password-stdin, --json, --read-only and --help belong to all
/// of them.
class CommandLine {
public:
    /// After "--" nothing is an option, even if it begins with "-".
    enum class Dashes {
        BeforePositionals, ///< what follows are names
        BeforeCommand, ///< what follows is a command; names, too, if there was none before
    };
    CommandLine(
        const QString& description, const QString& positionals, Dashes dashes = Dashes::BeforePositionals);

    void addFlag(const QString& name, const QString& meaning);
    void addValue(
        const QString& name, const QString& valueName, const QString& meaning, const QString& byDefault = {});

    /// Nothing: go on. Else the program's exit code: help was asked for and printed, or the usage was wrong
    /// and that was said. `arguments` begin with the sub-command's name.
    std::optional<int> parse(const QStringList& arguments, int minPositionals, int maxPositionals);

    bool has(const QString& flag) const { return m_parser.isSet(flag); }
    QString value(const QString& name) const;
    QStringList values(const QString& name) const; ///< each time it was given
    QStringList positionals() const { return m_names; }
    QString positional(int at) const { return m_names.value(at); }
    QStringList commandAfterDashes() const { return m_command; }
    bool json() const { return has(QStringLiteral("json")); }
    bool readOnly() const; ///< --read-only, or $LOCKSCOPE_READ_ONLY is anything but empty or 0

    Result<milliseconds> duration(const QString& name) const;
    /// A whole number of at least `least`.
    Result<qint64> number(const QString& name, qint64 least) const;

private:
    int usageError(const QString& text) const;

    QCommandLineParser m_parser;
    QString m_name;
    QString m_positionals;
    Dashes m_dashes;
    QStringList m_names;
    QStringList m_command;
};

} // namespace lockscope::ctl
