// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/ServerUrl.h"

#include <QtDebug>

#include <cstddef>
#include <cstdint>

namespace lockscope::test {

/// Feeds bytes to ServerUrl::parse; aborts if what it accepts does not survive the round trip, or if it keeps
/// a password.
static void fuzzServerUrl(const std::uint8_t* data, std::size_t size)
{
    const QString text = QString::fromUtf8(reinterpret_cast<const char*>(data), static_cast<qsizetype>(size));
    const Result<db::ServerUrl> url = db::ServerUrl::parse(text);
    if (!url) {
        if (url.error().kind != ErrorKind::BadInput || url.error().what.isEmpty())
            qFatal("refused without a reason: %s", qPrintable(text));
        return;
    }
    const Result<db::ServerUrl> again = db::ServerUrl::parse(url->toString());
    if (!again || *again != *url)
        qFatal("no round trip: %s became %s", qPrintable(text), qPrintable(url->toString()));
    if (url->options.contains(QStringLiteral("password")))
        qFatal("a password was kept");
    if (url->display().isEmpty())
        qFatal("nothing to show for %s", qPrintable(text));
}

} // namespace lockscope::test

// The entry point that libFuzzer looks for.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    lockscope::test::fuzzServerUrl(data, size);
    return 0;
}
