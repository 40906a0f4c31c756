// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/theme/Theme.h"

#include "core/base/EnumTable.h"
#include "core/base/PlainFile.h"
#include "core/base/ShownText.h"

#include <QApplication>
#include <QEvent>
#include <QFontDatabase>
#include <QIcon>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QProxyStyle>
#include <QStyle>
#include <QStyleOption>
#include <QSvgRenderer>
#include <QWidget>

#include <algorithm>
#include <utility>

namespace lockscope::ui {

namespace {

/// An icon is drawn when it is painted, in the palette of then: the theme may change meanwhile, and most
/// icons of a window are not seen at its start.
class LineIcon : public QIconEngine {
public:
    LineIcon(QString name, QByteArray drawing, const QColor& color)
        : m_name(std::move(name))
        , m_drawing(std::move(drawing))
        , m_color(color)
    {
    }

    void paint(QPainter* painter, const QRect& area, QIcon::Mode mode, QIcon::State state) override
    {
        const qreal scale = painter->device()->devicePixelRatio();
        QPixmap drawn = pixmap(area.size() * scale, mode, state);
        drawn.setDevicePixelRatio(scale);
        painter->drawPixmap(area, drawn);
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State /*state*/) override
    {
        if (size.isEmpty())
            return {};
        const QPalette palette = QApplication::palette();
        const QColor ink = mode == QIcon::Disabled ? palette.color(QPalette::Disabled, QPalette::ButtonText)
            : m_color.isValid()                    ? m_color
                                                   : palette.color(QPalette::ButtonText);
        const QString key = QStringLiteral("line icon %1 %2 %3 %4")
                                .arg(m_name, ink.name())
                                .arg(size.width())
                                .arg(size.height());
        QPixmap drawn;
        if (QPixmapCache::find(key, &drawn))
            return drawn;
        drawn = QPixmap(size);
        drawn.fill(Qt::transparent);
        QPainter painter(&drawn);
        QSvgRenderer renderer(QByteArray(m_drawing).replace("currentColor", ink.name().toLatin1()));
        renderer.setAspectRatioMode(Qt::KeepAspectRatio);
        renderer.render(&painter);
        QPixmapCache::insert(key, drawn);
        return drawn;
    }

    QIconEngine* clone() const override { return new LineIcon(*this); }

private:
    QString m_name;
    QByteArray m_drawing;
    QColor m_color;
};

/// Over Fusion's own frame; with the focus that one is the palette's highlight, and stays.
void drawFrame(QPainter& painter, const QStyleOption& option)
{
    if (option.state.testFlag(QStyle::State_HasFocus))
        return;
    painter.save();
    theme::paintBox(painter, QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), 2,
        theme::colors(option.palette).border, Qt::NoBrush);
    painter.restore();
}

/// Draws in one colour: Fusion's gradient takes disabled text's contrast in the dark.
void drawButton(QPainter& painter, const QStyleOption& option)
{
    const ThemeColors& colors = theme::colors(option.palette);
    const bool isEnabled = option.state.testFlag(QStyle::State_Enabled);
    const bool isDown =
        option.state.testFlag(QStyle::State_Sunken) || option.state.testFlag(QStyle::State_On);
    const bool isHot = isEnabled && option.state.testFlag(QStyle::State_MouseOver);
    const auto* button = qstyleoption_cast<const QStyleOptionButton*>(&option);
    const bool isDefault = button && button->features.testFlag(QStyleOptionButton::DefaultButton);
    const bool isChosen = isEnabled && (isDefault || option.state.testFlag(QStyle::State_HasFocus));
    painter.save();
    theme::paintBox(painter, QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), 3,
        isChosen ? colors.accent : colors.border,
        isDown      ? option.palette.color(QPalette::Mid)
            : isHot ? colors.infoFill
                    : option.palette.color(QPalette::Button));
    painter.restore();
}

void drawRadioButton(QPainter& painter, const QStyleOption& option)
{
    const ThemeColors& colors = theme::colors(option.palette);
    const bool isOn = option.state.testFlag(QStyle::State_On);
    const QColor ink = !option.state.testFlag(QStyle::State_Enabled) ? option.palette.color(QPalette::Text)
        : isOn                                                       ? colors.accent
                                                                     : colors.muted;
    const double side = std::min(option.rect.width(), option.rect.height());
    const QRectF ring(option.rect.x() + 1, option.rect.y() + 1, side - 2, side - 2);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(ink, option.state.testFlag(QStyle::State_HasFocus) || isOn ? 2 : 1.2));
    painter.setBrush(option.state.testFlag(QStyle::State_Sunken) ? colors.infoFill
                                                                 : option.palette.color(QPalette::Window));
    painter.drawEllipse(ring);
    if (isOn) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(ink);
        painter.drawEllipse(ring.adjusted(3, 3, -3, -3));
    }
    painter.restore();
}

