// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QEvent>
#include <QString>

class QDialog;
class QWidget;

namespace lockscope::ui {

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

} // namespace lockscope::ui
