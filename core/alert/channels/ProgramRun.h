// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/base/ServerTime.h"

#include <QByteArray>
#include <QStringList>

#include <stop_token>

namespace lockscope::alert {

/// Returns why a program is not run: its path is not absolute, it is none, or others could have put it there.
Result<void> checkProgram(const QString& path);
/// Runs a program without a shell, with `input` on its standard input, and waits for its end. Then, in time
/// or not, and when asked to stop, it and its children are killed. It gets only what it needs of the
/// environment: no passwords. Exit codes but 0 are an error, with the first line of what it wrote to standard
/// error.
Result<void> runProgram(
    const QStringList& command, const QByteArray& input, milliseconds atMost, const std::stop_token& stop);

} // namespace lockscope::alert
