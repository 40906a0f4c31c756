// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/incidents/RulesView.h"

#include "core/alert/rules/RuleFile.h"
#include "core/base/ShownText.h"
#include "core/watch/IncidentTable.h"
#include "ui/kit/help/Chapter.h"
#include "ui/kit/models/ReportModel.h"
#include "ui/kit/tables/TableView.h"

#include <QDir>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

const QString rulesLayoutKey = u"pages/incidents/rules"_s;

} // namespace

RulesView::RulesView(QWidget* parent)
    : QWidget(parent)
    , m_model(new ReportModel(watch::rulesSection({}), this))
    , m_table(new TableView(*m_model, this))
    , m_place(new QLabel(this))
    , m_turn(new QPushButton(this))
    , m_edit(new QPushButton(u"&Edit…"_s, this))
{
    m_table->setObjectName(u"rules"_s);
    m_table->setAccessibleName(u"Rules"_s);
    m_place->setObjectName(u"rulesPlace"_s);
    m_place->setTextFormat(Qt::PlainText);
    m_place->setWordWrap(true);
    m_place->setForegroundRole(QPalette::PlaceholderText);
    m_turn->setObjectName(u"turnRule"_s);
    m_edit->setObjectName(u"editRule"_s);
    auto* foot = new QHBoxLayout;
    foot->addWidget(m_place, 1);
    for (QPushButton* button : {m_turn, m_edit}) {
        button->setAutoDefault(false);
        foot->addWidget(button);
    }
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_table, 1);
    column->addLayout(foot);
    setFocusProxy(m_table);
    setChapter(*this, u"incidents.md#rules"_s);
    const auto edit = [this] {
        if (const alert::Rule* rule = chosen(); rule && m_isReadable)
            Q_EMIT editRequested(*rule);
    };
    connect(m_table, &TableView::currentRowChanged, this, &RulesView::updateButtons);
    connect(m_table, &TableView::detailRequested, this, edit);
    connect(m_edit, &QPushButton::clicked, this, edit);
    connect(m_turn, &QPushButton::clicked, this, [this] {
        if (const alert::Rule* rule = chosen()) {
            alert::Rule other = *rule;
            other.isOn = !other.isOn;
            Q_EMIT changed(other);
        }
    });
    updateButtons();
}

const alert::Rule* RulesView::chosen() const
{
    const int row = m_table->currentViewRow();
    return row < 0 ? nullptr : std::any_cast<alert::Rule>(&m_model->rowAt(row).about);
}

void RulesView::show(const alert::RuleSet& rules, const std::optional<Error>& error)
{
    m_isReadable = !error.has_value();
    m_model->show(watch::rulesSection(rules.rules));
    m_place->setText(error
            ? inLines(error->toString() + u" Until then the rules that come with Lockscope are listed."_s)
            : u"A rule that you change stands in %1, with a published schema; the others come with Lockscope."_s
                  .arg(QDir::toNativeSeparators(alert::ruleFilePath())));
    if (m_table->currentViewRow() < 0 && m_model->rowCount() > 0)
        m_table->selectRow(0);
    updateButtons();
}

void RulesView::updateButtons()
{
    const alert::Rule* rule = chosen();
    m_turn->setText(rule && !rule->isOn ? u"&Turn on"_s : u"&Turn off"_s);
    const QString reason = !m_isReadable ? u"The rules file can't be read."_s
        : rule                           ? QString()
                                         : u"Select a rule first."_s;
    for (QPushButton* button : {m_turn, m_edit}) {
        button->setEnabled(reason.isEmpty());
        button->setToolTip(reason);
    }
}

void RulesView::saveLayout(QSettings& settings) const
{
    m_table->saveLayout(settings, rulesLayoutKey);
}

void RulesView::restoreLayout(QSettings& settings)
{
    m_table->restoreLayout(settings, rulesLayoutKey);
}

} // namespace lockscope::ui
