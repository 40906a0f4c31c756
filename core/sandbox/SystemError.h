// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <cerrno>
#include <system_error>

namespace lockscope::sandbox {

/// A failed system call as an error value: `what` failed, the system's own words as detail.
inline Failure systemFailure(QString what, int code = errno)
{
    Error error;
    error.kind = ErrorKind::Server;
    error.what = std::move(what);
    error.server = QStringLiteral("sandbox");
    error.detail = QString::fromStdString(std::system_category().message(code));
    return Failure(std::move(error));
}

} // namespace lockscope::sandbox
