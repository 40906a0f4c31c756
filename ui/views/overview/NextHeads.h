// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/BlockingGraph.h"
#include "core/domain/LockTable.h"
#include "core/domain/Thresholds.h"

#include <QWidget>

#include <functional>
#include <optional>

class QBoxLayout;
class QToolButton;

namespace lockscope::ui {

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

} // namespace lockscope::ui
