// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/deadlocks/DeadlocksPage.h"

#include "ui/kit/widgets/WidgetParts.h"

#include <QClipboard>
#include <QDropEvent>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMimeData>
#include <QUrl>
#include <QWidget>

#include <algorithm>
#include <array>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::array endings{".xdl"_L1, ".xml"_L1, ".log"_L1, ".csv"_L1, ".json"_L1, ".txt"_L1};

QStringList reportsIn(const QMimeData& data)
{
    QStringList paths;
    for (const QUrl& url : data.urls())
        if (url.isLocalFile() && ReportDrop::isReportName(url.toLocalFile()))
            paths << url.toLocalFile();
    return paths;
}

/// Returns a dropped text in which a report may stand; empty: none does, or it is dragged within the program.
QString reportTextIn(const QDropEvent& drop)
{
    const bool isForeign = !drop.mimeData()->hasUrls() && !drop.source();
    const QString text = isForeign ? drop.mimeData()->text() : QString();
    return text.contains("deadlock"_L1, Qt::CaseInsensitive) || text.contains("Lock"_L1) ? text : QString();
}

} // namespace

ReportDrop::ReportDrop(QWidget& window)
    : QObject(&window)
{
    window.setAcceptDrops(true);
    window.installEventFilter(this);
    addKey(
        window, u"Window"_s, u"Read reports of deadlocks from the clipboard"_s, {QKeySequence::Paste},
        [this] {
            if (const QString text = QGuiApplication::clipboard()->text(); !text.trimmed().isEmpty())
                Q_EMIT pasted(text);
        },
        Qt::WindowShortcut);
}

/// Accepts older files, too: "postgresql.log.1", SQL Server's "ERRORLOG.3".
bool ReportDrop::isReportName(const QString& path)
{
    const QString name = QFileInfo(path).fileName();
    return name.startsWith("ERRORLOG"_L1)
        || std::any_of(endings.begin(), endings.end(), [&name](QLatin1StringView ending) {
               const qsizetype at = name.lastIndexOf(ending, -1, Qt::CaseInsensitive);
               return at >= 0
                   && (at + ending.size() == name.size() || u".-"_s.contains(name[at + ending.size()]));
           });
}

QString ReportDrop::namePatterns()
{
    QStringList patterns{u"ERRORLOG*"_s};
    for (const QLatin1StringView ending : endings)
        patterns << u'*' + ending << u'*' + ending + u".*"_s << u'*' + ending + u"-*"_s;
    return patterns.join(u' ');
}

QString ReportDrop::nameFilter()
{
    return u"Deadlocks: reports and logs (%1)"_s.arg(namePatterns());
}

bool ReportDrop::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::DragEnter && event->type() != QEvent::DragMove
        && event->type() != QEvent::Drop)
        return QObject::eventFilter(watched, event);
    auto* drop = static_cast<QDropEvent*>(event);
    const QStringList paths = reportsIn(*drop->mimeData());
    const QString text = reportTextIn(*drop);
    if (paths.isEmpty() && text.isEmpty())
        return QObject::eventFilter(watched, event);
    drop->setDropAction(Qt::CopyAction); // never moved: who dragged them keeps them
    drop->accept();
    if (event->type() == QEvent::Drop && !text.isEmpty())
        Q_EMIT pasted(text);
    else if (event->type() == QEvent::Drop)
        Q_EMIT dropped(paths);
    return paths.size() == drop->mimeData()->urls().size(); // the receiver of the others is asked, too
}

} // namespace lockscope::ui
