// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/kit/charts/TimeLanesView.h"

#include "core/record/LockBiography.h"

#include <memory>
#include <vector>

namespace lockscope::ui {

class BiographyPainter;

using BiographyPtr = std::shared_ptr<const record::Biography>;

/// A row of the drawing: what one session did with the lock, or one lock meant to the session; or a heading.
struct BiographyLane {
    QString name;
    bool isHeading = false;
    bool waited = false;
    QList<qsizetype> lines{}; ///< of the biography, by when they began
    bool operator==(const BiographyLane&) const = default;
};
/// Returns the lanes of the holders first, then those of the waiters; each by its first line.
std::vector<BiographyLane> lanesOf(const record::Biography& biography);

/// Describes line, hand-over and gap at a time of a lane; several lines of text, empty if there is nothing.
QString describeTime(
    const record::Biography& biography, const BiographyLane& lane, ServerTime at, microseconds reach);
/// The whole in a few sentences, for those who can't see it.
QString describeBiography(const record::Biography& biography);

/// The history of a lock or a session, drawn: a click goes to that time. All of it by keys, too.
class BiographyView : public TimeLanesView {
    Q_OBJECT

public:
    explicit BiographyView(QWidget* parent = nullptr);
    ~BiographyView() override;
    Q_DISABLE_COPY_MOVE(BiographyView)

    /// Null: none, the words are shown instead.
    void show(BiographyPtr biography, ServerTime around);

    void choose(qsizetype line); ///< −1: none
    qsizetype chosenLine() const { return m_line; }
    /// Returns the point whose click goes to the line; for tests, too.
    QPoint placeOf(qsizetype line) const;
    QList<QAction*> buttonActions() const { return QList<QAction*>{m_previous, m_next} + zoomActions(); }

Q_SIGNALS:
    void lineChosen(qsizetype line);
    void timeTravelRequested(lockscope::ServerTime at);

protected:
    QSize sizeHint() const override { return {600, 240}; }
    std::optional<Measures> measures() const override;
    void makePainter() override;
    bool isLane(int lane) const override { return !laneOf(lane).isHeading; }
    std::optional<qint64> markedTime() const override;
    QString describe(const Place& place) const override;
    void clicked(const Place& place) override;
    void paint(QPainter& painter, const QRect& axis, const QRect& lanes) const override;

private:
    const BiographyLane& laneOf(int lane) const { return m_lanes[static_cast<std::size_t>(lane)]; }
    int laneWith(qsizetype line) const; ///< −1: none
    qsizetype lineAt(const Place& place) const; ///< −1: none
    void addKeys();
    void step(int lines);
    void goToLane(int way);
    void goToHandOver(int way);
    void reveal(qsizetype line);

    BiographyPtr m_biography;
    std::vector<BiographyLane> m_lanes;
    std::unique_ptr<BiographyPainter> m_painter;
    ServerTime m_around;
    qsizetype m_line = -1;
    QAction* m_previous = nullptr;
    QAction* m_next = nullptr;
};

} // namespace lockscope::ui
