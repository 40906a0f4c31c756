// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/ServerUrl.h"
#include "tests/fuzz/FuzzTarget.h"

namespace lockscope::test {

/// Feeds bytes to ServerUrl::parse; aborts if what it accepts does not survive the round trip, or if it keeps
/// a password.
static void fuzzServerUrl(const QByteArray& bytes)
{
    const QString text = QString::fromUtf8(bytes);
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

LOCKSCOPE_FUZZ(fuzzServerUrl)
