// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/StatusLine.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QLabel>
#include <QToolButton>
#include <QToolTip>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

QString inMilliseconds(microseconds duration)
{
    const double ms = static_cast<double>(duration.count()) / 1e3;
    return u"%1 ms"_s.arg(QString::number(ms, 'f', ms < 10 ? 1 : 0));
}

/// Returns a foreign name: in one line, and no longer than there is space in the line.
QString shortened(const QString& name)
{
    constexpr qsizetype maximum = 24;
    const QString line = inOneLine(name);
    return line.size() > maximum ? line.left(maximum) + QChar(0x2026) : line;
}

} // namespace

StatusLine::StatusLine(QWidget* parent)
    : QStatusBar(parent)
    , m_message(named("statusMessage", yielding(new QLabel(this))))
    , m_cost(named("pollCost", plain(new QLabel(this))))
    , m_count(named("rowCount", new QLabel(this)))
    , m_rights(named("rights", flatButton({}, {}, this)))
{
    setSizeGripEnabled(false);
    m_message->setTextFormat(Qt::RichText);
    m_message->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    m_message->setFocusPolicy(Qt::NoFocus);
    connect(m_message, &QLabel::linkActivated, this,
        [this](const QString& link) { Q_EMIT auditRequested(link.toLongLong()); });
    m_rights->hide();
    connect(m_rights, &QToolButton::clicked, this, [this] {
        QToolTip::showText(
            m_rights->mapToGlobal(QPoint(0, 0)), toolTipText(m_rightsText), m_rights, {}, 20'000);
    });
    addWidget(m_message, 1);
    addPermanentWidget(m_rights);
    addPermanentWidget(m_count);
    addPermanentWidget(m_cost);
    m_message->setContentsMargins(12, 0, 0, 0);
    m_cost->setContentsMargins(8, 0, 10, 0);
    m_count->setContentsMargins(8, 0, 8, 0);
    m_forget.setObjectName(QStringLiteral("forget"));
    m_forget.setSingleShot(true);
    m_forget.setInterval(12'000);
    connect(&m_forget, &QTimer::timeout, this, [this] {
        // Somebody is about to follow its link.
        if (m_message->hasFocus())
            m_forget.start();
        else if (m_next.isEmpty())
            forget();
        else
            say(m_next.takeFirst());
    });
}

void StatusLine::showCost(
    const PollCost& cost, milliseconds effectiveInterval, milliseconds requestedInterval)
{
    QString text = u"poll %1 · server %2 · %3"_s.arg(
        inMilliseconds(cost.roundTrip), inMilliseconds(cost.server), counted(cost.roundTrips, u"round trip"));
    if (!cost.visited.isEmpty())
        text += u" · 1 connection to %1"_s.arg(shortened(cost.visited));
    if (effectiveInterval > requestedInterval)
        text += u" · slowed down to every %1 s"_s.arg(
            static_cast<double>(effectiveInterval.count()) / 1e3, 0, 'g', 3);
    m_cost->setText(text);
    m_cost->setToolTip(toolTipText(
        u"Poll: from asking to the last row. Server: its own work for that. Decoding took %1 here, for %2 rows."_s
            .arg(inMilliseconds(cost.client), QString::number(cost.rows))
        + (cost.visited.isEmpty()
                ? QString()
                : u" A connection to “%1” was opened and closed, to ask for names of its tables."_s.arg(
                    inOneLine(cost.visited)))));
}

void StatusLine::showCount(const QString& text)
{
    m_count->setText(text);
    m_count->setVisible(!text.isEmpty());
}

void StatusLine::showRights(
    const std::vector<Limitation>& limitations, const monitor::FrameworkReading& reading)
{
    QStringList lines;
    for (const Limitation& limitation : limitations) {
        if (limitation.kind == Limitation::Kind::MissingPermission)
            lines << inOneLine(limitation.what) + QLatin1Char('\n') + inOneLine(limitation.remedy);
    }
    const bool isLimited = !lines.isEmpty() || reading.isLimited;
    if (!reading.text.isEmpty())
        lines << inOneLine(reading.text) + QLatin1Char('\n') + inOneLine(reading.remedy);
    m_rightsText = lines.join(QStringLiteral("\n\n"));
    m_rights->setText(isLimited ? u"Limited rights (why?)"_s : u"Rights"_s);
    m_rights->setToolTip(toolTipText(m_rightsText));
    m_rights->setVisible(!lines.isEmpty());
}

void StatusLine::sayDone(const QString& said, qint64 auditId)
{
    const QString text = inOneLine(said.isEmpty() && !m_next.isEmpty() ? m_next.takeFirst() : said);
    // A long one must not widen the window, nor hide its link.
    const QString link = auditId == 0 ? QString() : u"Audit record"_s;
    const QFontMetrics metrics = m_message->fontMetrics();
    const int space = m_message->contentsRect().width() - metrics.horizontalAdvance(u' ' + link);
    QString html = htmlText(metrics.elidedText(text, Qt::ElideRight, space));
    m_message->setToolTip(toolTipText(text));
    m_message->setAccessibleName(text);
    if (auditId != 0)
        html += QStringLiteral(" <a href='%1'>%2</a>").arg(auditId).arg(link);
    m_message->setText(html);
    m_message->setFocusPolicy(auditId != 0 ? Qt::StrongFocus : Qt::NoFocus);
    m_forget.start();
}

void StatusLine::sayNext(const QString& text)
{
    constexpr qsizetype maxWaiting = 10;
    if (!m_forget.isActive() || m_message->text().isEmpty())
        say(text);
    else if (!m_next.contains(text) && m_next.size() < maxWaiting)
        m_next << text;
}

void StatusLine::forget()
{
    m_message->clear();
    m_message->setToolTip({});
    m_message->setAccessibleName({});
    m_message->setFocusPolicy(Qt::NoFocus);
}

void StatusLine::clearServer()
{
    m_forget.stop();
    forget(); // what was done elsewhere would seem to be done here
    if (!m_next.isEmpty())
        say(m_next.takeFirst());
    m_cost->clear();
    showCount({});
    showRights({});
}

} // namespace lockscope::ui