/// Fusion with air round the words on buttons, radio buttons whose choice is seen from afar, and frames of
/// fields and buttons that stand out against the window (a contrast of at least 3:1; Fusion's own is far
/// below that in the dark).
class SpacedFusion : public QProxyStyle {
public:
    SpacedFusion()
        : QProxyStyle(QStringLiteral("Fusion"))
    {
    }

    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
        const QWidget* widget) const override
    {
        const QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
        return type == CT_PushButton ? size + QSize(14, 2) : size;
    }

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
        const QWidget* widget) const override
    {
        if (element == PE_IndicatorRadioButton)
            return drawRadioButton(*painter, *option);
        if (element == PE_PanelButtonCommand)
            return drawButton(*painter, *option);
        QProxyStyle::drawPrimitive(element, option, painter, widget);
        if (element == PE_FrameLineEdit || element == PE_IndicatorCheckBox)
            drawFrame(*painter, *option);
    }

    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
        const QWidget* widget) const override
    {
        QProxyStyle::drawComplexControl(control, option, painter, widget);
        const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option);
        const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
        if ((control == CC_ComboBox && box && box->frame) || (control == CC_SpinBox && spin && spin->frame))
            drawFrame(*painter, *option);
    }
};

struct Tones {
    QRgb window, base, alternate, text, disabled, button, highlight, highlightedText, mid, dark, shadow,
        light;
};

constexpr Tones lightTones{0xfff3f5f7, 0xffffffff, 0xfff7f8fa, 0xff1b2128, 0xff606974, 0xfffafbfc, 0xff2563c4,
    0xffffffff, 0xffc5cbd2, 0xffaab2bb, 0xff7d8690, 0xffffffff};
constexpr Tones darkTones{0xff1b1e23, 0xff1f2329, 0xff23272e, 0xffe4e8ec, 0xff909aa4, 0xff2a2f36, 0xff2f6bc9,
    0xffffffff, 0xff3a4049, 0xff15181c, 0xff0b0d0f, 0xff434a54};

QPalette paletteOf(const Tones& tones, const ThemeColors& colors)
{
    QPalette palette;
    const auto set = [&](QPalette::ColorRole role, QRgb value) { palette.setColor(role, value); };
    set(QPalette::Window, tones.window);
    set(QPalette::Base, tones.base);
    set(QPalette::AlternateBase, tones.alternate);
    set(QPalette::ToolTipBase, tones.base);
    set(QPalette::Button, tones.button);
    set(QPalette::Highlight, tones.highlight);
    set(QPalette::HighlightedText, tones.highlightedText);
    set(QPalette::Mid, tones.mid);
    set(QPalette::Midlight, tones.light);
    set(QPalette::Light, tones.light);
    set(QPalette::Dark, tones.dark);
    set(QPalette::Shadow, tones.shadow);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText,
             QPalette::BrightText}) {
        set(role, tones.text);
        palette.setColor(QPalette::Disabled, role, tones.disabled);
    }
    palette.setColor(QPalette::PlaceholderText, colors.muted);
    palette.setColor(QPalette::Disabled, QPalette::Highlight, tones.mid);
    palette.setColor(QPalette::Disabled, QPalette::HighlightedText, tones.text);
    palette.setColor(QPalette::Link, colors.accent);
    palette.setColor(QPalette::LinkVisited, colors.accent);
    return palette;
}

bool isDark(const QPalette& palette)
{
    return palette.color(QPalette::Window).lightness() < 128;
}

const ThemeColors& light()
{
    static const ThemeColors colors{.ok = 0x17703e,
        .amber = 0x905500,
        .red = 0xb3261e,
        .muted = 0x5c6670,
        .accent = 0x1f5fbf,
        .amberFill = 0xfff1d6,
        .redFill = 0xfde3e1,
        .okFill = 0xe2f4e9,
        .infoFill = 0xe6effb,
        .card = 0xffffff,
        .border = 0x848c95,
        .grid = 0xe6e9ed,
        .sideBar = 0xe9ecf0,
        .other = 0x7f8892,
        .series = {0x005a8e, 0xb57500, 0x00855f, 0xb85f90, 0x2f8fcb}};
    return colors;
}

const ThemeColors& dark()
{
    static const ThemeColors colors{.dark = true,
        .ok = 0x5cc98a,
        .amber = 0xf2b44b,
        .red = 0xff8a80,
        .muted = 0x9aa4af,
        .accent = 0x7fb2ff,
        .amberFill = 0x40320f,
        .redFill = 0x4a1f1d,
        .okFill = 0x17382a,
        .infoFill = 0x1b2f4a,
        .card = 0x22262c,
        .border = 0x727b87,
        .grid = 0x31363e,
        .sideBar = 0x16191d,
        .other = 0x7d8691,
        .series = {0x3aa0e0, 0xf0b429, 0x2fbf95, 0xd98cb8, 0x8ccdf2}};
    return colors;
}

} // namespace

QString themeModeName(ThemeMode mode)
{
    static constexpr EnumTable<ThemeMode> names({u"system", u"light", u"dark"});
    return names[mode].toString();
}

std::optional<ThemeMode> themeModeFromName(const QString& name)
{
    return enumeratorNamed(name, themeModeName);
}

