// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/incidents/RulesView.h"

#include "core/base/ShownText.h"
#include "core/watch/RuleTable.h"
#include "ui/kit/help/Chapter.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/views/page/Page.h"

#include <QDir>
#include <QMenu>
#include <QPushButton>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

bool isBuiltIn(const alert::Rule& rule)
{
    return alert::defaultRules().rule(rule.name) != nullptr;
}

/// "long wait 2": a name that no rule has.
QString freshName(const QString& name, const alert::RuleSet& rules)
{
    for (int i = 2;; ++i)
        if (const QString fresh = u"%1 %2"_s.arg(name).arg(i); !rules.rule(fresh))
            return fresh;
}

} // namespace

RulesView::RulesView(QWidget* parent)
    : ItemListView(u"rules"_s, u"Rules"_s, watch::rulesSection({}), parent)
    , m_remove(addButton("removeRule", {u"Re&move…"_s, u"&Back to the built-in rule…"_s}))
    , m_turn(addButton("turnRule", {u"&Turn off"_s, u"&Turn on"_s}))
    , m_edit(addButton("editRule", {u"&Edit…"_s}))
    , m_new(addButton("newRule", {u"&New rule"_s}))
    , m_newMenu(new QMenu(this))
{
    setChapter(*this, u"incidents.md#rules"_s);
    m_new->setMenu(m_newMenu);
    m_newMenu->setToolTipsVisible(true);
    connect(m_newMenu, &QMenu::aboutToShow, this, &RulesView::fillNewMenu);
    connect(m_edit, &QPushButton::clicked, this, &RulesView::editChosen);
    connect(m_turn, &QPushButton::clicked, this, [this] {
        if (const auto* rule = chosen<alert::Rule>()) {
            alert::Rule other = *rule;
            other.isOn = !other.isOn;
            Q_EMIT changeRequested({.before = *rule, .after = other});
        }
    });
    connect(m_remove, &QPushButton::clicked, this, [this] {
        if (const auto* rule = chosen<alert::Rule>())
            Q_EMIT removeRequested(*rule);
    });
    updateButtons();
}

/// A copy of the chosen one, or one for each condition, with the levels that come with Lockscope.
void RulesView::fillNewMenu()
{
    m_newMenu->clear();
    const auto add = [this](const QString& text, alert::Rule rule) {
        QAction* action = m_newMenu->addAction(inMenu(text));
        action->setToolTip(QString::fromUtf16(alert::conditionInfo(rule.condition).meaning));
        rule.name = freshName(rule.name, m_rules);
        connect(action, &QAction::triggered, this, [this, rule] { Q_EMIT newRequested(rule); });
    };
    if (const auto* rule = chosen<alert::Rule>()) {
        add(u"As a copy of “%1”…"_s.arg(rule->name), *rule);
        m_newMenu->addSeparator();
    }
    for (const QString& key : alert::conditionKeys())
        if (const alert::Rule* rule = alert::defaultRules().rule(key))
            add(key + u'…', *rule);
}

void RulesView::editChosen()
{
    if (const auto* rule = chosen<alert::Rule>(); rule && reasonAgainstSaving().isEmpty())
        Q_EMIT editRequested(*rule);
}

void RulesView::show(const alert::RuleSet& rules, const std::optional<Error>& error)
{
    m_rules = rules;
    m_own.clear();
    for (const alert::Rule& rule : rules.rules) {
        const alert::Rule* builtIn = alert::defaultRules().rule(rule.name);
        if (!builtIn || *builtIn != rule)
            m_own << rule.name;
    }
    showRows(watch::rulesSection(rules.rules), error,
        error
            ? error->toString() + u" Until then the rules that come with Lockscope are listed."_s
            : u"A rule that you change stands in %1, with a published schema; the others come with Lockscope."_s
                  .arg(QDir::toNativeSeparators(alert::ruleFilePath())));
}

void RulesView::updateButtons()
{
    const auto* rule = chosen<alert::Rule>();
    m_turn->setText(rule && !rule->isOn ? u"&Turn on"_s : u"&Turn off"_s);
    const bool isOfLockscope = rule && isBuiltIn(*rule);
    m_remove->setText(isOfLockscope ? u"&Back to the built-in rule…"_s : u"Re&move…"_s);
    const QString reason = !reasonAgainstSaving().isEmpty() ? reasonAgainstSaving()
        : rule                                              ? QString()
                                                            : u"Select a rule first."_s;
    setReason(m_turn, reason);
    setReason(m_edit, reason);
    setReason(m_new, reasonAgainstSaving(), u"A rule of your own, beside those that are there"_s);
    setReason(m_remove,
        !reason.isEmpty() || m_own.contains(rule->name) ? reason : u"It is as it comes with Lockscope."_s);
}

} // namespace lockscope::ui
