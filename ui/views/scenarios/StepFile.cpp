// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/StepFile.h"

#include "core/base/PlainFile.h"
#include "core/base/WriteFile.h"

#include <QJsonDocument>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

Result<void> writeSteps(const scenario::Interleaving& record, const QString& path)
{
    const QByteArray content = path.endsWith(QLatin1String(".txt"))
        ? scenario::toText(record).toUtf8() + '\n'
        : QJsonDocument(scenario::toJson(record)).toJson();
    return writeFile(path, content);
}

Result<scenario::Interleaving> readSteps(const QString& path)
{
    return readTextFile(path).and_then(
        [&path](const QByteArray& text) { return scenario::readInterleaving(text, path); });
}

} // namespace lockscope::ui
