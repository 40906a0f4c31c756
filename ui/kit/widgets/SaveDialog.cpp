// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/widgets/SaveDialog.h"

#include "ui/kit/widgets/WidgetParts.h"

#include <QFileDialog>
#include <QFileInfo>

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

} // namespace lockscope::ui
