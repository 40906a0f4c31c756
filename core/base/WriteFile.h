// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <QByteArray>

#include <optional>

namespace lockscope {

/// The whole file or, with BadInput, none of it: what was there before stays until all is written. Not where
/// reasonAgainstWriting() has one. Any thread.
Result<void> writeFile(const QString& path, const QByteArray& content);

/// Returns why no file is written there, with BadInput: through a link, over what is no file, or in a folder
/// in which another account could put something else in its place. Every file that somebody names as output
/// is asked for here; writeFile() does so itself. Blocks for the disk.
std::optional<Error> reasonAgainstWriting(const QString& path);

} // namespace lockscope
