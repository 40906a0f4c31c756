// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/alert/AlertEngine.h"
#include "core/alert/Incident.h"
#include "core/db/ServerProfile.h"
#include "core/domain/Snapshot.h"
#include "ui/kit/widgets/SaveDialog.h"
#include "ui/views/incidents/IncidentBook.h"

#include <QWidget>

#include <optional>

class QLabel;
class QPushButton;
class QSplitter;
class QTextBrowser;

namespace lockscope::ui {

class ActAnswer;
class AppContext;

/// "Critical · shop · since 12:03:04 UTC, for 4 min 05 s · 12 sessions wait, 25 at worst · cost: 45 min".
/// Plain.
QString incidentFacts(const alert::Incident& incident);
/// Returns why it fires, what resolves it, who it is and the chain at its worst, as HTML. `advice`: of its
/// rules, for people.
QString incidentStory(const alert::Incident& incident, const QStringList& advice);
/// Returns its steps and similar ones of the past, as HTML.
QString incidentHistory(const alert::Incident& incident, const IncidentPast& past);

// The same of an incident that a recording tells of; what recordings don't keep is named.
QString recordedFacts(const FoundIncident& found);
QString recordedStory(const FoundIncident& found);
QString recordedHistory(const FoundIncident& found);
/// Returns who found it, and that it is acknowledged and muted there.
QString reasonAgainstHandling(const FoundIncident& found);

/// "Pending: “long wait” on shop fires in 12 s unless it clears." The first of several; empty: none.
QString pendingText(const QList<alert::PendingAlert>& pending);
/// Each in a line, with what it is about.
QString pendingList(const QList<alert::PendingAlert>& pending);

/// The head blocker of an incident as the newest poll of the server on view has it.
struct HeadOnView {
    std::optional<Session> session; ///< exactly the incident's, by number and start
    QString reasonAgainst; ///< why there is none, or why it can't be acted on
};
/// `snapshot` is on view, null if there is none; `isOld`: it may be over by now.
HeadOnView headOnView(
    const alert::Incident& incident, const AppContext& context, const SnapshotPtr& snapshot, bool isOld);

/// True if the incident is of the server at that place, record::serverPlace().
bool isOfServer(const alert::Incident& incident, const QString& place);
/// Returns an empty text if the server of that name, as incidents have it, is on view; else why not.
QString reasonAgainstServer(const alert::Incident& incident, const AppContext& context);
/// Returns an empty text if the time of the incident's worst poll can be shown.
QString reasonAgainstPast(const alert::Incident& incident, const AppContext& context);

/// A menu of the forms in which an incident can be given to colleagues, with what was recorded around it.
class IncidentExportButton : public ExportMenu {
    Q_OBJECT

public:
    explicit IncidentExportButton(QWidget* parent = nullptr);

    /// Enabled once both are there.
    void show(const std::optional<alert::Incident>& incident, const std::optional<IncidentPast>& past);
    /// Emits `statusMessage`. `withStatements`: else those are left out.
    void exportTo(Form form, bool withStatements, const QString& path);

private:
    void ask(Form form, bool withStatements);
    Content content(Form form, bool withStatements) const;

    std::optional<alert::Incident> m_incident;
    IncidentPast m_past;
};

/// One incident: what it is and costs, what resolves it with the button that does it, the chain at its worst,
/// what happened to it, and similar ones of the past.
class IncidentView : public QWidget {
    Q_OBJECT

public:
    explicit IncidentView(AppContext& context, QWidget* parent = nullptr);

    /// Nothing: none is selected. `advice`: the texts of its rules.
    void show(const std::optional<alert::Incident>& incident, const QStringList& advice);
    /// Shows one that a recording tells of, in place of that.
    void showRecorded(const FoundIncident& found);
    /// Shows the answer to a request for the incident of that number; one that is not on view is dropped.
    void showPast(qint64 incident, const Result<IncidentPast>& past);
    /// The session at the head as the newest poll has it, for the buttons.
    void showHead(const HeadOnView& head);
    /// Presses the button that ends the head's session, if it can be pressed (Del).
    void pressEnd();

Q_SIGNALS:
    void endRequested(const lockscope::Session& session);
    void cancelRequested(const lockscope::Session& session);
    void timeTravelRequested(lockscope::ServerTime at);
    void statusMessage(const QString& text);

private:
    void showTexts();
    void showButtons();
    void aim() { m_aimedAt = m_head.session; }

    AppContext& m_context;
    QLabel* m_title;
    QLabel* m_facts;
    QPushButton* m_end;
    QPushButton* m_cancel;
    QPushButton* m_past;
    IncidentExportButton* m_export;
    QLabel* m_answerText; ///< why a button can't be pressed, or what to know before
    QSplitter* m_halves;
    QTextBrowser* m_story;
    QTextBrowser* m_history;
    ActAnswer* m_answer;
    std::optional<alert::Incident> m_incident;
    std::optional<FoundIncident> m_recorded; ///< then there is no m_incident
    QStringList m_advice;
    HeadOnView m_head;
    std::optional<Session> m_aimedAt; ///< when a button went down: another may be the head when it comes up
    std::optional<Result<IncidentPast>> m_read;
};

} // namespace lockscope::ui
