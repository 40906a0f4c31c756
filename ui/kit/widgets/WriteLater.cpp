// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/widgets/WriteLater.h"

#include "core/base/PostToThread.h"
#include "core/base/WriteFile.h"

#include <QObject>
#include <QPointer>
#include <QThreadPool>

namespace lockscope::ui {

void writeLater(QObject& context, const QString& path, const QByteArray& content,
    const std::function<void(const Result<void>&)>& then)
{
    QThreadPool::globalInstance()->start([to = QPointer(&context), path, content, then] {
        postTo(to, [then, written = writeFile(path, content)](QObject&) { then(written); });
    });
}

} // namespace lockscope::ui
