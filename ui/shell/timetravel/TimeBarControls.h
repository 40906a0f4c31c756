// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ServerTime.h"
#include "core/record/SnapshotSearch.h"

#include <QList>
#include <QWidget>

#include <optional>

class QAction;
class QActionGroup;
class QMenu;
class QToolButton;

namespace lockscope::ui {

/// The buttons of a time bar, left of its strip: to landmarks, play and how fast, closer and further away.
class TimeBarControls : public QWidget {
    Q_OBJECT

public:
    explicit TimeBarControls(QWidget* parent = nullptr);

    void setPlaying(double speed); ///< 0: stands still
    /// The next one up or down; asks for it while it plays.
    void changeSpeed(int steps);
    void togglePlay() { Q_EMIT playRequested(m_isPlaying ? 0 : m_speed); }
    void setLandmarks(record::Landmarks kinds);
    /// Texts become icons.
    void setNarrow(bool narrow);

    static const QList<double>& speeds();

Q_SIGNALS:
    void landmarkRequested(bool next);
    void landmarksChosen(lockscope::record::Landmarks kinds);
    void timeRequested();
    void searchRequested();
    void playRequested(double speed); ///< 0: stop
    void zoomRequested(bool closer);
    void lastRequested(std::optional<std::chrono::microseconds> length); ///< nothing: all there is

private:
    QToolButton* button(
        const QString& name, const QString& iconName, const QString& text, const QString& tip);
    void setSpeed(double speed);
    void addLandmarks(QMenu& menu);

    QToolButton* m_previous;
    QToolButton* m_play;
    QToolButton* m_next;
    QToolButton* m_speedButton;
    QToolButton* m_length;
    QActionGroup* m_speedChoice;
    QList<QAction*> m_landmarks; ///< one for each, in the menu of m_length
    double m_speed = 1;
    bool m_isPlaying = false;
};

} // namespace lockscope::ui
