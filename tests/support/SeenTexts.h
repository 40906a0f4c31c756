// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/HostileNames.h"

#include <QAbstractItemModel>
#include <QAbstractItemView>
#include <QAccessible>
#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QMetaProperty>
#include <QPaintDevice>
#include <QPaintEngine>
#include <QTabBar>
#include <QWidget>

#include <functional>

namespace lockscope::test {

// Everything of a widget that reaches an eye, a reader's or a screen reader's: what it paints, its
// properties, its accessible texts, the cells of its models.

using TellText = std::function<void(const QString& where, const QString& text)>;

/// Paints nowhere, and reports each piece of text that is drawn.
class TextDevice final : public QPaintDevice {
public:
    TextDevice(QSize size, TellText tell)
        : m_size(size)
        , m_engine(std::move(tell))
    {
    }
    QPaintEngine* paintEngine() const override { return &m_engine; }

protected:
    int metric(PaintDeviceMetric metric) const override
    {
        constexpr int dpi = 96;
        switch (metric) {
        case PdmWidth:
            return m_size.width();
        case PdmHeight:
            return m_size.height();
        case PdmWidthMM:
            return m_size.width() * 254 / dpi / 10;
        case PdmHeightMM:
            return m_size.height() * 254 / dpi / 10;
        case PdmDepth:
            return 32;
        case PdmNumColors:
            return 1 << 24;
        case PdmDevicePixelRatio:
            return 1;
        case PdmDevicePixelRatioScaled:
            return static_cast<int>(devicePixelRatioFScale());
        default:
            return dpi;
        }
    }

private:
    class Engine final : public QPaintEngine {
    public:
        explicit Engine(TellText tell)
            : QPaintEngine(AllFeatures)
            , m_tell(std::move(tell))
        {
        }
        bool begin(QPaintDevice*) override { return true; }
        bool end() override { return true; }
        void updateState(const QPaintEngineState&) override { }
        void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override { }
        void drawPath(const QPainterPath&) override { }
        void drawPolygon(const QPointF*, int, PolygonDrawMode) override { }
        void drawTextItem(const QPointF&, const QTextItem& item) override
        {
            // Lines of ours are parted so.
            m_tell(QStringLiteral("painted"), item.text().remove(QChar(QChar::LineSeparator)));
        }
        Type type() const override { return User; }

    private:
        TellText m_tell;
    };
    QSize m_size;
    mutable Engine m_engine;
};

inline void tellModel(const QAbstractItemModel& model, const QModelIndex& parent, const TellText& tell)
{
    constexpr int most = 200;
    for (int row = 0; row < std::min(model.rowCount(parent), most); ++row) {
        for (int column = 0; column < model.columnCount(parent); ++column)
            for (const int role : {int(Qt::DisplayRole), int(Qt::ToolTipRole), int(Qt::StatusTipRole),
                     int(Qt::AccessibleTextRole), int(Qt::AccessibleDescriptionRole)})
                tell(role == Qt::DisplayRole ? QStringLiteral("cell") : QStringLiteral("toolTip of a cell"),
                    model.index(row, column, parent).data(role).toString());
        tellModel(model, model.index(row, 0, parent), tell);
    }
}

inline void tellProperties(const QObject& object, const TellText& tell)
{
    const QMetaObject& meta = *object.metaObject();
    for (int i = 0; i < meta.propertyCount(); ++i) {
        const QMetaProperty property = meta.property(i);
        const QByteArray name = property.name();
        // These are not shown to anybody.
        if (name == "objectName" || name == "styleSheet" || name == "html" || name == "markdown"
            || name == "windowFilePath" || name == "inputMask" || name == "windowIconText")
            continue;
        if (property.typeId() == QMetaType::QString)
            tell(QString::fromLatin1(name), property.read(&object).toString());
    }
}

/// Reads one widget, without its children.
inline void tellWidget(QWidget& widget, const TellText& tell)
{
    tellProperties(widget, tell);
    for (const QAction* action : widget.actions())
        tellProperties(*action, tell);
    if (const auto* tabs = qobject_cast<const QTabBar*>(&widget))
        for (int i = 0; i < tabs->count(); ++i) {
            tell(QStringLiteral("tab"), tabs->tabText(i));
            tell(QStringLiteral("toolTip of a tab"), tabs->tabToolTip(i));
        }
    if (const auto* view = qobject_cast<const QAbstractItemView*>(&widget); view && view->model())
        tellModel(*view->model(), {}, tell);
    if (const auto* box = qobject_cast<const QComboBox*>(&widget))
        tellModel(*box->model(), {}, tell);
    if (QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(&widget))
        for (const auto part :
            {QAccessible::Name, QAccessible::Description, QAccessible::Value, QAccessible::Help})
            tell(QStringLiteral("accessible text"), accessible->text(part));
}

/// Dialogs add places to break long words; those of others are shown as \u200b.
inline QString withoutOwnBreaks(const QWidget& widget, QString text)
{
    return widget.window()->inherits("QDialog") ? text.remove(QChar(0x200b)) : text;
}

/// Returns the number of visible texts with such a name, so that a test knows that there were some.
inline int hostileNamesShownIn(QWidget& root)
{
    int count = 0;
    for (QWidget* const widget : root.findChildren<QWidget*>())
        tellWidget(*widget, [&count, widget](const QString&, const QString& text) {
            count += withoutOwnBreaks(*widget, text).contains(QLatin1String("\\u202e")) ? 1 : 0;
        });
    return count;
}

/// Returns deceptive texts in `root` and all below it: "QLabel#title, toolTip: U+202E in …".
inline QStringList deceitsIn(QWidget& root)
{
    QStringList found;
    QList<QWidget*> all = root.findChildren<QWidget*>();
    all.prepend(&root);
    for (QWidget* const widget : std::as_const(all)) {
        // An input field shows what is typed, also its beginnings.
        if (const auto* line = qobject_cast<const QLineEdit*>(widget); line && !line->isReadOnly())
            continue;
        // Statements have lines of their own.
        const bool isStatement = widget->objectName() == QLatin1String("detailStatement")
            || widget->objectName() == QLatin1String("otherStatement");
        const QString name =
            QString::fromLatin1(widget->metaObject()->className()) + u'#' + widget->objectName();
        const auto tell = [&](const QString& where, const QString& text) {
            // Several lines of ours stand in tips, in longer texts, and in their descriptions.
            const bool mayHaveLines = where != QLatin1String("cell") && where != QLatin1String("windowTitle");
            QString shown = withoutOwnBreaks(*widget, text);
            if (isStatement)
                shown.remove(QLatin1String("\nFORGED"));
            if (const QString deceit = deceitIn(shown, mayHaveLines); !deceit.isEmpty())
                found << QStringLiteral("%1, %2: %3").arg(name, where, deceit);
        };
        tellWidget(*widget, tell);
        if (!widget->isVisible() || widget->size().isEmpty())
            continue;
        TextDevice device(widget->size(), tell);
        widget->render(&device, {}, {}, QWidget::DrawWindowBackground);
    }
    found.removeDuplicates();
    return found;
}

} // namespace lockscope::test
