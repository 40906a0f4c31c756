// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/help/Chapter.h"

#include "ui/kit/widgets/WidgetParts.h"

#include <QCoreApplication>
#include <QDialog>
#include <QVariant>

namespace lockscope::ui {

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

} // namespace lockscope::ui
