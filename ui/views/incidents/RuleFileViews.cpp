// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/incidents/RuleFileViews.h"

#include "core/base/ShownText.h"
#include "core/record/RecordingClient.h"
#include "ui/views/incidents/ChannelDialog.h"
#include "ui/views/incidents/ChannelsView.h"
#include "ui/views/incidents/MaintenanceDialog.h"
#include "ui/views/incidents/MaintenanceView.h"
#include "ui/views/incidents/RuleDialog.h"
#include "ui/views/incidents/RulesView.h"
#include "ui/views/page/AppContext.h"

#include <QMessageBox>
#include <QPushButton>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

RuleFileViews::RuleFileViews(AppContext& context, IncidentBook& book, QWidget* parent)
    : QTabWidget(parent)
    , m_context(context)
    , m_book(book)
    , m_rules(new RulesView(this))
    , m_channels(new ChannelsView(this))
    , m_maintenance(new MaintenanceView(this))
{
    setObjectName(u"ruleFile"_s);
    setDocumentMode(true);
    addTab(m_rules, u"Rules"_s);
    addTab(m_channels, u"Channels"_s);
    addTab(m_maintenance, u"Maintenance"_s);
    setTabToolTip(1, u"The ways by which incidents are sent out of this machine"_s);
    setTabToolTip(2, u"Times in which nothing is sent"_s);
    connect(this, &QTabWidget::currentChanged, this, [this] { setFocusProxy(currentWidget()); });
    setFocusProxy(currentWidget());
    connect(m_rules, &RulesView::changeRequested, this,
        [this](const alert::RuleFileChange& change) { m_book.changeRules(change); });
    connect(
        m_rules, &RulesView::editRequested, this, [this](const alert::Rule& rule) { editRule(rule, false); });
    connect(
        m_rules, &RulesView::newRequested, this, [this](const alert::Rule& rule) { editRule(rule, true); });
    connect(m_rules, &RulesView::removeRequested, this, [this](const auto& rule) { askToRemove(rule); });
    connect(m_channels, &ChannelsView::editRequested, this,
        [this](const auto& channel, const QStringList& rules) {
            open(new ChannelDialog(channel, rules, this));
        });
    connect(m_channels, &ChannelsView::removeRequested, this,
        [this](const auto& channel) { askToRemove(channel); });
    connect(m_maintenance, &MaintenanceView::editRequested, this,
        [this](const auto& edited) { open(new MaintenanceDialog(edited, this)); });
    connect(m_maintenance, &MaintenanceView::removeRequested, this,
        [this](const auto& removed) { askToRemove(removed); });
}

void RuleFileViews::show(const IncidentListPtr& list)
{
    m_rules->show(list ? list->rules : alert::RuleSet(), list ? list->rulesError : std::nullopt);
    m_channels->show(list);
    m_maintenance->show(list);
    const auto unread = m_book.unreadText().value_or(IncidentBook::UnreadText());
    for (ItemListView* const each : std::initializer_list<ItemListView*>{m_rules, m_channels, m_maintenance})
        each->setUnread(unread.title, unread.hint);
}

void RuleFileViews::editRule(const alert::Rule& rule, bool isNew)
{
    const record::RecordingClient* recording = m_context.recording();
    auto* form = new RuleDialog(rule, recording ? recording->place() : QString(), this,
        isNew ? RuleDialog::Purpose::New : RuleDialog::Purpose::Edit);
    connect(form, &RuleDialog::timeTravelRequested, this, &RuleFileViews::timeTravelRequested);
    open(form);
}

/// Beside the window, in which the finds of a rule are looked at.
void RuleFileViews::open(ItemDialog* form)
{
    form->setAttribute(Qt::WA_DeleteOnClose);
    connect(form, &ItemDialog::saveRequested, this, [this, form](const alert::RuleFileChange& change) {
        m_book.changeRules(change, form, [form](const Result<void>& saved) { form->takeAnswer(saved); });
    });
    form->show();
}

void RuleFileViews::askToRemove(const alert::RuleFileItem& item)
{
    const auto* rule = std::get_if<alert::Rule>(&item);
    const bool isBuiltIn = rule && alert::defaultRules().rule(rule->name);
    const QString title = inOneLine(alert::titleOf(item));
    auto* question =
        new QMessageBox(QMessageBox::Question, isBuiltIn ? u"Back to the built-in rule"_s : u"Remove"_s,
            isBuiltIn ? u"Replace the %1 by the one that comes with Lockscope?"_s.arg(title)
                      : u"Remove the %1?"_s.arg(title),
            QMessageBox::Cancel, this);
    question->setObjectName(u"removeItem"_s);
    question->setTextFormat(Qt::PlainText);
    question->setInformativeText(u"Its text in the rules file is lost, also its comment."_s);
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->addButton(isBuiltIn ? u"&Replace"_s : u"&Remove"_s, QMessageBox::AcceptRole)
        ->setObjectName(u"removeItemNow"_s);
    connect(question, &QMessageBox::accepted, this, [this, item] { m_book.changeRules({.before = item}); });
    question->open();
}

void RuleFileViews::saveLayout(QSettings& settings) const
{
    m_rules->saveLayout(settings);
    m_channels->saveLayout(settings);
    m_maintenance->saveLayout(settings);
}

void RuleFileViews::restoreLayout(QSettings& settings)
{
    m_rules->restoreLayout(settings);
    m_channels->restoreLayout(settings);
    m_maintenance->restoreLayout(settings);
}

} // namespace lockscope::ui
