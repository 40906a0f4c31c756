// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/record/RecordingReader.h"
#include "core/record/StoredEvents.h"
#include "ui/kit/tables/ReportTable.h"

namespace lockscope::record {
class RecordingClient;
}

namespace lockscope::ui {

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
