// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/page/CloseWithPresent.h"

#include "ui/views/page/AppContext.h"

#include <QDialog>

namespace lockscope::ui {

void closeWithPresent(QDialog& dialog, const AppContext& context)
{
    QObject::connect(&context, &AppContext::serverChanged, &dialog, &QDialog::reject);
    QObject::connect(&context, &AppContext::pastTimeChanged, &dialog, [&context, &dialog] {
        if (context.pastTime())
            dialog.reject();
    });
}

} // namespace lockscope::ui
