// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/StatusLine.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"
#include "core/base/ShownText.h"
#include "core/domain/Session.h"
#include "core/record/Damage.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/shell/servers/ShownServer.h"

#include <QDesktopServices>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QToolTip>
#include <QUrl>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

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
    for (const Limitation& limitation : limitations)
        if (limitation.kind == Limitation::Kind::MissingPermission)
            lines << inOneLine(limitation.what) + QLatin1Char('\n') + inOneLine(limitation.remedy);
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

namespace {

/// The state is checked often and shown when it has changed.
constexpr auto refreshEvery = 500ms;

/// A file that keeps what is to be left out from now on, or is no recording of this server, stays as it is.
bool needsAnotherFile(const record::RecorderState& state)
{
    return state.error && state.error->kind == ErrorKind::BadInput;
}

} // namespace

QString recorderText(const record::RecorderState& state, bool isOld)
{
    if (!state.settings.on)
        return u"○ Not recorded"_s;
    if (state.writtenByAnother)
        return u"● Recorded by another program"_s;
    if (state.isFull)
        return u"■ Not recorded: disk full"_s;
    if (state.error)
        return u"■ Not recorded (why?)"_s;
    if (!state.last)
        return u"○ Not recorded yet"_s;
    if (isOld)
        return u"○ Recorded until %1"_s.arg(clockText(*state.last));
    if (!state.first)
        return u"● Recorded"_s;
    const auto span = std::chrono::floor<milliseconds>(*state.last - *state.first - state.gaps);
    return u"● Recorded, %1, %2"_s.arg(
        durationInWords(std::max(span, milliseconds(0))), byteCountText(state.bytes));
}

QString uploadText(const record::UploadState& state)
{
    const QString upTo = state.reached ? u", up to %1"_s.arg(clockText(*state.reached)) : QString();
    if (!state.isFileThere || (!state.error && !state.reached))
        return u"→ history, not yet"_s;
    if (state.isRefused())
        return u"■ not in the history (why?)"_s;
    if (state.error)
        return u"▲ history can't be reached"_s + upTo;
    return state.isUpToDate ? u"→ history"_s : u"→ history"_s + upTo;
}

QString uploadToolTip(const record::UploadState& state)
{
    QStringList lines;
    if (!state.isFileThere || (!state.error && !state.reached))
        lines << u"It goes to the team's history, too, as soon as there is something to bring there."_s;
    else if (state.isRefused())
        lines << u"The team's history does not take it. New snapshots stay in the file."_s
              << state.error->toString();
    else if (state.error)
        lines
            << u"The team's history can't be reached. The file keeps what is to go there; it follows by itself."_s
            << state.error->toString();
    else
        lines << u"It is brought to the team's history, too."_s;
    if (state.reached)
        lines << u"The history has it up to %1 by the server's clock."_s.arg(dateTimeText(*state.reached));
    if (state.skipped > 0)
        lines << u"%1 snapshots were dropped from the file before they could get there."_s.arg(state.skipped);
    return lines.join(u'\n');
}

QString recorderToolTip(const record::RecorderState& state)
{
    QStringList lines;
    if (!state.settings.on)
        lines << u"This server is not recorded. The menu turns it on."_s;
    else if (state.writtenByAnother)
        lines << u"Another program records this server; what it writes can be viewed here."_s;
    else if (state.error)
        lines << u"This server can't be recorded. Polling goes on."_s << state.error->toString();
    else
        lines << u"This server is recorded, so that any time can be viewed later."_s;
    lines << state.path;
    if (!state.setAside.isEmpty() && state.wasDamaged)
        lines << u"The file of before is damaged; it is %1 now. %2"_s.arg(
            QFileInfo(state.setAside).fileName(), record::rebuildingOf(state.setAside));
    else if (!state.setAside.isEmpty())
        lines << u"The recording of another server of this name is in %1."_s.arg(
            QFileInfo(state.setAside).fileName());
    const int days = static_cast<int>(state.settings.retention.age / 24h);
    lines << u"Kept for %1, at most %2; the oldest goes first."_s.arg(
        counted(days, u"day"), byteCountText(state.settings.retention.bytes));
    if (state.first && state.last) {
        const QString gaps = state.gaps < 1s
            ? QString()
            : u", without %1 of gaps"_s.arg(durationInWords(std::chrono::floor<milliseconds>(state.gaps)));
        lines << u"From %1 to %2 by the server's clock%3."_s.arg(
            dateTimeText(*state.first), dateTimeText(*state.last), gaps);
    }
    lines << (state.redacted ? u"Values in statements are left out. Passwords are never recorded."_s
                             : u"With statements as they were sent; passwords are never recorded."_s);
    for (const QString& each : {state.news, state.exposure})
        if (!each.isEmpty())
            lines << each;
    if (state.dropped > 0)
        lines << u"The disk was too slow: %1 missing."_s.arg(
            counted(state.dropped, u"snapshot is", u"snapshots are"));
    return lines.join(u'\n');
}

