// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/alert/rules/RuleFile.h"
#include "core/base/Worker.h"
#include "core/record/RecordingReader.h"
#include "core/record/StoredEvents.h"
#include "core/watch/IncidentStore.h"
#include "ui/kit/tables/ReportTable.h"

#include <QObject>
#include <QPointer>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>

namespace lockscope::record {
class RecordingClient;
}

namespace lockscope::ui {

/// The incidents, mutes and rules at one time, as the store and the rules file have them.
struct IncidentList {
    watch::ListedIncidents incidents; ///< those that are over were resolved within the last week
    QList<alert::Mute> mutes; ///< in force, or ended within the last week
    alert::RuleSet rules; ///< the account's, and those that come with the program
    std::optional<Error> rulesError; ///< why the account's can't be read; then `rules` has none of them
    QList<watch::IncidentStore::QueueState> queue; ///< of channels
};
using IncidentListPtr = std::shared_ptr<const IncidentList>;

/// The things around one incident that the list leaves out.
struct IncidentPast {
    struct Similar {
        alert::Incident incident;
        QStringList acts; ///< what somebody did about it
    };
    QList<watch::IncidentStep> steps;
    QList<Similar> similar; ///< resolved ones of the same cause, the newest first
};

/// The store of incidents for the window: polls it about each second, and at once after own changes. All
/// access is on another thread; GUI thread.
class IncidentBook : public QObject {
    Q_OBJECT

public:
    /// The files of the store and of the rules. Empty: the account's own.
    explicit IncidentBook(const QString& store = {}, const QString& rules = {}, QObject* parent = nullptr);
    ~IncidentBook() override;

    /// Returns the list that was read last; null: none could be read yet.
    const IncidentListPtr& list() const { return m_list; }
    /// Returns why the store can't be read at present; nothing: it can.
    const std::optional<Error>& error() const { return m_error; }
    /// The text of tables without rows while the list is not read, or can't be.
    struct UnreadText {
        QString title;
        QString hint;
    };
    std::optional<UnreadText> unreadText() const; ///< nothing: it is read

    void acknowledge(qint64 incident, const QString& why);
    void mute(alert::Mute mute); ///< its author is this account
    void unmute(qint64 mute);
    /// Adds to the steps of an incident what somebody did about it; `what` is a sentence.
    void noteAct(qint64 incident, const QString& what);
    /// Changes the account's rules file. `show(Result<void>)` follows, unless `context` is gone by then; it
    /// stands for failed().
    void changeRules(const alert::RuleFileChange& change, QObject* context = nullptr,
        std::function<void(const Result<void>&)> show = {});
    /// `show(incident, Result<IncidentPast>)` follows, unless `context` is gone by then.
    template <class Show> void readPast(QObject* context, const alert::Incident& incident, Show show)
    {
        m_worker.ask(
            context, [desk = m_desk, incident](const std::stop_token&) { return pastOf(*desk, incident); },
            [id = incident.id, show](const Result<IncidentPast>& past) { show(id, past); });
    }

    static constexpr milliseconds pollEvery{1'000};

Q_SIGNALS:
    void changed(); ///< list() or error()
    void done(const QString& message); ///< an own change
    void failed(const lockscope::Error& error); ///< an own change was not made

private:
    struct Desk; ///< of the worker's thread
    using Change = std::function<Result<void>(Desk&)>;
    static Result<watch::IncidentStore*> storeOf(Desk& desk);
    static Result<IncidentListPtr> readIfChanged(Desk& desk);
    static Result<IncidentPast> pastOf(Desk& desk, const alert::Incident& incident);
    void poll();
    void take(const Result<IncidentListPtr>& read);
    void changeStore(std::function<Result<void>(watch::IncidentStore&)> act, const QString& message);
    void change(Change change, const QString& message, const QPointer<QObject>& context = {},
        const std::function<void(const Result<void>&)>& show = {});

    std::shared_ptr<Desk> m_desk;
    Worker m_worker;
    QTimer m_pollSoon;
    IncidentListPtr m_list;
    std::optional<Error> m_error;
};

/// An incident that a recording tells of, and who found it. What is not here, a recording does not keep.
struct FoundIncident {
    record::RecordedIncident incident;
    QString server;
    QString finder; ///< "the program that recorded it on web-3"
    /// Returns the earliest time at which the recording tells of it.
    ServerTime at() const { return incident.steps.first().at; }
};

/// The incidents of the recording on view, of any program: first those without an end, the worst and
/// newest on top, then the others, the newest first. They are read whenever somebody opens the list.
class RecordedIncidentsView : public ReportTable {
    Q_OBJECT

public:
    explicit RecordedIncidentsView(QWidget* parent = nullptr);

    /// Sets the recording on view, which outlives its use here. Null: none is.
    void setRecording(record::RecordingClient* recording);
    /// Returns why the list has not all incidents of the recording, as sentences; empty: it has.
    const QStringList& missing() const { return m_missing; }

Q_SIGNALS:
    void changed(); ///< the chosen row or missing()

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Read {
        record::Identity identity;
        record::Span span;
        QList<FoundIncident> incidents;
        QStringList missing;
    };
    static Result<Read> readAll(record::RecordingReader& reader);
    void read();
    void take(const Result<Read>& read);

    record::RecordingClient* m_recording = nullptr;
    QStringList m_missing;
};

} // namespace lockscope::ui
