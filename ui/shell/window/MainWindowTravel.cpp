// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/alert/EventFinder.h"
#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/record/Recorder.h"
#include "core/record/Recording.h"
#include "core/record/RecordingClient.h"
#include "core/record/RecordingReader.h"
#include "core/record/StoredEvents.h"
#include "core/record/postgres/HistoryStore.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/shell/servers/Recordings.h"
#include "ui/shell/servers/Servers.h"
#include "ui/shell/servers/ShownServer.h"
#include "ui/shell/timetravel/TimeTravel.h"
#include "ui/shell/window/CentralArea.h"
#include "ui/shell/window/MainWindow.h"
#include "ui/shell/window/ServerNotices.h"
#include "ui/shell/window/SideBar.h"
#include "ui/shell/window/StatusLine.h"
#include "ui/views/deadlocks/DeadlocksPage.h"
#include "ui/views/history/HistoryDialog.h"
#include "ui/views/page/AppContext.h"

#include <QSettings>

#include <limits>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

// Recordings and the time on view: a part of MainWindow.

void MainWindow::openRecording(const QString& place, const QString& at)
{
    db::PasswordProvider passwords;
    if (const auto history = record::HistoryPlace::parse(place);
        record::HistoryPlace::isOne(place) && history)
        passwords = m_recorded->historyPasswords(history->server.profile.url.toString());
    m_recordings->open(place, at, passwords);
}

/// A typed password for a history counts for this run; it is kept once the history has taken it.
void MainWindow::askForHistory()
{
    const QString asked = u"history/url"_s;
    const QString url = m_settings.value(asked, m_preferences.recording.history).toString();
    auto* dialog = deletedOnClose(new HistoryDialog(
        url, [this](const QString& of) { return m_recorded->historyPasswords(of); }, m_options.keychain,
        this));
    connect(dialog, &HistoryDialog::passwordEntered, this, [this](HistoryPassword typed) {
        typed.keep = false;
        m_recorded->logIn(typed);
    });
    connect(dialog, &HistoryDialog::passwordTaken, this, [this](const HistoryPassword& typed) {
        if (const auto history = db::ServerUrl::parse(typed.url); history && typed.keep)
            m_servers->keepPasswordOf(*history, typed.password);
    });
    connect(dialog, &HistoryDialog::chosen, this, [this, dialog, asked](const QString& place) {
        m_settings.setValue(asked, dialog->url());
        openRecording(place);
    });
    dialog->open();
    if (!url.isEmpty())
        dialog->look();
}

/// One that was open already is opened again: it may have grown, or be another file by now.
void MainWindow::showRecording(const OpenedRecording& recording, const QString& at)
{
    m_statusLine->say({});
    if (const int row = m_servers->rowOfRecording(recording.place); row >= 0)
        m_servers->remove(row);
    m_shown->show(m_servers->adopt(new ServerSession(recording)));
    if (at.isEmpty() || recording.error)
        return;
    if (const auto moment = record::parseTime(at, recording.span.last, record::TimeEnd::Last))
        m_shown->travel().goTo(*moment);
    else
        m_statusLine->say(moment.error().toString());
}

/// Nobody has asked for it: said until somebody says that it was read. The button that turns it off stays.
void MainWindow::sayThatItIsRecorded()
{
    const record::Recorder* recorder = session() ? session()->recorder() : nullptr;
    m_centre->notices().showRecorded(
        recorder && recorder->state().settings.on && !m_settings.value(recordingAnnounced).toBool());
}

void MainWindow::showTitle()
{
    if (!session()) {
        setWindowTitle(u"Lockscope"_s);
        return;
    }
    QString name = markedName(session()->profile());
    if (m_shown->travel().isOn() && m_shown->snapshot())
        name += u" at %1, past"_s.arg(shortDateTimeText(m_shown->snapshot()->takenAt));
    setWindowTitle(u"%1 – Lockscope"_s.arg(inOneLine(name)));
}

SnapshotPtr MainWindow::snapshot() const
{
    return m_shown->snapshot();
}

std::optional<Error> MainWindow::error() const
{
    if (!session())
        return std::nullopt;
    if (session()->recording() && session()->recording()->error)
        return session()->recording()->error;
    return m_shown->travel().isOn() ? m_shown->travel().error() : session()->monitor().lastError();
}

