// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/Banner.h"

#include "ui/delegates/GlyphPainter.h"
#include "ui/theme/Theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

namespace lockscope::ui {

namespace {

constexpr int signSize = 18;
constexpr int margin = 10;

} // namespace

Banner::Banner(QWidget* parent)
    : QFrame(parent)
    , m_text(new QLabel(this))
    , m_layout(new QHBoxLayout(this))
{
    m_layout->setContentsMargins(margin + signSize + margin, 8, margin, 8);
    m_layout->addWidget(m_text, 1);
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::RichText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    hide();
}

void Banner::setMessage(Tone tone, const QString& text, const QString& detail)
{
    QString html = QStringLiteral("<b>%1</b>").arg(text.toHtmlEscaped());
    if (!detail.isEmpty())
        html += QLatin1Char(' ') + detail.toHtmlEscaped();
    if (tone != m_tone || html != m_text->text()) {
        m_tone = tone;
        m_text->setText(html);
        setAccessibleName(text + QLatin1Char(' ') + detail);
        update();
    }
    setVisible(!text.isEmpty());
}

QString Banner::message() const
{
    return isHidden() ? QString() : accessibleName();
}

void Banner::addWidget(QWidget* widget)
{
    m_layout->addWidget(widget);
}

void Banner::paintEvent(QPaintEvent*)
{
    const ThemeColors& colors = theme::colors(palette());
    const QColor ink = toneColor(m_tone, palette());
    const QColor fill = m_tone == Tone::Red ? colors.redFill
        : m_tone == Tone::Amber             ? colors.amberFill
                                            : colors.infoFill;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(rect(), 5, 5);
    const bool alarming = m_tone == Tone::Red || m_tone == Tone::Amber;
    const QRectF box(margin, 8 + (m_text->fontMetrics().height() - signSize) / 2.0, signSize, signSize);
    paintGlyph(painter, alarming ? Glyph::Warning : Glyph::Idle, box, alarming ? ink : colors.accent);
}

} // namespace lockscope::ui
