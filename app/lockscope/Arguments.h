// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Result.h"
#include "core/db/ServerProfile.h"
#include "ui/kit/theme/Theme.h"

#include <QSize>
#include <QStringList>

#include <optional>

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

} // namespace lockscope::app
