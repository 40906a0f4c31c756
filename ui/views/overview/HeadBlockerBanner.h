// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/BlockingGraph.h"
#include "core/domain/Snapshot.h"
#include "core/domain/Thresholds.h"
#include "ui/views/overview/NextHeads.h"

#include <QFrame>

#include <optional>

class QLabel;
class QPushButton;

namespace lockscope::ui {

class ActAnswer;
class AppContext;
class FrameworkBadge;

/// The head blocker that does the most harm, to be read from two metres: who it is, how many it blocks, why
/// it stands there, whether it can be ended from here, and the buttons that follow from it. Says so when
/// nobody is blocked, and how many deadlocks there were lately.
class HeadBlockerBanner : public QFrame {
    Q_OBJECT

public:
    explicit HeadBlockerBanner(AppContext& context, QWidget* parent = nullptr);

    /// Null = nothing has been read yet.
    void say(const SnapshotPtr& snapshot, const LockThresholds& thresholds);
    void setOld(bool old); ///< it may be over by now: grey, no buttons
    void setDeadlocks(int lastHour);

    /// The causes that the banner has no space for, worst first. Heads other than the worst are not among
    /// them.
    const std::vector<OtherCause>& others() const { return m_others; }
    bool namesHead() const { return m_said.isHead; } ///< the worst one
    /// The session named, if it is among the snapshot's.
    const std::optional<Session>& head() const { return m_head; }

Q_SIGNALS:
    void chainRequested();
    void entryRequested(const LockTableKey& entry);
    void deadlocksRequested();
    void endRequested(const lockscope::Session& session);
    void copied(const QString& message); ///< for the status line

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Said {
        QString title;
        QString reason{};
        QString remedy{};
        AgeLevel level = AgeLevel::Normal;
        bool blocked = false;
        std::optional<LockTableKey> entry =
            {}; ///< the lock-table name that is waited for; none = there is a chain
        FrameworkMatchPtr framework = {}; ///< of the lock
        bool isHead = false;
        bool isPartial = false; ///< nobody is seen blocked, but locks may be hidden
    };
    static std::vector<Said> causesIn(const Snapshot& snapshot, const LockThresholds& thresholds);
    static Said ofHead(
        const Snapshot& snapshot, const BlockingGraph::Head& head, const LockThresholds& thresholds);
    static Said ofRing(
        const Snapshot& snapshot, const std::vector<SessionId>& ring, const LockThresholds& thresholds);
    static Said ofQueue(
        const Snapshot& snapshot, const LockTableQueue& queue, const AgeThresholds& thresholds);
    static Said ofLeftBehind(const Snapshot& snapshot, const LockTableEntry& entry);
    void showButtons();
    void leaveActs();
    void showAnswer();
    void copyStatement();
    void showTexts();
    void putTitle();

    AppContext& m_context;
    QLabel* m_sign;
    QLabel* m_title;
    QLabel* m_reason;
    FrameworkBadge* m_badge;
    QPushButton* m_deadlocks; ///< "4 deadlocks in the last hour"; hidden: none
    QPushButton* m_chain;
    QPushButton* m_end;
    QPushButton* m_copy; ///< the statement that ends it, where that can't be done from here
    QWidget* m_foot; ///< a line for what can't be done from here, and for what works
    QLabel* m_answerText;
    ActAnswer* m_answer;
    Said m_said;
    std::vector<OtherCause> m_others;
    std::optional<Session> m_head;
    std::optional<Session> m_aimedAt; ///< when a button went down: another may be the head when it comes up
    bool m_old = false;
};

} // namespace lockscope::ui
