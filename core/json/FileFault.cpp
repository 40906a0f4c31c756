// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/json/FileFault.h"

namespace lockscope::json {

using namespace Qt::StringLiterals;

QString FileFault::toString() const
{
    QString place = file;
    if (line > 0)
        place += u":%1:%2"_s.arg(line).arg(column);
    return place + u": "_s + what + (expected.isEmpty() ? QString() : u" Expected: %1."_s.arg(expected));
}

} // namespace lockscope::json
