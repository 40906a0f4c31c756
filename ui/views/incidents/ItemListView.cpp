// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/incidents/ItemListView.h"

#include "core/alert/rules/RuleFile.h"
#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "ui/kit/models/ReportModel.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QDir>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

ItemListView::ItemListView(
    const QString& id, const QString& title, const report::Section& section, QWidget* parent)
    : QWidget(parent)
    , m_layoutKey(u"pages/incidents/"_s + id)
    , m_model(new ReportModel(section, this))
    , m_table(new TableView(*m_model, this))
    , m_place(faint(selectable(wrapped(new QLabel(this)), Qt::TextSelectableByMouse)))
    , m_foot(new QHBoxLayout)
{
    m_table->setObjectName(id);
    m_table->setAccessibleName(title);
    m_place->setObjectName(id + u"Place"_s);
    m_foot->addStretch(1);
    addAll(*withoutMargins(new QVBoxLayout(this)), {{m_table, 1}, m_place, m_foot});
    setFocusProxy(m_table);
    connect(m_table, &TableView::currentRowChanged, this, [this] { updateButtons(); });
    connect(m_table, &TableView::detailRequested, this, [this] { editChosen(); });
}

QPushButton* ItemListView::addButton(const char* name, const QStringList& texts)
{
    QPushButton* button = named(name, pushButton(this));
    int width = 0; // it does not move the others when its text changes
    for (const QString& text : texts) {
        button->setText(text);
        width = std::max(width, button->sizeHint().width());
    }
    button->setMinimumWidth(width);
    button->setText(texts.first());
    m_foot->addWidget(button);
    return button;
}

QString ItemListView::fileText(const QString& items, const std::optional<Error>& error)
{
    return error ? error->toString()
                 : u"%1 stand in %2."_s.arg(items, QDir::toNativeSeparators(alert::ruleFilePath()));
}

const std::any* ItemListView::about() const
{
    static const std::any none;
    const int row = m_table->currentViewRow();
    return row < 0 ? &none : &m_model->rowAt(row).about;
}

void ItemListView::showRows(
    const report::Section& section, const std::optional<Error>& fileError, const QString& place)
{
    m_reasonAgainst =
        fileError ? inLines(sentences({u"Nothing can be saved"_s, fileError->what})) : QString();
    m_model->show(section);
    if (place != m_placeShown)
        showAnswer(place);
    m_placeShown = place;
    if (m_table->currentViewRow() < 0 && m_model->rowCount() > 0)
        m_table->selectRow(0);
    updateButtons();
}

void ItemListView::setEmptyText(const QString& title, const QString& hint)
{
    m_emptyTitle = title;
    m_emptyHint = hint;
}

void ItemListView::setUnread(const QString& title, const QString& hint)
{
    m_table->setEmptyState(title.isEmpty() ? m_emptyTitle : title, title.isEmpty() ? m_emptyHint : hint);
}

void ItemListView::showAnswer(const QString& text)
{
    m_place->setText(inLines(text));
}

void ItemListView::saveLayout(QSettings& settings) const
{
    m_table->saveLayout(settings, m_layoutKey);
}

void ItemListView::restoreLayout(QSettings& settings)
{
    m_table->restoreLayout(settings, m_layoutKey);
}

} // namespace lockscope::ui
