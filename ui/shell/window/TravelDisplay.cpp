// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/TravelDisplay.h"

#include "core/base/Duration.h"
#include "core/base/ServerTime.h"
#include "core/record/Damage.h"
#include "core/record/Recorder.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/shell/servers/ShownServer.h"
#include "ui/shell/timetravel/TimeBar.h"
#include "ui/shell/timetravel/TimeDialogs.h"
#include "ui/shell/timetravel/TimeTravel.h"
#include "ui/shell/window/CentralArea.h"
#include "ui/shell/window/StatusLine.h"
#include "ui/shell/window/TopBar.h"
#include "ui/views/overview/OverviewPage.h"
#include "ui/views/page/AppContext.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QPushButton>
#include <QSettings>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

/// Behind white words, in the light and in the dark.
const QColor ground = QColor::fromRgb(0xb3261e);

QString localText(ServerTime time)
{
    const QDateTime local = time.toDateTime().toLocalTime();
    return u"%1 by the server's clock, %2 here"_s.arg(
        dateTimeText(time), QLocale::c().toString(local, u"yyyy-MM-dd HH:mm:ss"_s));
}

} // namespace

TravelMark::TravelMark(QWidget* parent)
    : QFrame(parent)
    , m_time(named("travelMoment", plain(new QLabel(this))))
    , m_more(named("travelMore", plain(new QLabel(this))))
    , m_live(named("goLive", u"Live: back to the present"_s, pushButton(u"● Live"_s, this)))
{
    setObjectName(QStringLiteral("travelMark"));
    m_time->setFont(theme::scaled(1.2, QFont::Bold));
    for (QLabel* label : {m_time, m_more})
        theme::setInk(label, Qt::white);
    m_live->setToolTip(u"Back to the present of the server (Alt+End)"_s);
    connect(m_live, &QPushButton::clicked, this, &TravelMark::liveRequested);
    addAll(*withMargins(new QHBoxLayout(this), {14, 4, 10, 4}, 12), {m_time, {m_more, 1}, m_live});
    hide();
}

void TravelMark::show(const TimeTravel& travel, const QString& ago)
{
    setVisible(travel.isOn() && travel.snapshot());
    if (isHidden())
        return;
    const ServerTime time = travel.clock();
    m_time->setText(u"You are viewing %1"_s.arg(shortDateTimeText(time)));
    QStringList more;
    if (!ago.isEmpty())
        more << u"%1 ago"_s.arg(ago);
    if (travel.speed() > 0)
        more << u"playing %1×"_s.arg(travel.speed());
    if (travel.source().isFile)
        more << (travel.isAtEnd() ? u"the end of this recording"_s : u"a recording"_s);
    m_more->setText(more.join(u" · "_s));
    m_live->setVisible(!travel.source().isFile);
    setToolTip(localText(time));
    setAccessibleName(text());
}

QString TravelMark::text() const
{
    return isHidden() ? QString() : m_time->text() + u" · "_s + m_more->text();
}

void TravelMark::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), ground);
}

namespace {

constexpr auto noteIsWrittenWithin = 300ms;
constexpr auto isAtRestAfter = 1s; ///< neither dragged nor stepped: damage may be mended by now
const QString landmarksKey = u"timeBar/landmarks"_s;

} // namespace

