// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Recordings and the time on view: a part of MainWindow.

#include "core/base/ShownText.h"
#include "core/record/ParseTime.h"
#include "core/record/Recorder.h"
#include "core/record/postgres/HistoryStore.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/shell/servers/RecordingOpener.h"
#include "ui/shell/servers/Recordings.h"
#include "ui/shell/servers/Servers.h"
#include "ui/shell/servers/ShownServer.h"
#include "ui/shell/window/CentralArea.h"
#include "ui/shell/window/MainWindow.h"
#include "ui/shell/window/ServerNotices.h"
#include "ui/shell/window/StatusLine.h"
#include "ui/views/history/HistoryDialog.h"
#include "ui/views/page/DateTimeText.h"

#include <QSettings>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

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

} // namespace lockscope::ui
