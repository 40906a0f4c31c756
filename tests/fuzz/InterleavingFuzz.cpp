// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/Interleaving.h"
#include "tests/fuzz/FuzzTarget.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace lockscope::test {

using namespace scenario;

/// Feeds bytes to readInterleaving; aborts if what it accepts does not survive the round trips.
static void fuzzInterleaving(const QByteArray& content)
{
    const QString file = QStringLiteral("fuzz.txt");
    const auto read = readInterleaving(content, file);
    if (!read) {
        if (read.error().what.isEmpty())
            qFatal("refused without a reason");
        return;
    }
    for (const StepRecord& step : read->steps)
        if (step.session < 1 || step.session > read->sessions || step.step < 1)
            qFatal("a step of nobody");
    const QString text = toText(*read);
    const auto fromText = interleavingFromText(text);
    if (!fromText || toText(*fromText) != text)
        qFatal("no round trip: %s", qPrintable(text));
    const QJsonObject json = toJson(*read);
    const auto fromJson = interleavingFromJson(QJsonDocument(json).toJson(), file);
    if (!fromJson || toJson(*fromJson) != json)
        qFatal("no round trip: %s", QJsonDocument(json).toJson().constData());
}

} // namespace lockscope::test

LOCKSCOPE_FUZZ(fuzzInterleaving)