QColor ThemeColors::sign(AgeLevel level) const
{
    return EnumTable<AgeLevel, QColor>({ok, amber, red})[level];
}

QColor ThemeColors::text(AgeLevel level, const QPalette& palette) const
{
    return level == AgeLevel::Normal ? palette.color(QPalette::Text) : sign(level);
}

QColor ThemeColors::fill(AgeLevel level) const
{
    return EnumTable<AgeLevel, QColor>({card, amberFill, redFill})[level];
}

namespace theme {

void apply(QApplication& app, ThemeMode mode)
{
    static const QPalette platform = app.palette();
    static const QString platformStyle = app.style()->name();
    // Only Fusion takes any palette; native styles keep their own idea of it.
    const bool fusion = platformStyle.compare(QLatin1String("fusion"), Qt::CaseInsensitive) == 0;
    if (mode == ThemeMode::System && !fusion) {
        app.setStyle(platformStyle);
        app.setPalette(platform);
        return;
    }
    if (!dynamic_cast<SpacedFusion*>(app.style()))
        app.setStyle(new SpacedFusion);
    const bool wantsDark = mode == ThemeMode::Dark || (mode == ThemeMode::System && isDark(platform));
    const QPalette palette = paletteOf(wantsDark ? ThemeMode::Dark : ThemeMode::Light);
    app.setPalette(palette);
    // Fusion draws their frame darker than the window: in the dark only their filling shows them.
    QPalette boxes = palette;
    if (wantsDark)
        boxes.setColor(QPalette::Base, palette.color(QPalette::Midlight));
    QApplication::setPalette(boxes, "QCheckBox");
}

QPalette paletteOf(ThemeMode mode)
{
    return mode == ThemeMode::Dark ? ui::paletteOf(darkTones, dark()) : ui::paletteOf(lightTones, light());
}

const ThemeColors& colors(const QPalette& palette)
{
    return isDark(palette) ? dark() : light();
}

const ThemeColors& colors()
{
    return colors(QApplication::palette());
}

QFont scaled(double factor, QFont::Weight weight)
{
    return scaled(QApplication::font(), factor, weight);
}

QFont scaled(QFont font, double factor, QFont::Weight weight)
{
    if (font.pointSizeF() > 0)
        font.setPointSizeF(font.pointSizeF() * factor);
    else
        font.setPixelSize(std::max(1, static_cast<int>(font.pixelSize() * factor)));
    font.setWeight(weight);
    return font;
}

QFont monospace()
{
    return QFontDatabase::systemFont(QFontDatabase::FixedFont);
}

QString levelSign(AgeLevel level)
{
    static constexpr EnumTable<AgeLevel> signs({u"●", u"▲", u"■"});
    return signs[level].toString();
}

QString withSign(AgeLevel level, const QString& text)
{
    return level == AgeLevel::Normal ? text : levelSign(level) + QLatin1Char(' ') + text;
}

void setInk(QWidget* widget, const QColor& color, QPalette::ColorRole role)
{
    QPalette ink = widget->palette();
    ink.setColor(role, color);
    widget->setPalette(ink);
}

void whenRecolored(QWidget& widget, std::function<void()> act)
{
    class Watcher : public QObject {
    public:
        Watcher(QWidget& watched, std::function<void()> then)
            : QObject(&watched)
            , m_act(std::move(then))
        {
            watched.installEventFilter(this);
        }
        bool eventFilter(QObject* watched, QEvent* event) override
        {
            if (event->type() == QEvent::PaletteChange)
                m_act();
            return QObject::eventFilter(watched, event);
        }

    private:
        std::function<void()> m_act;
    };
    new Watcher(widget, std::move(act));
}

void paintText(QPainter& painter, const QRectF& space, const QString& text, Qt::TextElideMode elide,
    Qt::Alignment alignment)
{
    painter.drawText(space, static_cast<int>(alignment) | Qt::TextSingleLine,
        QFontMetrics(painter.font()).elidedText(inOneLine(text), elide, static_cast<int>(space.width())));
}

void paintBox(QPainter& painter, const QRectF& box, double radius, const QPen& edge, const QBrush& fill)
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(edge);
    painter.setBrush(fill);
    painter.drawRoundedRect(box, radius, radius);
}

void paintFocus(QPainter& painter, const QWidget& widget)
{
    if (!widget.hasFocus())
        return;
    painter.setPen(QPen(colors(widget.palette()).accent, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(widget.rect()).adjusted(1, 1, -1, -1));
}

void paintCard(QWidget& widget, const QColor& edge, const QColor& fill)
{
    QPainter painter(&widget);
    paintBox(painter, QRectF(widget.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 7, edge, fill);
}

QIcon icon(const QString& name, const QColor& color)
{
    const QByteArray drawing = fileContent(QStringLiteral(":/icons/%1.svg").arg(name));
    return drawing.isEmpty() ? QIcon() : QIcon(new LineIcon(name, drawing, color));
}

} // namespace theme

} // namespace lockscope::ui
