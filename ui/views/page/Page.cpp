// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/page/Page.h"

#include "core/base/Sentences.h"
#include "ui/kit/widgets/SaveDialog.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QAbstractButton>
#include <QMenu>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

Page::Page(const PageName& name, AppContext& context, QWidget* parent)
    : QWidget(parent)
    , m_name(name)
    , m_context(context)
{
    setObjectName(id());
    setChapter(*this, id() + QStringLiteral(".md"));
}

void Page::exportCsv()
{
    askWhereToSave(*this, u"Export rows"_s, u"CSV (*.csv)"_s, id() + QStringLiteral(".csv"),
        [this](const QString& path) { writeCsv(path); });
}

void Page::writeCsv(const QString& path)
{
    const Csv all = csv();
    writeLater(*this, path, all.text.toUtf8(), u"%1 written to %2."_s.arg(counted(all.rows, u"row"), path),
        [this](const QString& text) { Q_EMIT statusMessage(text); });
}

void setReason(QAbstractButton* button, const QString& reasonAgainst, const QString& tip)
{
    button->setEnabled(reasonAgainst.isEmpty());
    const QString usual = tip.isEmpty() ? button->property("usualTip").toString() : tip;
    button->setToolTip(reasonAgainst.isEmpty() ? usual : reasonAgainst);
}

QAction* addEntry(QMenu& menu, Page& page, const QString& text, const QString& reasonAgainst,
    const std::function<void()>& chosen)
{
    QAction* entry = menu.addAction(text, &page, chosen);
    entry->setEnabled(reasonAgainst.isEmpty());
    entry->setToolTip(reasonAgainst);
    menu.setToolTipsVisible(true);
    return entry;
}

void addEntry(QMenu& menu, QAbstractButton& button)
{
    QAction* entry = menu.addAction(button.text(), &button, &QAbstractButton::click);
    entry->setEnabled(button.isEnabled());
    entry->setToolTip(button.toolTip());
    menu.setToolTipsVisible(true);
}

} // namespace lockscope::ui
