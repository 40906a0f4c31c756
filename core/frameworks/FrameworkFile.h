// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/domain/Framework.h"
#include "core/json/FileCheck.h"

#include <QByteArray>

namespace lockscope::frameworks {

inline constexpr qsizetype largestFrameworkFile = 256 * 1'024;

/// Proved: each example is recognised as what it says, and each column that a row uses stands in "columns" of
/// its table. For who writes a file; what is at work needs neither.
enum class Strictness : quint8 { WellFormed, Proved };

/// Reads a file of the format `resources/frameworks/framework.schema.json`, and checks what a schema can't:
/// that patterns compile, that clocks are known on each engine, that a kind has what it needs. All faults at
/// once, in the order of the file. `name` is the file's name or path, for the id and for errors. Size and
/// depth are limited. Any thread.
tl::expected<Framework, json::FileFaults> checkFrameworkFile(
    const QString& name, const QByteArray& text, Strictness strictness = Strictness::WellFormed);

/// The same with an error: BadInput, `what` the first fault, "mine.json:12:5: …", `detail` the others, a line
/// each.
Result<Framework> readFrameworkFile(const QString& name, const QByteArray& text);

} // namespace lockscope::frameworks
