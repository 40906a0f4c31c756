// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/fuzz/DurationFuzz.h"

#include "core/base/Duration.h"

#include <QtDebug>

namespace lockscope::test {

void fuzzDuration(const std::uint8_t* data, std::size_t size)
{
    const QString text = QString::fromUtf8(reinterpret_cast<const char*>(data), static_cast<qsizetype>(size));
    const Result<milliseconds> duration = parseDuration(text);
    if (!duration) {
        if (duration.error().kind != ErrorKind::BadInput || duration.error().what.isEmpty())
            qFatal("refused without a reason: %s", qPrintable(text));
        return;
    }
    if (*duration < milliseconds(0))
        qFatal("a negative duration: %s", qPrintable(text));
    const auto again = parseDuration(durationText(*duration));
    if (!again || *again != *duration)
        qFatal("no round trip: %s became %s", qPrintable(text), qPrintable(durationText(*duration)));
}

} // namespace lockscope::test
