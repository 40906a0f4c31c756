// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

#include <optional>

namespace lockscope::deadlock {

/// The beginning that grep -n and -A give each line: the name of the file, if there are several, and a
/// number.
struct GrepForm {
    QString name;
    bool hasNumbers = false;
};

/// Returns the separator behind `name` and the number; -1: the line has none.
qsizetype endOfGrepPrefix(QStringView line, const GrepForm& form);

/// A line of a report and the one below it tell: their numbers follow each other, or the name stands before
/// the tab that continues a message.
std::optional<GrepForm> grepFormOf(const QString& text);

} // namespace lockscope::deadlock
