// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/incidents/IncidentActs.h"
#include "ui/views/incidents/IncidentBook.h"
#include "ui/views/incidents/RecordedIncidentsView.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QSplitter;
class QTextBrowser;

namespace lockscope::ui {

class ActAnswer;
class IncidentExportButton;

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
    void arrange();
    void showTexts();
    void showRecordedTexts();
    void showButtons();
    void showRecordedButtons();
    void aim();

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
