// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/scenario/StepColumn.h"

#include "ui/theme/Theme.h"

#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

namespace lockscope::ui {

using scenario::Standing;

namespace {

QString standingText(const scenario::SteppedView& session)
{
    switch (session.standing) {
    case Standing::Ready:
        break;
    case Standing::Running:
        return StepColumn::tr("… its step takes its time");
    case Standing::Over:
        return StepColumn::tr("✔ at its end");
    case Standing::Blocked: {
        QStringList who;
        for (const int blocker : session.blockers)
            who << scenario::sessionLetter(blocker);
        who += session.otherBlockers;
        QString text = who.isEmpty() ? StepColumn::tr("■ blocked")
                                     : StepColumn::tr("■ blocked by %1").arg(who.join(QStringLiteral(", ")));
        if (!session.blockedOn.isEmpty())
            text += StepColumn::tr(", on %1").arg(session.blockedOn);
        return text;
    }
    }
    if (session.lastOutcome == scenario::StepOutcome::Done)
        return StepColumn::tr("● ready");
    return StepColumn::tr("▲ ready; its last step: %1").arg(scenario::outcomeText(session.lastOutcome));
}

AgeLevel levelOf(const scenario::SteppedView& session)
{
    if (session.standing == Standing::Blocked)
        return AgeLevel::Red;
    const bool isOdd = session.standing == Standing::Running
        || (session.standing == Standing::Ready && session.lastOutcome != scenario::StepOutcome::Done);
    return isOdd ? AgeLevel::Amber : AgeLevel::Normal;
}

} // namespace

StepColumn::StepColumn(int number, QWidget* parent)
    : QFrame(parent)
    , m_number(number)
    , m_name(new QLabel(this))
    , m_standing(new QLabel(this))
    , m_lines(new QListWidget(this))
    , m_step(new QPushButton(this))
{
    setObjectName(QStringLiteral("stepColumn-%1").arg(number));
    m_name->setFont(theme::scaled(1.1, QFont::DemiBold));
    m_standing->setObjectName(QStringLiteral("standing"));
    m_standing->setWordWrap(true);
    m_standing->setTextFormat(Qt::PlainText);
    m_standing->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_standing->setMinimumHeight(fontMetrics().height() * 2 + 2);
    m_lines->setFrameShape(QFrame::NoFrame);
    m_lines->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_lines->setSelectionMode(QAbstractItemView::NoSelection);
    m_lines->setTextElideMode(Qt::ElideRight);
    m_lines->setFocusPolicy(Qt::NoFocus); // numbers and the button run steps
    m_lines->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_step->setObjectName(QStringLiteral("step-%1").arg(number));
    m_step->setText(number < 10 ? tr("Run its next step (%1)").arg(number) : tr("Run its next step"));
    m_step->setAutoDefault(false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(9, 7, 9, 8);
    column->setSpacing(4);
    column->addWidget(m_name);
    column->addWidget(m_standing);
    column->addWidget(m_step);
    column->addWidget(m_lines, 1);
    m_lines->setMinimumHeight(60);
    setMinimumWidth(210);
    connect(m_step, &QPushButton::clicked, this, [this] { Q_EMIT stepRequested(m_number); });
    connect(m_lines, &QListWidget::itemClicked, this, [this](QListWidgetItem* item) {
        if (m_lines->row(item) == m_line && m_step->isEnabled())
            Q_EMIT stepRequested(m_number);
    });
}

void StepColumn::show(
    const scenario::SteppedView& session, const std::vector<scenario::ProgramLine>& program, bool mayStep)
{
    const ThemeColors& colors = theme::colors(palette());
    m_name->setText(QStringLiteral("%1  %2").arg(session.letter, session.role));
    m_standing->setText(standingText(session));
    m_standing->setToolTip(m_standing->text());
    const AgeLevel level = levelOf(session);
    theme::setInk(m_standing, level == AgeLevel::Normal ? colors.ok : colors.text(level, palette()));
    m_line = session.line;
    while (m_lines->count() < static_cast<int>(program.size()))
        m_lines->addItem(QString());
    while (m_lines->count() > static_cast<int>(program.size()))
        delete m_lines->takeItem(m_lines->count() - 1);
    for (int i = 0; i < m_lines->count(); ++i) {
        const scenario::ProgramLine& line = program[static_cast<std::size_t>(i)];
        const bool isNow = i == session.line;
        const QString text = isNow && !session.text.isEmpty() ? session.text : line.text;
        const QString mark = isNow ? QStringLiteral("▶ ") : QStringLiteral("    ");
        QListWidgetItem* item = m_lines->item(i);
        item->setText(mark + line.label + (line.isAtLast ? tr(" (at last)") : QString())
            + (text.isEmpty() || text == line.label ? QString()
                                                    : QStringLiteral("\n      ") + text.simplified()));
        item->setToolTip(text);
        QFont font = theme::scaled(0.95, isNow ? QFont::DemiBold : QFont::Normal);
        item->setFont(font);
        QColor fill = level == AgeLevel::Red ? colors.redFill : colors.infoFill;
        item->setBackground(isNow ? QBrush(fill) : QBrush());
        item->setForeground(isNow ? palette().color(QPalette::Text) : colors.muted);
    }
    if (session.line >= 0)
        m_lines->scrollToItem(m_lines->item(session.line));
    m_step->setEnabled(mayStep && session.standing == Standing::Ready);
    setAccessibleName(tr("Session %1, %2: %3. Next: %4")
                          .arg(session.letter, session.role, m_standing->text(), session.label));
}

QString StepColumn::standing() const
{
    return m_standing->text();
}

void StepColumn::paintEvent(QPaintEvent*)
{
    const ThemeColors& colors = theme::colors(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(colors.border);
    painter.setBrush(colors.card);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 7, 7);
}

} // namespace lockscope::ui
