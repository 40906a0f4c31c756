// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/widgets/WidgetParts.h"

#include <QApplication>
#include <QClipboard>
#include <QCoreApplication>
#include <QDialog>
#include <QEvent>
#include <QFormLayout>
#include <QGuiApplication>
#include <QPushButton>
#include <QRegularExpression>
#include <QSplitter>
#include <QTimer>
#include <QToolButton>
#include <QVariant>
#include <QWidget>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

QLabel* plain(QLabel* label)
{
    label->setTextFormat(Qt::PlainText);
    return label;
}

QLabel* wrapped(QLabel* label)
{
    label->setWordWrap(true);
    return plain(label);
}

QLabel* yielding(QLabel* label)
{
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    return label;
}

QLabel* selectable(QLabel* label, Qt::TextInteractionFlags by)
{
    label->setTextInteractionFlags(by);
    return label;
}

QLabel* sentenceLabel(const char* name, QWidget* parent)
{
    return named(name, selectable(wrapped(new QLabel(parent)), Qt::TextSelectableByMouse));
}

QPushButton* pushButton(const QString& text, QWidget* parent)
{
    auto* button = new QPushButton(text, parent);
    button->setAutoDefault(false);
    return button;
}

QPushButton* pushButton(QWidget* parent)
{
    return pushButton({}, parent);
}

QToolButton* flatButton(const QString& text, const QString& tip, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setText(text);
    button->setToolTip(tip);
    button->setAutoRaise(true);
    return button;
}

void copyByButton(QAbstractButton& button, const QString& text)
{
    QGuiApplication::clipboard()->setText(text);
    const QString said = u"Copied"_s;
    const QString usual = button.text();
    if (usual == said)
        return; // twice: the first press sees to it
    button.setText(said);
    QTimer::singleShot(2s, &button, [&button, said, usual] {
        if (button.text() == said) // else it is about something else by now
            button.setText(usual);
    });
}

void callEvery(milliseconds pause, QObject& context, const std::function<void()>& act)
{
    auto* const timer = new QTimer(&context);
    QObject::connect(timer, &QTimer::timeout, &context, act);
    timer->start(pause);
}

BoxItem::BoxItem(QWidget* widget, int stretch, Qt::Alignment alignment)
    : m_widget(widget)
    , m_stretch(stretch)
    , m_alignment(alignment)
{
}

BoxItem::BoxItem(QLayout* layout, int stretch)
    : m_layout(layout)
    , m_stretch(stretch)
{
}

void BoxItem::addTo(QBoxLayout& box) const
{
    if (m_widget)
        box.addWidget(m_widget, m_stretch, m_alignment);
    else if (m_layout)
        box.addLayout(m_layout, m_stretch);
    else if (m_space > 0)
        box.addSpacing(m_space);
    else
        box.addStretch(m_stretch);
}

BoxItem stretch(int factor)
{
    BoxItem item;
    item.m_stretch = factor;
    return item;
}

BoxItem spacer(int size)
{
    BoxItem item;
    item.m_space = size;
    return item;
}

void addAll(QBoxLayout& box, std::initializer_list<BoxItem> items)
{
    for (const BoxItem& item : items)
        item.addTo(box);
}

QHBoxLayout* rowOf(std::initializer_list<BoxItem> items)
{
    auto* row = new QHBoxLayout;
    addAll(*row, items);
    return row;
}

QVBoxLayout* columnOf(std::initializer_list<BoxItem> items)
{
    auto* column = new QVBoxLayout;
    addAll(*column, items);
    return column;
}

void appendRows(QFormLayout& form, std::initializer_list<std::pair<QString, QWidget*>> rows)
{
    for (const auto& [label, field] : rows)
        form.addRow(label, field);
}

void divide(QSplitter& splitter, std::initializer_list<std::pair<QWidget*, int>> parts)
{
    splitter.setChildrenCollapsible(false);
    for (const auto& [widget, share] : parts) {
        splitter.addWidget(widget);
        splitter.setStretchFactor(splitter.indexOf(widget), share);
    }
}

QVBoxLayout* dialogColumn(QDialog& dialog, int spacing)
{
    return withMargins(new QVBoxLayout(&dialog), {20, 18, 20, 16}, spacing);
}

QDialogButtonBox* cancelButtons(QDialog& dialog, QDialogButtonBox::StandardButtons buttons)
{
    auto* box = new QDialogButtonBox(buttons, &dialog);
    QObject::connect(box, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    return box;
}

QDialogButtonBox* acceptButtons(QDialog& dialog, QDialogButtonBox::StandardButtons buttons)
{
    QDialogButtonBox* box = cancelButtons(dialog, buttons);
    QObject::connect(box, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
    return box;
}

namespace {
constexpr auto groupProperty = "keyGroup";
}

QAction* addKey(QWidget& place, const QString& group, const QString& text, const QList<QKeySequence>& keys,
    std::function<void()> act, Qt::ShortcutContext context)
{
    auto* action = new QAction(text, &place);
    action->setShortcuts(keys);
    action->setShortcutContext(context);
    action->setProperty(groupProperty, group);
    QObject::connect(action, &QAction::triggered, &place, std::move(act));
    place.addAction(action);
    return action;
}

QToolButton* buttonOf(QAction& action, const QString& sign, QWidget* parent)
{
    const QString key = action.shortcut().toString(QKeySequence::NativeText);
    QToolButton* button = flatButton(sign, QStringLiteral("%1 (%2)").arg(action.text(), key), parent);
    button->setAccessibleName(button->toolTip());
    button->setFocusPolicy(Qt::TabFocus);
    const auto enable = [button, &action] { button->setEnabled(action.isEnabled()); };
    QObject::connect(&action, &QAction::changed, button, enable);
    QObject::connect(button, &QToolButton::clicked, &action, &QAction::trigger);
    enable();
    return button;
}

QString keyGroupOf(const QAction& action)
{
    return action.property(groupProperty).toString();
}

namespace {
constexpr auto chapterProperty = "helpChapter";
}

void setChapter(QWidget& widget, const QString& chapter)
{
    widget.setProperty(chapterProperty, chapter);
}

QString chapterOf(const QWidget& widget)
{
    for (const QWidget* at = &widget; at; at = at->isWindow() ? nullptr : at->parentWidget()) {
        const QString chapter = at->property(chapterProperty).toString();
        if (!chapter.isEmpty())
            return chapter;
    }
    return {};
}

HelpRequest::HelpRequest(QString chapter)
    : QEvent(eventType())
    , m_chapter(std::move(chapter))
{
    ignore();
}

QEvent::Type HelpRequest::eventType()
{
    static const Type type = static_cast<Type>(registerEventType());
    return type;
}

void requestHelp(QWidget& from, const QString& chapter)
{
    HelpRequest request(chapter);
    for (QWidget* at = &from; at && !request.isAccepted(); at = at->parentWidget())
        QCoreApplication::sendEvent(at, &request);
}

void explain(QDialog& dialog, const QString& chapter)
{
    setChapter(dialog, chapter);
    addKey(
        dialog, QStringLiteral("Dialogs"), QStringLiteral("What this dialog does"), {Qt::Key_F1},
        [&dialog] { requestHelp(dialog, chapterOf(dialog)); }, Qt::WindowShortcut);
}

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
