// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/WriteFile.h"

#include <QSaveFile>

namespace lockscope {

Result<void> writeFile(const QString& path, const QByteArray& content)
{
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(content) == content.size() && file.commit())
        return {};
    return failure(ErrorKind::BadInput, QStringLiteral("Can't write %1: %2").arg(path, file.errorString()),
        QStringLiteral("Choose another folder or free some space."));
}

} // namespace lockscope
