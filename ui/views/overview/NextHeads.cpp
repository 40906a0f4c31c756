// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/overview/NextHeads.h"

#include "core/base/Duration.h"
#include "core/base/ShownText.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/SessionName.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"

#include <QHBoxLayout>
#include <QToolButton>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int widestProgram = 150;
}

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
    for (size_t i = 0; i < headsNamed - 1; ++i) {
        auto* button = new QToolButton(this);
        button->setAutoRaise(true);
        button->setObjectName(QStringLiteral("nextHead%1").arg(i + 2));
        button->setCursor(Qt::PointingHandCursor);
        button->setFocusPolicy(Qt::StrongFocus);
        button->hide();
        m_layout->addWidget(button, 0, Qt::AlignLeft);
        connect(button, &QToolButton::clicked, this, [this, i] { Q_EMIT chosen(m_lines[i].head); });
        m_lines.push_back({button, {}});
    }
    m_layout->addStretch(1);
    hide();
}

void NextHeads::say(const SnapshotPtr& snapshot, const AgeThresholds& thresholds)
{
    size_t shown = 0;
    if (snapshot) {
        const auto& heads = snapshot->blocking().heads();
        for (size_t i = snapshot->blocking().cycles().empty() ? 1 : 0;
             i < heads.size() && shown < m_lines.size(); ++i, ++shown)
            sayHead(m_lines[shown], *snapshot, heads[i], thresholds);
    }
    for (size_t i = 0; i < m_lines.size(); ++i)
        m_lines[i].button->setVisible(i < shown);
    setVisible(shown > 0);
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
    QString text = u"%1 %2 blocks %3 for %4"_s.arg(theme::levelSign(thresholds.levelOf(head.longestWait)),
        name, QString::number(head.victims), head.longest().toString());
    QString words = u"%1 blocks %2 for %3"_s.arg(
        isPrepared(snapshot, head.session) ? name : u"Session "_s + name, QString::number(head.victims),
        (head.longestExact ? QString() : u"at least "_s) + durationInWords(head.longestWait));
    if (!growth.isEmpty()) {
        text += u", +%1"_s.arg(head.joined);
        words += QStringLiteral(", ") + growth;
    }
    if (hasProgram)
        text +=
            QStringLiteral(" · ") + fontMetrics().elidedText(session->program, Qt::ElideRight, widestProgram);
    line.button->setText(inOneLine(text).replace(u'&', u"&&"_s));
    line.button->setAccessibleName(inOneLine(words));
    line.button->setToolTip(toolTipText(inOneLine(words)
        + (hasProgram ? QStringLiteral("\n") + inOneLine(session->program) : QString())
        + u"\nShow its chain"_s));
}

void NextHeads::arrange()
{
    int wanted = m_layout->contentsMargins().left() + m_layout->contentsMargins().right();
    for (const Line& line : m_lines) {
        if (!line.button->isHidden())
            wanted += line.button->sizeHint().width() + m_layout->spacing();
    }
    m_layout->setDirection(wanted <= width() ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void NextHeads::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

} // namespace lockscope::ui
