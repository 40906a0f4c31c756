// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/detail/SectionsText.h"

#include <QAbstractTextDocumentLayout>
#include <QTextCursor>
#include <QTextDocument>

#include <cmath>
#include <cstdlib>

namespace lockscope::ui {

SectionsText::SectionsText(QWidget* parent)
    : QTextBrowser(parent)
{
    setFrameShape(NoFrame);
    setOpenLinks(false);
    setUndoRedoEnabled(false);
    setTabChangesFocus(true);
    setTextInteractionFlags(
        Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    viewport()->setAutoFillBackground(false);
    document()->setDocumentMargin(0);
    connect(document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this,
        [this](const QSizeF& size) { setFixedHeight(static_cast<int>(std::ceil(size.height()))); });
}

void SectionsText::say(const QString& html)
{
    if (html != m_text) {
        m_text = html;
        const QString selected = textCursor().selectedText();
        const int place = textCursor().selectionStart();
        setHtml(html);
        if (!selected.isEmpty())
            selectAgain(selected, place);
    }
    setVisible(!html.isEmpty());
}

/// Selects the words at their present place: ages before them may have become longer.
void SectionsText::selectAgain(const QString& words, int place)
{
    QTextCursor best;
    for (QTextCursor at = document()->find(words); !at.isNull(); at = document()->find(words, at)) {
        if (best.isNull() || std::abs(at.selectionStart() - place) < std::abs(best.selectionStart() - place))
            best = at;
    }
    if (!best.isNull())
        setTextCursor(best);
}

} // namespace lockscope::ui