namespace {

constexpr ServerTime everAfter{std::numeric_limits<qint64>::max()};

/// Counts what can't be read, and keeps the first reason.
class Unreadable {
public:
    void note(const Error& error)
    {
        if (m_count++ == 0)
            m_why = error.what;
    }
    /// Adds a sentence if there is something to tell.
    void addTo(QStringList& sentences, QStringView one, QStringView many) const
    {
        if (m_count > 0)
            sentences << u"%1 can't be read: %2"_s.arg(counted(m_count, one, many), m_why);
    }

private:
    int m_count = 0;
    QString m_why;
};

/// Reads the server's reports, and the rings that polls saw: of those the newest, because each is found in a
/// snapshot of its own.
Result<DeadlockBook::Recorded> recordedDeadlocks(record::RecordingReader& reader, const QString& server)
{
    constexpr int maxSeen = 200;
    const auto recorded = reader.reports({}, everAfter);
    if (!recorded)
        return Failure(recorded.error());
    DeadlockBook::Recorded all;
    Unreadable unreadable;
    for (const record::RecordedReport& each : *recorded)
        if (const auto reports = record::reportsOf(each))
            all.reports << DeadlockList::rowsOfReports(*reports, server);
        else
            unreadable.note(reports.error());
    unreadable.addTo(all.missing, u"report of the server", u"reports of the server");
    unreadable = {};
    const auto events = reader.latestEvents(record::Event::Kind::Deadlock);
    if (!events)
        return Failure(events.error());
    all.missing << record::missingAmong(*events);
    QList<deadlock::ReportPtr> seen;
    qint64 leftOut = 0;
    for (auto event = events->crbegin(); event != events->crend(); ++event) {
        if (!event->sourceKey.startsWith(alert::EventFinder::ringKey))
            continue;
        if (seen.size() == maxSeen) {
            ++leftOut;
            continue;
        }
        const auto snapshot = reader.at(event->at);
        if (!snapshot)
            unreadable.note(snapshot.error());
        else if (const auto ring = deadlock::fromSnapshot(**snapshot))
            seen.prepend(ring);
    }
    unreadable.addTo(all.missing, u"snapshot with a deadlock", u"snapshots with a deadlock");
    if (leftOut > 0)
        all.missing << u"%1 left out: the latest %2 are shown."_s.arg(
            counted(leftOut, u"earlier deadlock that polls saw is", u"earlier deadlocks that polls saw are"),
            QString::number(maxSeen));
    all.reports << DeadlockList::rowsOfReports(seen, server);
    return all;
}

} // namespace

/// Its deadlocks are those of all servers that are open, whichever is on view.
void MainWindow::addDeadlocksPage()
{
    m_deadlocks = new DeadlockBook(this);
    const int place = addPage(DeadlocksPage::pageName, u"deadlocks"_s, [this] {
        auto* const page = new DeadlocksPage(m_context, *m_deadlocks, this);
        connect(page, &DeadlocksPage::timeTravelRequested, &m_shown->travel(), &TimeTravel::goTo);
        return page;
    });
    connect(m_deadlocks, &DeadlockBook::unseenChanged, this, [this, place](int unseen) {
        m_sideBar->setPageBadge(place, unseen > 0 ? QString::number(unseen) : QString(),
            unseen == 0 ? QString() : counted(unseen, u"new deadlock"));
    });
    connect(m_servers, &Servers::opened, this, [this](ServerSession* from) {
        connect(from, &ServerSession::snapshotChanged, this, [this, from] {
            m_deadlocks->noteSnapshot(*from->monitor().snapshot(), from->profile().display());
        });
        connect(from, &ServerSession::deadlocksPolled, this, [this, from] {
            const deadlock::DeadlockWatch& watch = *from->deadlocks();
            const ServerTime since = from->deadlocksSince();
            m_deadlocks->noteRecords({.since = since,
                                         .readFrom = since - ServerSession::deadlocksBefore,
                                         .latest = watch.latest(),
                                         .cost = watch.cost()},
                from->profile().display());
        });
    });
    // When the source changes, the context is still that of the server before.
    connect(m_shown, &ShownServer::changed, this, &MainWindow::readRecordedDeadlocks);
    connect(&m_shown->travel(), &TimeTravel::pastViewChanged, this, &MainWindow::readRecordedDeadlocks);
    auto* drop = new ReportDrop(*this);
    connect(drop, &ReportDrop::dropped, this, &MainWindow::openReports);
    connect(drop, &ReportDrop::pasted, this, &MainWindow::readPasted);
}

/// Elsewhere the key may have missed a text field: only what speaks of locks leads to the page.
void MainWindow::readPasted(const QString& text)
{
    const bool isOnPage = m_pages->current().id() == DeadlocksPage::pageName.id;
    if (!isOnPage && !text.contains(u"lock"_s, Qt::CaseInsensitive) && !text.contains(u"40P01"_s)) {
        m_statusLine->say(u"The clipboard has no report of a deadlock."_s);
        return;
    }
    deadlocksPage().pasteText(text);
    showPage(DeadlocksPage::pageName.id);
}

/// Reads them once for each recording on view, also in the present; the page shows those up to the time on
/// view.
void MainWindow::readRecordedDeadlocks()
{
    TimeTravel& travel = m_shown->travel();
    const QString place = travel.client() ? travel.source().place : QString();
    if (std::exchange(m_deadlocksReadFrom, place) == place || place.isEmpty())
        return;
    travel.client()->ask(
        m_deadlocks,
        [server = m_context.profile().display()](
            record::RecordingReader& reader) { return recordedDeadlocks(reader, server); },
        [this, place, server = m_context.profile().display()](const Result<DeadlockBook::Recorded>& result) {
            if (result || m_shown->travel().isOn())
                m_deadlocks->addRecorded(result, server);
            else if (m_deadlocksReadFrom == place)
                m_deadlocksReadFrom.clear(); // nothing is recorded yet; a past time asks again
        });
}

DeadlocksPage& MainWindow::deadlocksPage()
{
    return static_cast<DeadlocksPage&>(*m_pages->page(DeadlocksPage::pageName.id));
}

void MainWindow::openReports(const QStringList& paths)
{
    deadlocksPage().openFiles(paths);
    showPage(DeadlocksPage::pageName.id);
}

} // namespace lockscope::ui
