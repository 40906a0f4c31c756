// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/widgets/WidgetParts.h"

#include <QApplication>
#include <QBoxLayout>
#include <QDialog>
#include <QEvent>
#include <QFileDialog>
#include <QLabel>
#include <QMessageBox>
#include <QResizeEvent>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QTimer>
#include <QWidget>

#include <algorithm>

namespace lockscope::ui {

namespace {

constexpr int widestWord = 360; ///< in pixels, in a message box

/// Adds places to break to words that no line would hold. What is markup in rich text is left alone.
QString withBreaks(const QString& text, bool isRich)
{
    constexpr int longest = 12;
    QString broken;
    int length = 0;
    bool isMarkup = false;
    for (const QChar sign : text) {
        broken += sign;
        if (isRich && (sign == u'<' || sign == u'&'))
            isMarkup = true;
        else if (isMarkup && (sign == u'>' || sign == u';'))
            isMarkup = false;
        const bool isEnd = sign.isSpace() || sign == u'\u200b' || sign.isHighSurrogate() || isMarkup;
        length = isEnd ? 0 : length + 1;
        if (length == longest) {
            broken += u'\u200b';
            length = 0;
        }
    }
    return broken;
}

/// Breaks the words of labels that ask for more than that width.
void breakWords(const QDialog& dialog, int widest)
{
    for (QLabel* label : dialog.findChildren<QLabel*>())
        if (label->minimumSizeHint().width() > widest
            && (label->wordWrap() || qobject_cast<const QMessageBox*>(&dialog)))
            label->setText(withBreaks(label->text(), label->textFormat() == Qt::RichText));
}

class DialogFit : public QObject {
public:
    explicit DialogFit(QDialog& dialog)
        : QObject(&dialog)
        , m_dialog(dialog)
    {
        dialog.installEventFilter(this);
    }

    bool eventFilter(QObject* watched, QEvent* event) override
    {
        const bool isShown = event->type() == QEvent::Show && !event->spontaneous();
        if (isShown || (event->type() == QEvent::LayoutRequest && m_dialog.isVisible()))
            fit();
        // Those of the window system are spontaneous.
        if (event->type() == QEvent::Resize && !event->spontaneous() && m_dialog.isVisible()) {
            const auto* resized = static_cast<QResizeEvent*>(event);
            if (resized->oldSize().isValid() && !isShown)
                moveUp(resized->size().height() - resized->oldSize().height());
        }
        return QObject::eventFilter(watched, event);
    }

private:
    void fit()
    {
        if (m_isFitting || !m_dialog.layout())
            return;
        m_isFitting = true;
        breakWords(m_dialog, m_dialog.width() / 3);
        if (!m_area)
            grow();
        if (m_area) {
            const int requested =
                m_area->widget()->minimumSizeHint().width() + m_area->verticalScrollBar()->sizeHint().width();
            if (requested > m_dialog.width())
                m_dialog.resize(
                    std::min(requested, m_dialog.screen()->availableGeometry().width()), m_dialog.height());
        }
        m_isFitting = false;
        stayOnScreen();
    }

    void stayOnScreen()
    {
        const QRect screen = m_dialog.screen()->availableGeometry();
        const QRect frame = m_dialog.frameGeometry();
        const QPoint beyond(
            std::max(0, frame.right() - screen.right()), std::max(0, frame.bottom() - screen.bottom()));
        if (!beyond.isNull())
            m_dialog.move(m_dialog.pos() - beyond);
    }

    void grow()
    {
        const QRect screen = m_dialog.screen()->availableGeometry();
        const QSize frame = m_dialog.frameGeometry().size() - m_dialog.size();
        const QSize space = screen.size() - frame;
        QLayout* layout = m_dialog.layout();
        layout->invalidate(); // a form keeps the height that it had for this width
        layout->activate();
        const QSize smallest = layout->totalMinimumSize();
        int width = std::min(std::max(m_dialog.width(), smallest.width()), space.width());
        const int needed = std::max(
            smallest.height(), layout->hasHeightForWidth() ? layout->totalMinimumHeightForWidth(width) : 0);
        if (needed > space.height() || smallest.width() > space.width())
            scroll();
        m_dialog.layout()->activate(); // what scrolls asks for less
        if (m_area)
            width =
                std::min(std::max(width, smallest.width() + m_area->verticalScrollBar()->sizeHint().width()),
                    space.width());
        const int height = std::min(std::max(m_dialog.height(), needed), space.height());
        m_dialog.resize(width, height);
    }

    void moveUp(int grown)
    {
        const int space = m_dialog.frameGeometry().top() - m_dialog.screen()->availableGeometry().top();
        if (grown > 0 && space > 0)
            m_dialog.move(m_dialog.pos() - QPoint(0, std::min(grown, space)));
    }

