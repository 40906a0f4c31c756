// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/json/FileCheck.h"

namespace lockscope::test {

/// Ends the program unless a file was refused with reasons and places. `first`: 0 where a fault may be one of
/// the whole file.
inline void checkFaults(const json::FileFaults& faults, int first = 1)
{
    if (faults.empty())
        qFatal("refused without a fault");
    for (const json::FileFault& fault : faults)
        if (fault.what.isEmpty() || fault.line < first || fault.column < first)
            qFatal("refused without a reason or a place");
}

} // namespace lockscope::test
