// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/record/RecordingClient.h"
#include "core/record/SnapshotSearch.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace lockscope::ui {

/// The time of the shown server's recording that is on view, if it is not the present. Finds snapshots on
/// another thread, one at a time: of further requests meanwhile only the newest is kept. GUI thread.
class TimeTravel : public QObject {
    Q_OBJECT

public:
    /// The source of snapshots.
    struct Source {
        QString place; ///< empty: there is nothing to travel in
        bool isFile = false; ///< a recording that was opened: it has no present to go back to
        record::Identity of = {}; ///< the server that it must be of; without a name: of any
        db::PasswordProvider passwords = {}; ///< of a history: empty = db::defaultPasswords()
        record::RecordingClient::DamageSink damaged = {}; ///< called for the file's writer; may be empty
    };

    explicit TimeTravel(QObject* parent = nullptr);

    /// Sets the server on view, or none. Of a recording the last snapshot is requested.
    void setSource(const Source& source);
    const Source& source() const { return m_source; }
    /// Returns a client for requests that may take long: on another thread than that of the snapshots. Null:
    /// there is no recording.
    record::RecordingClient* client() const { return m_longQuestions.get(); }

    /// False: the present is on view.
    bool isOn() const { return m_source.isFile || m_snapshot; }
    SnapshotPtr snapshot() const { return m_snapshot; } ///< null: none could be read yet
    /// The time that was asked for last; nothing: live.
    std::optional<ServerTime> position() const { return m_position; }
    /// snapshot() is that of position(), not of the one before.
    bool isFound() const { return m_isFound; }
    /// Returns the time that ages count to: that of the snapshot; while it plays, on from there.
    ServerTime clock() const;
    /// Returns the gap that the position lies in.
    const std::optional<record::Coverage::Gap>& gap() const { return m_gap; }
    QString gapText() const { return m_gapText; } ///< FoundSnapshot::gapText()
    /// Returns why the position can't be shown; snapshot() is the one that was shown before, or null.
    const std::optional<Error>& error() const { return m_error; }
    double speed() const { return m_speed; } ///< 0: it stands still
    /// True if the last snapshot of an opened recording is on view.
    bool isAtEnd() const { return m_source.isFile && m_snapshot && m_snapshot->takenAt == m_end; }
    /// Notes the newest snapshot of the present, from which steps go back.
    void notePresent(ServerTime present) { m_present = present; }

    void goTo(ServerTime at);
    void step(int count);
    /// Goes to the next, or the previous, of the landmarks that were chosen.
    void goToLandmark(bool next);
    const record::LandmarkChoice& landmarks() const { return m_landmarks; }
    void setLandmarks(const record::LandmarkChoice& landmarks) { m_landmarks = landmarks; }
    /// 1 to 100 times as fast as it happened; 0 stops.
    void play(double speed);
    void goLive();

Q_SIGNALS:
    void sourceChanged();
    void positionChanged();
    void pastViewChanged(); ///< snapshot(), error(), gap() or isOn()
    void clockChanged(); ///< of the same snapshot, or it is that of another position, too
    void playingChanged();
    void said(const QString& text); ///< for the status line

private:
    using Request = record::SnapshotRequest;
    void request(const Request& request);
    void ask(const Request& request);
    void take(const Request& request, const Result<record::FoundSnapshot>& found);
    void show(const record::FoundSnapshot& found);
    void sayThatThereIsNone(const Request& request);
    void skipGap();
    ServerTime base() const;
    void setPosition(std::optional<ServerTime> position);
    void goOn();

    Source m_source;
    std::unique_ptr<record::RecordingClient> m_snapshots;
    std::unique_ptr<record::RecordingClient> m_longQuestions;
    std::optional<ServerTime> m_position;
    SnapshotPtr m_snapshot;
    bool m_isFound = false;
    std::optional<record::Coverage::Gap> m_gap;
    QString m_gapText;
    std::optional<Error> m_error;
    ServerTime m_present;
    ServerTime m_end; ///< of a recording that was opened
    record::LandmarkChoice m_landmarks;

    bool m_isAsking = false;
    std::optional<Request> m_next; ///< once the one under way is answered
    quint64 m_generation = 0; ///< answers of a former one are dropped

    double m_speed = 0;
    QTimer m_playTimer;
    ServerTime m_playedFrom;
    std::chrono::steady_clock::time_point m_playedSince;
};

/// "the beginning of a wait, deadlocks, alerts".
QString landmarksText(record::Landmarks kinds);
/// Each landmark, with what the menu calls it.
const std::vector<std::pair<record::Landmark, QString>>& landmarkNames();

} // namespace lockscope::ui
