// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/incidents/ChannelsView.h"

#include "core/base/ShownText.h"
#include "core/watch/RuleTable.h"
#include "ui/kit/help/Chapter.h"
#include "ui/views/incidents/ChannelTester.h"
#include "ui/views/page/Page.h"

#include <QPushButton>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using alert::ChannelSettings;

ChannelsView::ChannelsView(QWidget* parent)
    : ItemListView(u"channels"_s, u"Channels"_s, watch::channelsSection({}, {}, {}), parent)
    , m_remove(addButton("removeChannel", {u"Re&move…"_s}))
    , m_test(addButton("testChosenChannel", {u"Send a &test"_s, u"S&top"_s}))
    , m_edit(addButton("editChannel", {u"&Edit…"_s}))
    , m_new(addButton("newChannel", {u"&New channel…"_s}))
    , m_tester(new ChannelTester(this))
{
    setChapter(*this, u"incidents.md#notifications"_s);
    setEmptyText(u"Incidents are shown on this machine only"_s,
        u"A channel sends them to a chat, a pager, an Alertmanager, by mail, to a program of yours or into the systemd journal. New channel… adds one and sends a test."_s);
    connect(m_edit, &QPushButton::clicked, this, &ChannelsView::editChosen);
    connect(m_new, &QPushButton::clicked, this, [this] { Q_EMIT editRequested(std::nullopt, {}); });
    connect(m_remove, &QPushButton::clicked, this, [this] {
        if (const auto* channel = chosen<ChannelSettings>())
            Q_EMIT removeRequested(*channel);
    });
    connect(m_test, &QPushButton::clicked, this, [this] {
        const auto* channel = chosen<ChannelSettings>();
        if (m_tester->isSending())
            m_tester->stop();
        else if (channel)
            m_tester->send(*channel);
    });
    connect(m_tester, &ChannelTester::started, this, [this] {
        m_test->setText(u"S&top"_s);
        showAnswer(u"Sending a test…"_s);
    });
    connect(m_tester, &ChannelTester::finished, this, [this](bool, const QString& text) {
        m_test->setText(u"Send a &test"_s);
        showAnswer(text);
        updateButtons();
    });
    updateButtons();
}

QStringList ChannelsView::rulesOf(const ChannelSettings& channel) const
{
    QStringList names;
    for (const alert::Rule& rule : m_rules)
        if (rule.channels.contains(channel.name))
            names << rule.name;
    return names;
}

void ChannelsView::show(const IncidentListPtr& list)
{
    const alert::RuleSet rules = list ? list->rules : alert::RuleSet();
    const std::optional<Error> error = list ? list->rulesError : std::nullopt;
    m_rules = rules.rules;
    showRows(watch::channelsSection(
                 rules.channels, rules.rules, list ? list->queue : QList<watch::IncidentStore::QueueState>()),
        error, fileText(u"Channels"_s, error));
}

void ChannelsView::editChosen()
{
    if (const auto* channel = chosen<ChannelSettings>(); channel && reasonAgainstSaving().isEmpty())
        Q_EMIT editRequested(*channel, rulesOf(*channel));
}

void ChannelsView::updateButtons()
{
    const auto* channel = chosen<ChannelSettings>();
    const QString none = channel ? QString() : u"Select a channel first."_s;
    const QString reason = reasonAgainstSaving().isEmpty() ? none : reasonAgainstSaving();
    const QStringList rules = channel ? rulesOf(*channel) : QStringList();
    setReason(m_new, reasonAgainstSaving());
    setReason(m_edit, reason);
    setReason(m_test, m_tester->isSending() ? QString() : none,
        u"Sends a message at once, and shows what its receiver says"_s);
    setReason(m_remove,
        !reason.isEmpty() || rules.isEmpty() ? reason
                                             : inLines(u"The rule “%1” sends to it."_s.arg(rules.first())));
}

} // namespace lockscope::ui