TravelDisplay::TravelDisplay(const Parts& parts, QObject* parent)
    : QObject(parent)
    , m_parts(parts)
    , m_feed(parts.shown.travel(), parts.centre.timeBar())
{
    TimeTravel& travel = m_parts.shown.travel();
    connect(&travel, &TimeTravel::sourceChanged, this, [this, &travel] {
        m_history.setClient(travel.client());
        m_recorded.setClient(travel.client());
        m_started = nullptr;
    });
    connect(&m_parts.shown, &ShownServer::changed, this, &TravelDisplay::showPastView);
    connect(&m_parts.shown, &ShownServer::snapshotChanged, this, &TravelDisplay::showPastView);
    connect(&m_parts.shown, &ShownServer::healthChanged, this, &TravelDisplay::showMark);
    connect(&m_parts.shown, &ShownServer::polled, this, &TravelDisplay::noteNews);
    connect(&travel, &TimeTravel::clockChanged, this, &TravelDisplay::showMark);
    connect(&travel, &TimeTravel::playingChanged, this, &TravelDisplay::showMark);
    m_atRest.setSingleShot(true);
    m_atRest.setInterval(isAtRestAfter);
    for (const auto moves : {&TimeTravel::pastViewChanged, &TimeTravel::playingChanged})
        connect(&travel, moves, &m_atRest, qOverload<>(&QTimer::start));
    connect(&m_atRest, &QTimer::timeout, this, [this, &travel] {
        if (travel.speed() == 0)
            m_history.readDamagedAgain();
    });
    connect(&travel, &TimeTravel::said, &m_parts.statusLine, &StatusLine::say);
    for (const TravelHistory* history : {&m_history, &m_recorded})
        connect(history, &TravelHistory::failed, this, [this](const QString& reason) {
            m_parts.statusLine.say(u"A part of the charts can't be read: %1"_s.arg(reason));
        });
    connect(&m_history, &TravelHistory::changed, this, &TravelDisplay::refreshCharts);
    connect(&m_recorded, &TravelHistory::changed, this, [this] {
        m_parts.shown.session()->startHistoryWith(m_recorded.history());
        refreshCharts();
    });
    connect(&m_feed, &TimeBarFeed::availabilityChanged, this, &TravelDisplay::showTimeBar);
    connect(&m_parts.topBar, &TopBar::timeBarToggled, this, &TravelDisplay::showTimeBar);
    connect(&m_parts.centre.trouble(), &ConnectionErrorPage::pastRequested, &travel,
        [&travel] { travel.step(-1); });
    connect(&m_parts.mark, &TravelMark::liveRequested, &travel, &TimeTravel::goLive);
    callEvery(1s, *this, [this] { showMark(); });
    const auto showThresholds = [this, &travel] {
        m_parts.centre.timeBar().setThresholds(m_parts.context.thresholds().wait);
        record::LandmarkChoice landmarks = travel.landmarks();
        landmarks.longWait = m_parts.context.thresholds().wait.red;
        travel.setLandmarks(landmarks);
    };
    connect(&m_parts.context, &AppContext::thresholdsChanged, this, showThresholds);
    showThresholds();
    restoreLandmarks();
    connect(&m_parts.centre.timeBar(), &TimeBar::timeRequested, this, &TravelDisplay::askForTime);
    connect(&m_parts.centre.timeBar(), &TimeBar::noteRequested, this, &TravelDisplay::askForNote);
    connect(&m_parts.centre.timeBar(), &TimeBar::differencesRequested, this, &TravelDisplay::askForOtherTime);
    showTimeBar();
}

void TravelDisplay::setOverview(OverviewPage& overview)
{
    m_overview = &overview;
    overview.setHistory(m_shownHistory, m_shownHistory == &m_history.history());
    connect(&overview, &OverviewPage::travelRequested, &m_parts.shown.travel(), &TimeTravel::goTo);
}

void TravelDisplay::refreshCharts()
{
    if (m_overview)
        m_overview->refreshCharts();
}

void TravelDisplay::restoreLandmarks()
{
    const auto choose = [this](record::Landmarks kinds) {
        record::LandmarkChoice landmarks = m_parts.shown.travel().landmarks();
        landmarks.kinds = kinds;
        m_parts.shown.travel().setLandmarks(landmarks);
    };
    QSettings& settings = m_parts.context.settings();
    bool isKept = false;
    const int kept = settings.value(landmarksKey).toInt(&isKept);
    if (isKept) {
        choose(record::Landmarks(kept));
        m_parts.centre.timeBar().setLandmarks(record::Landmarks(kept));
    }
    connect(&m_parts.centre.timeBar(), &TimeBar::landmarksChosen, this,
        [choose, &settings](record::Landmarks kinds) {
            choose(kinds);
            settings.setValue(landmarksKey, int(kinds));
        });
}

void TravelDisplay::askForTime()
{
    TimeTravel& travel = m_parts.shown.travel();
    if (!m_feed.span()) {
        m_parts.statusLine.say(u"There is no recording of this server yet."_s);
        return;
    }
    auto* dialog = deletedOnClose(new GoToTimeDialog(*m_feed.span(), m_parts.centre.window()));
    connect(dialog, &GoToTimeDialog::chosen, &travel, &TimeTravel::goTo);
    dialog->open();
}

