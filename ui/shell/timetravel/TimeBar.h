// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/record/SnapshotSearch.h"
#include "ui/shell/timetravel/TimeBarStrip.h"

class QActionGroup;
class QMenu;
class QToolButton;

namespace lockscope::ui {

/// The time of a recording under the pages: who waited when, the events, the gaps, and the time on view. It
/// shows and asks; its owner reads the recording, moves the position and plays. Times are the server's.
class TimeBar : public QWidget {
    Q_OBJECT

public:
    explicit TimeBar(QWidget* parent = nullptr);

    /// Takes the data of a range that it requested, in any order: newer data is taken in, too. A part of the
    /// range on view replaces that part only.
    void setData(const TimeBarData& answer) { m_strip->setData(answer); }
    /// All there is. While the right end is on view in live, it follows.
    void setSpan(ServerTime first, ServerTime last);
    /// Forgets all that: another server is on view.
    void clear();
    /// Sets the requested time; nothing: live. `shown`: the snapshot on view, the last one up to then, is
    /// described in its place.
    void setPosition(std::optional<ServerTime> position, std::optional<ServerTime> shown = {});
    std::optional<ServerTime> position() const { return m_strip->position(); }
    /// False for a file of another time: there is no present to go back to.
    void setLiveAvailable(bool available);
    /// The two marks.
    std::optional<std::pair<ServerTime, ServerTime>> range() const { return m_strip->range(); }
    void setRange(std::optional<std::pair<ServerTime, ServerTime>> range) { m_strip->setRange(range); }
    /// 0: stands still.
    void setPlaying(double speed);
    /// Sets from when on the longest wait is amber, and red.
    void setThresholds(const AgeThresholds& wait) { m_strip->setThresholds(wait); }
    /// Sets the incidents of the server on view.
    void setIncidents(const QList<TimeBarIncident>& incidents) { m_strip->setIncidents(incidents); }
    /// Sets the landmarks for the buttons and keys for the next and the previous one.
    void setLandmarks(record::Landmarks kinds);
    /// Shows a message in place of the strip as long as there is nothing to show: "Nothing recorded yet";
    /// else a note on it: "Not recorded: the disk is full". Empty: none.
    void setMessage(const QString& message) { m_strip->setMessage(message); }

    /// Asks for the data on view again: something was put into what is recorded already.
    void refresh() { m_strip->refresh(); }
    /// Returns the range on view.
    std::pair<ServerTime, ServerTime> visibleRange() const;
    void showRange(ServerTime from, ServerTime to) { m_strip->showRange(from, to); }

Q_SIGNALS:
    /// Give it data of that. It may be the end only of what is on view. Of several without an answer only the
    /// newest needs one.
    void visibleRangeChanged(lockscope::ServerTime from, lockscope::ServerTime to, int columns);
    void positionChosen(lockscope::ServerTime at); ///< dragged, clicked, keyed
    void stepRequested(int count); ///< that many recorded snapshots later; negative: earlier
    void liveRequested();
    void landmarkRequested(bool next); ///< else the previous one
    void landmarksChosen(lockscope::record::Landmarks kinds); ///< landmarkRequested() goes to these
    void timeRequested(); ///< "Go to time…"
    void searchRequested(); ///< "Search…"
    void noteRequested(lockscope::ServerTime at); ///< "Note at this time…"; invalid: now
    void differencesRequested(lockscope::ServerTime at); ///< "Compare with another time…"
    void playRequested(double speed); ///< 0: stop
    void rangeChanged(); ///< marks were set, moved or removed
    void rangeReportRequested(); ///< "What happened in this range"
    void compareRequested(); ///< "Compare with another range"
    void clipRequested(); ///< "Save as a clip…"

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QToolButton* button(
        const QString& name, const QString& iconName, const QString& text, const QString& tip);
    void placeButtons();
    void addSpeeds();
    void addLandmarks(QMenu& menu);
    void addKeys();
    void showMenu(const QPoint& place, ServerTime at);
    void setSpeed(double speed);
    void changeSpeed(int steps); ///< to the next one up or down
    void play(double speed); ///< 0: stop
    void togglePlay() { play(m_isPlaying ? 0 : m_speed); }
    void showState();

    QWidget* m_buttons; ///< left of the strip: to landmarks, play and how fast, closer and further away
    QToolButton* m_previous;
    QToolButton* m_play;
    QToolButton* m_next;
    QToolButton* m_speedButton;
    QToolButton* m_length;
    TimeBarStrip* m_strip;
    QToolButton* m_live;
    QActionGroup* m_speedChoice;
    QList<QAction*> m_landmarks; ///< one for each, in the menu of m_length
    QList<QAction*> m_keys; ///< of use when there is something to see
    double m_speed = 1;
    bool m_isPlaying = false;
};

} // namespace lockscope::ui
