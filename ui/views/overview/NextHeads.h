// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/BlockingGraph.h"
#include "core/domain/Thresholds.h"

#include <QWidget>

class QBoxLayout;
class QToolButton;

namespace lockscope::ui {

/// "12 more in the last minute"; empty if nobody came, or all came then: that is no growth but the beginning.
QString growthText(const Harm& harm);

/// The head blockers that come next after the worst one: who, how many, how long, how fast it grows. In one
/// line if there is space. Hidden if there is but one.
class NextHeads : public QWidget {
    Q_OBJECT

public:
    explicit NextHeads(QWidget* parent = nullptr);

    /// Null = nothing has been read yet. With a deadlock, which goes before all heads, it begins with the
    /// worst head.
    void say(const SnapshotPtr& snapshot, const AgeThresholds& thresholds);

    static constexpr size_t headsNamed = 3; ///< with the one in the banner

Q_SIGNALS:
    void chosen(lockscope::SessionKey head);

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

    QBoxLayout* m_layout;
    std::vector<Line> m_lines;
};

} // namespace lockscope::ui
