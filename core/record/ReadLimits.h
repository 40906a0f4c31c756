// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/base/ServerTime.h"

namespace lockscope::record {

// A file may be somebody else's work: what is read of it at once is bounded.
inline constexpr qint64 maxLines = 100'000;
inline constexpr qint64 maxCharacters = 64 * 1024 * 1024;
inline constexpr qint64 maxFrames = 1'000; ///< after a key frame; a writer makes one much sooner
inline constexpr qint64 farthest = qint64(1) << 59; ///< microseconds: times beyond it can't be reckoned with
// The server's clock may go back by less without a gap.
inline constexpr microseconds clockTolerance = std::chrono::milliseconds(100);

/// BadInput: there are more `what` than that.
inline Failure tooMuch(const QString& what)
{
    return failure(ErrorKind::BadInput,
        QStringLiteral("There are more %1 in the recording than are read at once.").arg(what));
}

} // namespace lockscope::record
