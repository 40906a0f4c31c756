// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/shell/timetravel/TimeBarControls.h"
#include "ui/shell/timetravel/TimeBarStrip.h"

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
    void setPlaying(double speed) { m_controls->setPlaying(speed); }
    /// Sets from when on the longest wait is amber, and red.
    void setThresholds(const AgeThresholds& wait) { m_strip->setThresholds(wait); }
    /// Sets the incidents of the server on view.
    void setIncidents(const QList<TimeBarIncident>& incidents) { m_strip->setIncidents(incidents); }
    /// Sets the landmarks for the buttons and keys for the next and the previous one.
    void setLandmarks(record::Landmarks kinds) { m_controls->setLandmarks(kinds); }
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
    void addKeys();
    void showMenu(const QPoint& place, ServerTime at);
    void togglePlay(double speed);
    void showState();

    TimeBarControls* m_controls;
    TimeBarStrip* m_strip;
    QToolButton* m_live;
    QList<QAction*> m_keys; ///< of use when there is something to see
};

} // namespace lockscope::ui
