// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/widgets/SaveDialog.h"

#include "core/base/PostToThread.h"
#include "core/base/WriteFile.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QPointer>
#include <QThreadPool>

namespace lockscope::ui {

void askWhereToSave(QWidget& parent, const QString& title, const QString& filter, const QString& fileName,
    const std::function<void(const QString& path)>& chosen)
{
    auto* dialog = deletedOnClose(new QFileDialog(&parent, title, {}, filter));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QFileInfo(fileName).suffix());
    dialog->selectFile(fileName);
    QObject::connect(dialog, &QFileDialog::fileSelected, &parent, chosen);
    dialog->open();
}

void writeLater(QObject& context, const QString& path, const QByteArray& content,
    const std::function<void(const Result<void>&)>& then)
{
    QThreadPool::globalInstance()->start([to = QPointer(&context), path, content, then] {
        postTo(to, [then, written = writeFile(path, content)](QObject&) { then(written); });
    });
}

} // namespace lockscope::ui
