// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Framework.h"

namespace lockscope {

// The rules of a framework's file in words.

/// `text` of others as Markdown that shows exactly it: in one line, nothing of it is markup.
QString plainMarkdown(const QString& text);

QString kindText(FrameworkLockKind kind); ///< "A row of a table", "An advisory key" …
/// "By the table databasechangeloglock with the columns id, locked; held while locked is true."
QString recognitionText(const FrameworkLock& lock);
/// Names the columns with holder, start, end, sign of life.
QString rowText(const FrameworkRow& row);
/// Describes how the row is freed: "The row stays; in it is written: locked = false, lockedby = NULL."
QString changeText(const FrameworkRow& row);

} // namespace lockscope
