// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Duration.h"

#include <QtDebug>

#include <cstddef>
#include <cstdint>

namespace lockscope::test {

/// Feeds bytes to parseDuration; aborts if what it accepts does not survive the round trip.
static void fuzzDuration(const std::uint8_t* data, std::size_t size)
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

// The entry point that libFuzzer looks for.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    lockscope::test::fuzzDuration(data, size);
    return 0;
}
