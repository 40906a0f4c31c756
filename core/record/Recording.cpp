// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/Recording.h"

#include "core/base/Duration.h"

namespace lockscope::record {

using namespace Qt::StringLiterals;

Result<Retention> retentionOf(const QString& text, Retention retention)
{
    for (const QString& part : text.split(u',')) {
        if (const auto age = parseDuration(part)) {
            retention.age = *age;
            continue;
        }
        static const QString units = u"KMGT"_s;
        const auto power = part.isEmpty() ? -1 : units.indexOf(part.back().toUpper());
        bool isNumber = false;
        const qint64 count = part.chopped(power < 0 ? 0 : 1).toLongLong(&isNumber);
        if (!isNumber || power < 0 || count < 1 || count > 1'000'000)
            return failure(ErrorKind::BadInput, u"'%1' is neither a time nor a size."_s.arg(part),
                u"Write 7d, 500M, 1G, or both with a comma: 7d,1G."_s);
        retention.bytes = count << (10 * (power + 1));
    }
    return retention;
}

} // namespace lockscope::record
