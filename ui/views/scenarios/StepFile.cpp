// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/StepFile.h"

#include "core/base/WriteFile.h"

#include <QFile>
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
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return failure(ErrorKind::BadInput, u"Can’t read %1: %2"_s.arg(path, file.errorString()));
    constexpr qint64 largest = 1 << 20;
    return scenario::readInterleaving(file.read(largest), path);
}

} // namespace lockscope::ui
