// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"

#include <QString>

namespace lockscope {

/// "12:04:31", in UTC; empty for a time that is not valid.
QString clockText(ServerTime time);
/// "2026-11-21 03:12:07 UTC"; a dash for a time that is not valid.
QString dateTimeText(ServerTime time);

} // namespace lockscope
