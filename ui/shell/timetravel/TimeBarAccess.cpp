// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/timetravel/TimeBarAccess.h"

#include "ui/shell/timetravel/TimeBarStrip.h"

#include <QAccessible>
#include <QAccessibleWidget>

namespace lockscope::ui {

namespace {

/// Its value in numbers: seconds since the recording began.
class StripForReaders : public QAccessibleWidget, public QAccessibleValueInterface {
public:
    explicit StripForReaders(TimeBarStrip* strip)
        : QAccessibleWidget(strip, QAccessible::Slider)
        , m_strip(*strip)
    {
    }

    void* interface_cast(QAccessible::InterfaceType type) override
    {
        if (type == QAccessible::ValueInterface)
            return static_cast<QAccessibleValueInterface*>(this);
        return QAccessibleWidget::interface_cast(type);
    }
    QString text(QAccessible::Text kind) const override
    {
        return kind == QAccessible::Value ? m_strip.positionWords() : QAccessibleWidget::text(kind);
    }

    QVariant currentValue() const override { return secondsTo(m_strip.shownMoment()); }
    QVariant maximumValue() const override { return secondsTo(m_strip.stretch().last()); }
    QVariant minimumValue() const override { return 0.0; }
    QVariant minimumStepSize() const override { return 1.0; }
    void setCurrentValue(const QVariant& value) override
    {
        m_strip.choose(m_strip.stretch().first() + microseconds(qint64(value.toDouble() * 1e6)));
    }

private:
    double secondsTo(ServerTime at) const { return double((at - m_strip.stretch().first()).count()) / 1e6; }

    TimeBarStrip& m_strip;
};

QAccessibleInterface* interfaceOf(const QString&, QObject* object)
{
    auto* const strip = qobject_cast<TimeBarStrip*>(object);
    return strip ? new StripForReaders(strip) : nullptr;
}

} // namespace

void tellToReaders()
{
    static const bool isInstalled = [] {
        QAccessible::installFactory(interfaceOf);
        return true;
    }();
    Q_UNUSED(isInstalled);
}

void valueChanged(TimeBarStrip& strip)
{
    if (!QAccessible::isActive())
        return;
    QAccessibleValueChangeEvent event(&strip, strip.positionWords());
    QAccessible::updateAccessibility(&event);
}

} // namespace lockscope::ui
