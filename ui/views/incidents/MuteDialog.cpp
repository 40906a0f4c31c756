// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/incidents/MuteDialog.h"

#include "core/base/ServerTime.h"
#include "core/base/ShownText.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/page/Page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDateTime>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <chrono>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

using alert::Mute;

namespace {

constexpr int dialogWidth = 520;
constexpr int maxWhyLength = 200;

enum Ending { OneHour, TomorrowMorning, WhenCleared, Forever };

QLabel* titleOf(const alert::Incident& incident, QWidget* parent)
{
    return demiBold(1.1, wrapped(new QLabel(inOneLine(incident.title), parent)));
}

QString choiceText(const Mute& mute)
{
    if (mute.of == Mute::Of::Fingerprint || mute.of == Mute::Of::Family)
        return mute.of == Mute::Of::Family ? u"this family of deadlocks"_s : u"this cause"_s;
    return u"%1 “%2”"_s.arg(alert::muteOfName(mute.of), inOneLine(mute.shown));
}

QLineEdit* makeWhy(const QString& example, QWidget* parent)
{
    auto* why = named("why", new QLineEdit(parent));
    why->setPlaceholderText(example);
    why->setMaxLength(maxWhyLength);
    return why;
}

} // namespace

ServerTime tomorrowMorning(const QDateTime& now)
{
    return ServerTime::fromDateTime(QDateTime(now.date().addDays(1), QTime(8, 0)));
}

MuteDialog::MuteDialog(const alert::Incident& incident, QWidget* parent)
    : QDialog(parent)
    , m_possible(alert::mutesFor(incident))
    , m_of(named("muteOf", new QComboBox(this)))
    , m_end(named("muteEnd", new QComboBox(this)))
    , m_hasMaxWaiting(named("hasMaxWaiting", new QCheckBox(u"Only while at &most"_s, this)))
    , m_maxWaiting(named("maxWaiting", u"Most sessions that may wait"_s, new QSpinBox(this)))
    , m_hasMaxWait(named("hasMaxWait", new QCheckBox(u"Only while no &wait is longer than"_s, this)))
    , m_maxWait(named("maxWait", u"Longest wait, seconds"_s, new QSpinBox(this)))
    , m_why(makeWhy(u"planned import until noon"_s, this))
{
    setObjectName(u"muteDialog"_s);
    setWindowTitle(u"Mute"_s);
    setMinimumWidth(dialogWidth);
    explain(*this, u"incidents.md#mutes"_s);
    for (const Mute& mute : std::as_const(m_possible))
        m_of->addItem(choiceText(mute));
    m_of->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_end->addItems({u"for 1 h"_s, u"until tomorrow 08:00"_s, u"until it is cleared"_s, u"for ever"_s});
    auto* form = new QFormLayout;
    form->addRow(u"M&ute:"_s, m_of);
    form->addRow(u"&How long:"_s, m_end);
    QDialogButtonBox* buttons = cancelButtons(*this);
    m_mute = named("mute", buttons->addButton(u"&Mute"_s, QDialogButtonBox::ActionRole));
    m_mute->setDefault(true);
    QVBoxLayout* column = dialogColumn(*this, 12);
    addAll(*column, {titleOf(incident, this), form});
    addCeiling(incident);
    auto* why = new QFormLayout;
    why->addRow(u"Wh&y:"_s, m_why);
    addAll(*column, {why, stretch(1), buttons});
    connect(m_why, &QLineEdit::textChanged, this, &MuteDialog::updateButton);
    connect(m_mute, &QPushButton::clicked, this, [this] {
        Q_EMIT muteRequested(chosen());
        accept();
    });
    updateButton();
}

/// Proposes twice of what there was so far.
void MuteDialog::addCeiling(const alert::Incident& incident)
{
    m_maxWaiting->setRange(1, 100'000);
    m_maxWaiting->setValue(std::max(10, 2 * incident.worstWaiting));
    m_maxWaiting->setSuffix(u" sessions wait"_s);
    m_maxWait->setRange(1, 7 * 24 * 3'600);
    m_maxWait->setValue(
        std::max(60, int(2 * std::chrono::ceil<std::chrono::seconds>(incident.longestWait).count())));
    m_maxWait->setSuffix(u" s"_s);
    auto* text = faint(new QLabel(u"Beyond such a ceiling the mute ends by itself:"_s, this));
    auto* column = static_cast<QVBoxLayout*>(layout());
    column->addWidget(text);
    for (const auto& [check, number] :
        {std::pair(m_hasMaxWaiting, m_maxWaiting), std::pair(m_hasMaxWait, m_maxWait)}) {
        QHBoxLayout* row = rowOf({check, number, stretch(1)});
        column->addLayout(row);
        number->setEnabled(false);
        connect(check, &QCheckBox::toggled, number, &QWidget::setEnabled);
    }
}

void MuteDialog::updateButton()
{
    const bool isReasoned = !m_why->text().trimmed().isEmpty();
    setReason(m_mute, isReasoned ? QString() : u"Say why: others will want to know."_s);
}

Mute MuteDialog::chosen() const
{
    Mute mute = m_possible[m_of->currentIndex()];
    switch (m_end->currentIndex()) {
    case OneHour:
        mute.until = ownClock() + 1h;
        break;
    case TomorrowMorning:
        mute.until = tomorrowMorning(QDateTime::currentDateTime());
        break;
    case WhenCleared:
        mute.end = Mute::End::WhenCleared;
        break;
    default:
        mute.end = Mute::End::Never;
    }
    if (m_hasMaxWaiting->isChecked())
        mute.maxWaiting = m_maxWaiting->value();
    if (m_hasMaxWait->isChecked())
        mute.maxWait = std::chrono::seconds(m_maxWait->value());
    mute.why = m_why->text().trimmed();
    return mute;
}

AcknowledgeDialog::AcknowledgeDialog(const alert::Incident& incident, QWidget* parent)
    : QDialog(parent)
{
    setObjectName(u"acknowledgeDialog"_s);
    setWindowTitle(u"Acknowledge"_s);
    setMinimumWidth(dialogWidth);
    explain(*this, u"incidents.md#acknowledge"_s);
    auto* text = new QLabel(u"Others see that you know of it. It is still watched and listed."_s, this);
    text->setWordWrap(true);
    QLineEdit* const why = makeWhy(u"I am looking into it"_s, this);
    auto* form = new QFormLayout;
    form->addRow(u"&Note:"_s, why);
    QDialogButtonBox* buttons = cancelButtons(*this);
    QPushButton* const acknowledge = buttons->addButton(u"&Acknowledge"_s, QDialogButtonBox::ActionRole);
    acknowledge->setObjectName(u"acknowledge"_s);
    acknowledge->setDefault(true);
    addAll(*dialogColumn(*this, 12), {titleOf(incident, this), text, form, buttons});
    connect(acknowledge, &QPushButton::clicked, this, [this, why] {
        Q_EMIT acknowledgeRequested(why->text().trimmed());
        accept();
    });
}

} // namespace lockscope::ui