RecorderButton::RecorderButton(ShownServer& shown, QWidget* parent)
    : QToolButton(parent)
    , m_shown(shown)
{
    setObjectName(QStringLiteral("recorder"));
    setAutoRaise(true);
    setPopupMode(InstantPopup);
    auto* menu = new QMenu(this);
    setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, &RecorderButton::fillMenu);
    connect(&shown, &ShownServer::changed, this, &RecorderButton::update);
    // Its offers are about the server that was on view: a recording that is being opened may come in between.
    connect(&shown, &ShownServer::changed, menu, &QMenu::close);
    connect(&shown, &ShownServer::healthChanged, this, &RecorderButton::update);
    callEvery(refreshEvery, *this, [this] { update(); });
    update();
}

void RecorderButton::update()
{
    const ServerSession* session = m_shown.session();
    const record::Recorder* recorder = session ? session->recorder() : nullptr;
    setVisible(recorder != nullptr);
    if (!recorder)
        return;
    const record::RecorderState state = recorder->state();
    const auto upload = state.settings.on ? session->upload() : std::nullopt;
    const QString now =
        recorderText(state, session->isOld()) + (upload ? u' ' + uploadText(*upload) : QString());
    if (text() != now) {
        setText(now);
        setAccessibleName(now);
    }
    if (const QString why =
            toolTipText(recorderToolTip(state) + (upload ? u'\n' + uploadToolTip(*upload) : QString()));
        toolTip() != why)
        setToolTip(why);
    if (!state.setAside.isEmpty() && state.setAside != m_saidAside) {
        m_saidAside = state.setAside;
        Q_EMIT said((state.wasDamaged
                ? u"The recording of %1 was damaged: it is %2 now, and another one was begun."_s
                : u"%1 was another server before: that recording is %2 now, and another one was begun."_s)
                        .arg(session->profile().display(), QFileInfo(state.setAside).fileName()));
    }
    for (const auto& [news, reported] :
        {std::pair(&state.news, &m_saidNews), {&state.exposure, &m_saidExposure}}) {
        if (*news != *reported && !news->isEmpty())
            Q_EMIT said(*news);
        *reported = *news;
    }
}

void RecorderButton::fillMenu()
{
    menu()->clear();
    const ServerSession* session = m_shown.session();
    if (!session || !session->recorder())
        return;
    const record::RecorderState state = session->recorder()->state();
    const bool on = state.settings.on;
    menu()
        ->addAction(on ? u"Stop recording this server"_s : u"Record this server"_s, this,
            [this, on] { Q_EMIT turned(!on); })
        ->setObjectName(QStringLiteral("turnRecording"));
    if (on && needsAnotherFile(state))
        menu()->addAction(
            u"Set that file aside and begin a new one"_s, this, &RecorderButton::newFileRequested);
    menu()->addAction(u"Open the folder"_s, this, [folder = QFileInfo(state.path).absolutePath()] {
        QDesktopServices::openUrl(QUrl::fromLocalFile(folder));
    });
    menu()->addAction(u"Recording of this server…"_s, this, &RecorderButton::settingsRequested);
}

} // namespace lockscope::ui
