// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/FilterBox.h"

#include "ui/theme/Theme.h"
#include "ui/widgets/KeyAction.h"

#include <QIcon>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

FilterBox::FilterBox(QWidget& rows, QWidget* parent)
    : QLineEdit(parent)
{
    setPlaceholderText(u"Filter: words, or column:word"_s);
    setToolTip(u"All words must occur in the columns on view. “column:word” looks into one column, "
               "\"two words\" belong together."_s);
    setClearButtonEnabled(true);
    setMinimumWidth(120);
    setMaximumWidth(320);
    addAction(theme::icon(QStringLiteral("search")), LeadingPosition);
    setAccessibleName(u"Filter"_s);
    addKey(*this, u"Filter"_s, u"Show all rows again"_s, {Qt::Key_Escape}, [this, &rows] {
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
