// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/BlockingGraph.h"
#include "core/domain/LockTable.h"
#include "core/domain/Snapshot.h"
#include "core/domain/Thresholds.h"

#include <QFrame>
#include <QWidget>

#include <functional>
#include <optional>

class QBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace lockscope::ui {

class ActAnswer;
class AppContext;
class FrameworkBadge;

/// "12 more in the last minute"; empty if nobody came, or all came then: that is no growth but the beginning.
QString growthText(const Harm& harm);

/// A cause of waits beside the one that the banner tells of.
struct OtherCause {
    QString text;
    AgeLevel level = AgeLevel::Normal;
    std::optional<LockTableKey> entry; ///< none: a ring of sessions, on page Blocking
};

/// Stands below the banner: an act on a waiter that lets others go on while the head blocker keeps its
/// lock, the head blockers that come next after the worst one (who, how many, how long, how fast it grows),
/// and other causes. In one line if there is space. Hidden if there is nothing.
class NextHeads : public QWidget {
    Q_OBJECT

public:
    explicit NextHeads(QWidget* parent = nullptr);

    /// Null = nothing has been read yet. If the banner does not name the worst head, it begins with that.
    void say(const SnapshotPtr& snapshot, const AgeThresholds& thresholds, bool bannerNamesHead,
        const std::vector<OtherCause>& others);
    /// Offers it if there is one for the worst head; why it is not possible at present, if it is not.
    using ReasonAgainst = std::function<QString(const Session& session, bool cancels)>;
    void offerOtherAct(const SnapshotPtr& snapshot, const ReasonAgainst& reasonAgainst);

    static constexpr size_t headsNamed = 3; ///< with the one in the banner

Q_SIGNALS:
    void chosen(lockscope::SessionKey head);
    void causeChosen(const std::optional<lockscope::LockTableKey>& entry);
    void actRequested(const lockscope::Session& session, bool cancels);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();
    struct Line {
        QToolButton* button;
        SessionKey head;
    };
    void sayHead(Line& line, const Snapshot& snapshot, const BlockingGraph::Head& head,
        const AgeThresholds& thresholds);

    QToolButton* addButton(const QString& name);
    void showIfAny();

    struct OtherLine {
        QToolButton* button;
        std::optional<LockTableKey> entry;
    };
    struct Offer {
        Session session;
        bool cancels = true;
    };
    QBoxLayout* m_layout;
    QToolButton* m_act;
    std::optional<Offer> m_offer;
    std::optional<Offer> m_aimedAt; ///< when the button went down
    std::vector<Line> m_lines;
    std::vector<OtherLine> m_others;
};

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
