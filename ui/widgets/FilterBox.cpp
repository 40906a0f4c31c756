// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/FilterBox.h"

#include "ui/theme/Theme.h"
#include "ui/widgets/KeyAction.h"

#include <QIcon>

namespace lockscope::ui {

FilterBox::FilterBox(QWidget& rows, QWidget* parent)
    : QLineEdit(parent)
{
    setPlaceholderText(tr("Filter: words, or column:word"));
    setToolTip(tr("All words must occur in the columns on view. “column:word” looks into one column, "
                  "\"two words\" belong together."));
    setClearButtonEnabled(true);
    setMinimumWidth(170);
    setMaximumWidth(320);
    addAction(theme::icon(QStringLiteral("search")), LeadingPosition);
    setAccessibleName(tr("Filter"));
    addKey(*this, tr("Filter"), tr("Show all rows again"), {Qt::Key_Escape}, [this, &rows] {
        clear();
        rows.setFocus();
    });
    connect(this, &QLineEdit::returnPressed, &rows, [&rows] { rows.setFocus(); });
}

void FilterBox::focus()
{
    setFocus(Qt::ShortcutFocusReason);
    selectAll();
}

} // namespace lockscope::ui
