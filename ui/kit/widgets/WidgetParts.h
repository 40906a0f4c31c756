// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/kit/theme/Theme.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QString>
#include <QVBoxLayout>

#include <functional>
#include <initializer_list>
#include <utility>

class QAbstractButton;
class QDialog;
class QFormLayout;
class QPushButton;
class QSplitter;
class QToolButton;
class QWidget;
class QApplication;

namespace lockscope::ui {

/// Gives a widget or an action its object name, and returns it, so that both fit into an initialiser.
template <typename T> T* named(const char* name, T* object)
{
    object->setObjectName(QLatin1String(name));
    return object;
}

/// Gives a widget also the name that assistive programs read.
template <typename T> T* named(const char* name, const QString& accessibleName, T* widget)
{
    widget->setAccessibleName(accessibleName);
    return named(name, widget);
}

/// Makes a window or a menu delete itself when it is closed, and returns it.
template <typename T> T* deletedOnClose(T* window)
{
    window->setAttribute(Qt::WA_DeleteOnClose);
    return window;
}

/// Makes the text of a widget as pale as a placeholder, and returns the widget.
template <typename T> T* faint(T* widget)
{
    widget->setForegroundRole(QPalette::PlaceholderText);
    return widget;
}

/// Makes a label show its text as it is, without markup, and returns the label.
QLabel* plain(QLabel* label);
/// Makes a label show its text as it is, in as many lines as needed; returns the label.
QLabel* wrapped(QLabel* label);
/// Lets a label be narrower than its text, which is cut off then; returns the label.
QLabel* yielding(QLabel* label);
/// Gives a widget bold letters of a size relative to the usual one, and returns the widget.
template <typename T> T* demiBold(double size, T* widget)
{
    widget->setFont(theme::scaled(size, QFont::DemiBold));
    return widget;
}
/// Makes a label's text selectable, by keys too unless only the mouse is given; returns the label.
QLabel* selectable(
    QLabel* label, Qt::TextInteractionFlags by = Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);

/// Returns an empty label for sentences, which wraps them and lets them be selected by the mouse.
QLabel* sentenceLabel(const char* name, QWidget* parent = nullptr);
/// Returns a button that Enter in a field of its dialog does not press.
QPushButton* pushButton(const QString& text, QWidget* parent);
QPushButton* pushButton(QWidget* parent);
/// Returns a button without a frame until the mouse is over it.
QToolButton* flatButton(const QString& text, const QString& tip, QWidget* parent = nullptr);

/// Copies the text, and says so on the button that was pressed for it, for two seconds.
void copyByButton(QAbstractButton& button, const QString& text);

/// Calls `act` again and again, with that pause between, while `context` lives.
void callEvery(milliseconds pause, QObject& context, const std::function<void()>& act);

/// One item of a box layout. Made of a widget or a layout, or by `stretch` or `spacer`.
class BoxItem {
public:
    BoxItem(QWidget* widget, int stretch = 0, Qt::Alignment alignment = {});
    BoxItem(QLayout* layout, int stretch = 0);
    void addTo(QBoxLayout& box) const;

private:
    friend BoxItem stretch(int factor);
    friend BoxItem spacer(int size);
    BoxItem() = default;

