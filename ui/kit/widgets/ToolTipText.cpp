// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/widgets/ToolTipText.h"

#include <QApplication>
#include <QEvent>
#include <QRegularExpression>
#include <QWidget>

namespace lockscope::ui {

namespace {

constexpr auto describedProperty = "describedByToolTip";

QString withoutMarkup(QString html)
{
    static const QRegularExpression lineEnds(QStringLiteral("<br ?/?>"));
    static const QRegularExpression tags(QStringLiteral("<[^>]*>"));
    html.replace(lineEnds, QStringLiteral("\n")).remove(tags);
    return html.replace(QLatin1String("&lt;"), QLatin1String("<"))
        .replace(QLatin1String("&gt;"), QLatin1String(">"))
        .replace(QLatin1String("&quot;"), QLatin1String("\""))
        .replace(QLatin1String("&amp;"), QLatin1String("&"));
}

class PlainDescriptions : public QObject {
public:
    using QObject::QObject;

    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::ToolTipChange && watched->isWidgetType())
            describe(*static_cast<QWidget*>(watched));
        return QObject::eventFilter(watched, event);
    }

private:
    static void describe(QWidget& widget)
    {
        const QString tip = widget.toolTip();
        const bool isOurs = widget.property(describedProperty).toBool();
        if (!isOurs && (!tip.startsWith(u'<') || !widget.accessibleDescription().isEmpty()))
            return;
        widget.setAccessibleDescription(tip.startsWith(u'<') ? withoutMarkup(tip) : QString());
        widget.setProperty(describedProperty, true);
    }
};

} // namespace

void describePlainly(QApplication& app)
{
    static auto* const filter = new PlainDescriptions(&app);
    app.installEventFilter(filter); // once, however many windows there are
}

} // namespace lockscope::ui
