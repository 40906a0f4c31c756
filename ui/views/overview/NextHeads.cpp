// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/overview/NextHeads.h"

#include "core/base/ShownText.h"
#include "core/domain/Aftermath.h"
#include "core/domain/SnapshotNames.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/views/page/Page.h"

#include <QHBoxLayout>
#include <QToolButton>

#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int widestProgram = 150;
constexpr int widestCause = 480;
constexpr size_t otherCauses = 2;
} // namespace

QString growthText(const Harm& harm)
{
    return harm.joined > 0 && harm.joined < harm.victims ? u"%1 more in the last minute"_s.arg(harm.joined)
                                                         : QString();
}

NextHeads::NextHeads(QWidget* parent)
    : QWidget(parent)
    , m_layout(new QHBoxLayout(this))
{
    m_layout->setContentsMargins(6, 0, 6, 0);
    m_layout->setSpacing(2);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed); // a long name must not widen the page
    m_act = addButton(QStringLiteral("otherAct"));
    connect(m_act, &QToolButton::pressed, this, [this] { m_aimedAt = m_offer; });
    connect(m_act, &QToolButton::clicked, this, [this] {
        if (m_aimedAt)
            Q_EMIT actRequested(m_aimedAt->session, m_aimedAt->cancels);
    });
    for (size_t i = 0; i < headsNamed - 1; ++i) {
        QToolButton* button = addButton(QStringLiteral("nextHead%1").arg(i + 2));
        connect(button, &QToolButton::clicked, this, [this, i] { Q_EMIT chosen(m_lines[i].head); });
        m_lines.push_back({button, {}});
    }
    for (size_t i = 0; i < otherCauses; ++i) {
        QToolButton* button = addButton(QStringLiteral("otherCause%1").arg(i + 1));
        connect(button, &QToolButton::clicked, this, [this, i] { Q_EMIT causeChosen(m_others[i].entry); });
        m_others.push_back({button, {}});
    }
    m_layout->addStretch(1);
    hide();
}

QToolButton* NextHeads::addButton(const QString& name)
{
    auto* button = new QToolButton(this);
    button->setAutoRaise(true);
    button->setObjectName(name);
    button->setCursor(Qt::PointingHandCursor);
    button->setFocusPolicy(Qt::StrongFocus);
    button->hide();
    m_layout->addWidget(button, 0, Qt::AlignLeft);
    return button;
}

void NextHeads::say(const SnapshotPtr& snapshot, const AgeThresholds& thresholds, bool bannerNamesHead,
    const std::vector<OtherCause>& others)
{
    size_t shown = 0;
    if (snapshot) {
        const auto& heads = snapshot->blocking().heads();
        for (size_t i = bannerNamesHead ? 1 : 0; i < heads.size() && shown < m_lines.size(); ++i, ++shown)
            sayHead(m_lines[shown], *snapshot, heads[i], thresholds);
    }
    for (size_t i = 0; i < m_lines.size(); ++i)
        m_lines[i].button->setVisible(i < shown);
    for (size_t i = 0; i < m_others.size(); ++i) {
        const bool isThere = i < others.size();
        m_others[i].button->setVisible(isThere);
        if (!isThere)
            continue;
        m_others[i].entry = others[i].entry;
        const QString text = fontMetrics().elidedText(others[i].text, Qt::ElideRight, widestCause);
        m_others[i].button->setText(inMenu(u"%1 %2"_s.arg(theme::levelSign(others[i].level), text)));
        m_others[i].button->setAccessibleName(others[i].text);
        m_others[i].button->setToolTip(toolTipText(others[i].text));
    }
    showIfAny();
}

void NextHeads::offerOtherAct(const SnapshotPtr& snapshot, const ReasonAgainst& reasonAgainst)
{
    const std::optional<Offer> before = std::exchange(m_offer, {});
    const auto& none = std::vector<BlockingGraph::Head>();
    const auto& heads = snapshot ? snapshot->blocking().heads() : none;
    const auto other = heads.empty() ? std::nullopt : otherActThanEnding(*snapshot, heads.front().session);
    if (other) {
        m_offer = {*snapshot->session(other->session), other->cancels};
        const QString reason = reasonAgainst(m_offer->session, m_offer->cancels);
        const QString text = (other->isBetter ? u"better: "_s : u"or "_s) + inOneLine(other->text);
        m_act->setText(inMenu(text) + QChar(0x2026));
        m_act->setAccessibleName(text);
        setReason(m_act, toolTipText(reason), toolTipText(inOneLine(other->losses)));
    }
    // It must not act on another session than when it got the focus.
    const bool isSame = before && m_offer && before->session.key() == m_offer->session.key();
    if (!isSame && window()->focusWidget() == m_act)
        m_act->clearFocus();
    m_act->setVisible(m_offer.has_value());
    showIfAny();
}

void NextHeads::showIfAny()
{
    bool isAny = !m_act->isHidden();
    for (const Line& line : m_lines)
        isAny = isAny || !line.button->isHidden();
    for (const OtherLine& line : m_others)
        isAny = isAny || !line.button->isHidden();
    setVisible(isAny);
    arrange();
}

void NextHeads::sayHead(
    Line& line, const Snapshot& snapshot, const BlockingGraph::Head& head, const AgeThresholds& thresholds)
{
    const Session* session = snapshot.session(head.session);
    line.head = session ? session->key() : SessionKey{head.session, {}};
    const QString name = sessionName(snapshot, head.session);
    const QString growth = growthText(head);
    const bool hasProgram = session && !session->program.isEmpty() && !isPrepared(snapshot, head.session);
    QString text = u"%1 %2 %3"_s.arg(
        theme::levelSign(levelOf(head, thresholds)), name, blocksText(head, head.longest().toString()));
    QString words =
        (isPrepared(snapshot, head.session) ? name : u"Session "_s + name) + u' ' + blocksText(head);
    if (!growth.isEmpty()) {
        text += u", +%1"_s.arg(head.joined);
        words += QStringLiteral(", ") + growth;
    }
    if (hasProgram)
        text +=
            QStringLiteral(" · ") + fontMetrics().elidedText(session->program, Qt::ElideRight, widestProgram);
    line.button->setText(inMenu(text));
    line.button->setAccessibleName(inOneLine(words));
    line.button->setToolTip(toolTipText(inOneLine(words)
        + (hasProgram ? QStringLiteral("\n") + inOneLine(session->program) : QString())
        + u"\nShow its chain"_s));
}

void NextHeads::arrange()
{
    int requested = m_layout->contentsMargins().left() + m_layout->contentsMargins().right();
    for (const auto* button : findChildren<QToolButton*>(Qt::FindDirectChildrenOnly)) {
        if (!button->isHidden())
            requested += button->sizeHint().width() + m_layout->spacing();
    }
    m_layout->setDirection(requested <= width() ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void NextHeads::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

} // namespace lockscope::ui