    /// Gives all but the last row, that of the buttons, to an area that scrolls.
    void scroll()
    {
        QLayout* layout = m_dialog.layout();
        const QMargins margins = layout->contentsMargins();
        QWidget* strip = layout->menuBar();
        layout->setMenuBar(nullptr);
        auto* column = qobject_cast<QVBoxLayout*>(layout);
        QLayoutItem* last = column && column->count() > 1 ? column->takeAt(column->count() - 1) : nullptr;
        QWidget* const focus = m_dialog.focusWidget();
        m_area = new QScrollArea(&m_dialog);
        m_area->setFrameShape(QFrame::NoFrame);
        m_area->setWidgetResizable(true);
        m_area->setFocusPolicy(Qt::NoFocus);
        auto* content = new QWidget;
        content->setLayout(layout);
        m_area->setWidget(content);
        content->show();
        m_area->viewport()->setAutoFillBackground(false);
        content->setAutoFillBackground(false);
        auto* rows = new QVBoxLayout(&m_dialog);
        rows->setContentsMargins({});
        rows->setMenuBar(strip);
        rows->addWidget(m_area, 1);
        if (last) {
            auto* foot = new QHBoxLayout;
            foot->setContentsMargins(margins.left(), 0, margins.right(), margins.bottom());
            foot->addItem(last);
            rows->addLayout(foot);
        }
        // What appears later is where the keyboard is.
        connect(m_area->verticalScrollBar(), &QScrollBar::rangeChanged, this, [this] {
            if (QWidget* at = m_dialog.focusWidget(); at && m_area->isAncestorOf(at))
                m_area->ensureWidgetVisible(at);
        });
        if (focus)
            focus->setFocus();
    }

    QDialog& m_dialog;
    QScrollArea* m_area = nullptr;
    bool m_isFitting = false;
};

/// Takes care of each dialog before it is shown for the first time.
class DialogFits : public QObject {
public:
    using QObject::QObject;

    bool eventFilter(QObject* watched, QEvent* event) override
    {
        auto* const dialog = event->type() == QEvent::Polish ? qobject_cast<QDialog*>(watched) : nullptr;
        // Those of Qt fit themselves, but for long words.
        if (qobject_cast<QMessageBox*>(dialog))
            breakWords(*dialog, widestWord);
        else if (dialog && !qobject_cast<QFileDialog*>(dialog))
            new DialogFit(*dialog);
        return QObject::eventFilter(watched, event);
    }
};

} // namespace

void fitDialogs(QApplication& app)
{
    static auto* const filter = new DialogFits(&app);
    app.installEventFilter(filter); // once, however many windows there are
}

namespace {

/// Top to bottom; those that begin above the middle of the first of a row stand in that row.
QList<QWidget*> inRows(QList<QWidget*> widgets)
{
    std::stable_sort(
        widgets.begin(), widgets.end(), [](const QWidget* a, const QWidget* b) { return a->y() < b->y(); });
    for (auto row = widgets.begin(); row != widgets.end();) {
        const int middle = (*row)->geometry().center().y();
        // The first one is of its row, also if it has no height and its middle so lies above it.
        const auto end = std::find_if(
            row + 1, widgets.end(), [middle](const QWidget* widget) { return widget->y() > middle; });
        std::stable_sort(row, end, [](const QWidget* a, const QWidget* b) { return a->x() < b->x(); });
        row = end;
    }
    return widgets;
}

void collect(const QWidget& parent, QList<QWidget*>& stops)
{
    QList<QWidget*> children;
    for (QWidget* child : parent.findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
        if (child->isVisible() && !child->isWindow())
            children << child;
    for (QWidget* child : inRows(children)) {
        if ((child->focusPolicy() & Qt::TabFocus) != 0 && !child->focusProxy())
            stops << child;
        collect(*child, stops);
    }
}

class Keeper : public QObject {
public:
    explicit Keeper(QWidget& root)
        : QObject(&root)
        , m_root(root)
    {
        root.installEventFilter(this);
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Show)
            QTimer::singleShot(0, this, [this] { tabInReadingOrder(m_root); });
        return QObject::eventFilter(watched, event);
    }

private:
    QWidget& m_root;
};

} // namespace

void keepReadingOrder(QWidget& root)
{
    new Keeper(root);
}

void tabInReadingOrder(QWidget& root)
{
    QList<QWidget*> stops;
    collect(root, stops);
    for (qsizetype i = 1; i < stops.size(); ++i)
        QWidget::setTabOrder(stops[i - 1], stops[i]);
}

} // namespace lockscope::ui
