// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/OwnClock.h"

#include <QDateTime>

namespace lockscope {

ServerTime ownClock()
{
    return {QDateTime::currentMSecsSinceEpoch() * 1'000};
}

} // namespace lockscope
