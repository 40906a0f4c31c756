// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/domain/Framework.h"

#include <QByteArray>

namespace lockscope::frameworks {

/// Reads a file of the format `resources/frameworks/framework.schema.json`. `name` is the file's name, for
/// the id and for errors, which tell the line: BadInput, "mine.json:12: …". Size and depth are limited.
Result<Framework> readFrameworkFile(const QString& name, const QByteArray& text);

} // namespace lockscope::frameworks
