// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/NoticeBar.h"

#include "ui/theme/Theme.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

namespace lockscope::ui {

NoticeBar::NoticeBar(QWidget* parent)
    : QFrame(parent)
    , m_sign(new QLabel(this))
    , m_text(new QLabel(this))
    , m_code(new QLabel(this))
    , m_copy(new QPushButton(tr("Copy"), this))
    , m_action(new QPushButton(this))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 10, 6);
    row->setSpacing(8);
    row->addWidget(m_sign);
    row->addWidget(m_text, 1);
    row->addWidget(m_code);
    row->addWidget(m_copy);
    row->addWidget(m_action);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setWordWrap(true);
    m_code->setFont(theme::monospace());
    m_code->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_copy->setObjectName(QStringLiteral("copyRemedy"));
    connect(
        m_copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(m_copyable); });
    connect(m_action, &QPushButton::clicked, this, &NoticeBar::actionTriggered);
    m_action->hide();
    hide();
}

void NoticeBar::say(AgeLevel level, const QString& text, const QString& copyable, const QString& more)
{
    m_level = level;
    m_copyable = copyable;
    m_sign->setText(theme::levelSign(level));
    m_text->setText(text);
    m_text->setToolTip(more);
    m_code->setText(copyable);
    m_code->setVisible(!copyable.isEmpty());
    m_copy->setVisible(!copyable.isEmpty());
    const ThemeColors& colors = theme::colors();
    QPalette signPalette = palette();
    signPalette.setColor(
        QPalette::WindowText, level == AgeLevel::Normal ? colors.accent : colors.text(level, palette()));
    m_sign->setPalette(signPalette);
    setVisible(true);
    update();
}

void NoticeBar::clear()
{
    m_copyable.clear();
    m_text->clear();
    hide();
}

void NoticeBar::setAction(const QString& text)
{
    m_action->setText(text);
    m_action->setVisible(!text.isEmpty());
}

QString NoticeBar::text() const
{
    return m_text->text();
}

void NoticeBar::paintEvent(QPaintEvent*)
{
    const ThemeColors& colors = theme::colors(palette());
    QPainter painter(this);
    painter.fillRect(rect(), m_level == AgeLevel::Normal ? colors.infoFill : colors.fill(m_level));
    painter.setPen(colors.border);
    painter.drawLine(rect().bottomLeft(), rect().bottomRight());
}

} // namespace lockscope::ui