    QWidget* m_widget = nullptr;
    QLayout* m_layout = nullptr;
    int m_stretch = 0;
    int m_space = 0; ///< in pixels, of an item without a widget
    Qt::Alignment m_alignment;
};
BoxItem stretch(int factor = 0);
BoxItem spacer(int size);

/// Appends items to a box layout.
void addAll(QBoxLayout& box, std::initializer_list<BoxItem> items);
/// Returns a layout, without a parent yet, with items beside or below each other.
QHBoxLayout* rowOf(std::initializer_list<BoxItem> items);
QVBoxLayout* columnOf(std::initializer_list<BoxItem> items);

/// Appends rows to a form, each a label with its field.
void appendRows(QFormLayout& form, std::initializer_list<std::pair<QString, QWidget*>> rows);

/// Puts widgets into a splitter, each with its part of the space; none of them can be closed by dragging.
void divide(QSplitter& splitter, std::initializer_list<std::pair<QWidget*, int>> parts);

/// Sets the spacing of a layout, unless it is negative, and returns the layout.
template <typename Box> Box* withSpacing(Box* box, int spacing)
{
    if (spacing >= 0)
        box->setSpacing(spacing);
    return box;
}

/// Sets the margins of a layout (left, top, right, bottom), and its spacing unless that is negative.
template <typename Box> Box* withMargins(Box* box, const QMargins& margins, int spacing = -1)
{
    box->setContentsMargins(margins);
    return withSpacing(box, spacing);
}
template <typename Box> Box* withoutMargins(Box* box, int spacing = -1)
{
    return withMargins(box, QMargins(), spacing);
}

/// Returns the layout of a dialog with the margins that all dialogs have; -1: the spacing of the style.
QVBoxLayout* dialogColumn(QDialog& dialog, int spacing = -1);
/// Returns buttons of which Cancel or Close closes the dialog.
QDialogButtonBox* cancelButtons(
    QDialog& dialog, QDialogButtonBox::StandardButtons buttons = QDialogButtonBox::Cancel);
/// Returns buttons of which, besides, those that accept accept the dialog.
QDialogButtonBox* acceptButtons(QDialog& dialog,
    QDialogButtonBox::StandardButtons buttons = QDialogButtonBox::Ok | QDialogButtonBox::Cancel);

/// An action of `place` that has keys and no menu. It acts while `place` has the focus or, if `context` says
/// so, anything in its window. `group` is where the help lists it: "Table".
QAction* addKey(QWidget& place, const QString& group, const QString& text, const QList<QKeySequence>& keys,
    std::function<void()> act, Qt::ShortcutContext context = Qt::WidgetShortcut);

/// A flat button for an action of a view beside it: says its text and key in a tooltip, shows `sign`, and is
/// enabled when the action is.
QToolButton* buttonOf(QAction& action, const QString& sign, QWidget* parent);

/// Returns the group that `addKey` was given; empty for any other action.
QString keyGroupOf(const QAction& action);

/// Names the part of the manual that explains `widget` and all that is in it: "blocking.md",
/// "window.md#settings".
void setChapter(QWidget& widget, const QString& chapter);
/// The chapter of `widget`, else of the nearest widget around it in its window that has one; empty if there
/// is none.
QString chapterOf(const QWidget& widget);

/// Goes from a widget up to the window that shows the manual, across dialogs, as a QStatusTipEvent does.
class HelpRequest : public QEvent {
public:
    explicit HelpRequest(QString chapter);
    static Type eventType();
    const QString& chapter() const { return m_chapter; }

private:
    QString m_chapter;
};

/// Asks the widgets round `from` for a chapter of the manual until one accepts.
void requestHelp(QWidget& from, const QString& chapter);

/// F1 in `dialog` opens `chapter`.
void explain(QDialog& dialog, const QString& chapter);

/// From now on each dialog of the program is as high as its texts need at its width, when it opens and when
/// they change, and stays within its screen: what does not fit scrolls, above the buttons. It never shrinks,
/// and grows upwards as far as the screen reaches, so that its buttons stay under the pointer that presses
/// them. Words longer than a line are broken. A user who drags its edge is not interfered with.
void fitDialogs(QApplication& app);

/// Makes the Tab key go through what is on view in `root` as one reads it: row by row, within a row from left
/// to right, through one pane after the other. Qt's own order is that in which the widgets were made.
void tabInReadingOrder(QWidget& root);
/// The same each time `root` comes into view, as soon as it is laid out.
void keepReadingOrder(QWidget& root);

/// From now on what stands in for the description of a widget, its tooltip, is told to screen readers without
/// its markup.
void describePlainly(QApplication& app);

} // namespace lockscope::ui