/// An invalid time is now.
void TravelDisplay::askForNote(ServerTime at)
{
    const record::RecordingClient* client = m_parts.shown.travel().client();
    if (!client)
        return;
    const QPointer<ServerSession> session = m_parts.shown.session();
    auto* dialog = deletedOnClose(new NoteDialog(
        *client, at.isValid() ? std::optional(at) : std::nullopt,
        [session](const record::NewNote& note) { return session && session->addNote(note); },
        m_parts.centre.window()));
    connect(dialog, &NoteDialog::noted, this, [this](const QString& text) {
        m_parts.statusLine.say(text);
        // The recorder writes on a thread of its own.
        QTimer::singleShot(noteIsWrittenWithin, &m_parts.centre.timeBar(), &TimeBar::refresh);
    });
    dialog->open();
}

void TravelDisplay::askForOtherTime(ServerTime first)
{
    if (!m_feed.span())
        return;
    auto* dialog = deletedOnClose(new GoToTimeDialog(*m_feed.span(), m_parts.centre.window()));
    dialog->setPurpose(u"Compare %1 with another time"_s.arg(shortDateTimeText(first)), u"&Compare"_s,
        u"recording.md#two-snapshots-side-by-side"_s);
    connect(dialog, &GoToTimeDialog::chosen, this,
        [this, first](ServerTime second) { Q_EMIT differencesRequested(first, second); });
    dialog->open();
}

/// Once for each server that comes on view, and polls of it.
void TravelDisplay::startCharts()
{
    const ServerSession* session = m_parts.shown.session();
    if (!session || session == m_started || !session->monitor().snapshot())
        return;
    m_started = session;
    m_recorded.show(session->monitor().snapshot());
}

void TravelDisplay::showPastView()
{
    const TimeTravel& travel = m_parts.shown.travel();
    const ServerSession* session = m_parts.shown.session();
    startCharts();
    m_history.show(travel.isOn() ? travel.snapshot() : SnapshotPtr());
    const monitor::History* history = travel.isOn() ? &m_history.history()
        : session                                   ? &session->history()
                                                    : nullptr;
    if (history != m_shownHistory) {
        m_shownHistory = history;
        if (m_overview)
            m_overview->setHistory(history, travel.isOn());
    }
    showMark();
    Q_EMIT timeShown();
}

void TravelDisplay::showMark()
{
    m_parts.mark.show(m_parts.shown.travel(), ago());
}

void TravelDisplay::noteNews()
{
    const ServerSession& session = *m_parts.shown.session();
    bool isWritten = false;
    if (const record::Recorder* recorder = session.recorder()) {
        const record::RecorderState state = recorder->state();
        isWritten = state.settings.on && !state.error;
    }
    m_feed.noteNews(isWritten ? std::optional(session.monitor().snapshot()->takenAt) : std::nullopt);
}

QString TravelDisplay::ago() const
{
    const TimeTravel& travel = m_parts.shown.travel();
    const ServerSession* session = m_parts.shown.session();
    if (!travel.isOn() || !travel.snapshot() || !session)
        return {};
    // The server's clock is unknown for a file: this machine's is near enough for that.
    ServerTime now = ownClock();
    if (const SnapshotPtr latest = session->monitor().snapshot())
        now = latest->takenAt + session->dataAge();
    const auto passed = std::chrono::duration_cast<milliseconds>(now - travel.clock());
    return passed < 0ms ? QString() : durationInWords(passed);
}

void TravelDisplay::showTimeBar()
{
    const ServerSession* session = m_parts.shown.session();
    const bool can = session && m_feed.hasRecording();
    m_parts.context.setRecording(can ? m_parts.shown.travel().client() : nullptr);
    m_parts.centre.trouble().setRecorded(can && !session->recording());
    m_parts.centre.timeBar().setVisible(can && m_parts.topBar.isTimeBarShown());
    QString reason;
    if (!session)
        reason = u"No server is on view."_s;
    else if (!can)
        reason = m_feed.error() && record::isDamage(*m_feed.error()) ? m_feed.error()->what
            : m_feed.error() ? u"There is no recording of this server yet. %1"_s.arg(m_feed.error()->what)
                             : u"There is no recording of this server yet."_s;
    m_parts.topBar.setReasonAgainstTimeBar(reason);
}

} // namespace lockscope::ui
