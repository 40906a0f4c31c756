// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Duration.h"
#include "tests/fuzz/FuzzTarget.h"

namespace lockscope::test {

/// Feeds bytes to parseDuration; aborts if what it accepts does not survive the round trip.
static void fuzzDuration(const QByteArray& bytes)
{
    const QString text = QString::fromUtf8(bytes);
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

LOCKSCOPE_FUZZ(fuzzDuration)
