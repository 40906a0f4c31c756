// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/MadeTime.h"
#include "tests/support/TestProgram.h"
#include "ui/shell/timetravel/TimeBar.h"

#include <QtWidgets>

namespace lockscope::test {

/// Ten minutes with a poll each second, with five waiting from 300 to 339 s.
inline MadeTime tenMinutes()
{
    MadeTime time = MadeTime::polled(0, 600);
    time.wait(300, 340, 5);
    return time;
}

/// As in the window: requests are answered from a recording, chosen positions are shown.
class TimeBarRig : public QWidget {
public:
    explicit TimeBarRig(MadeTime made = tenMinutes(), int width = 1'000)
        : time(std::move(made))
        , bar(new ui::TimeBar(this))
        , strip(bar->findChild<ui::TimeBarStrip*>())
    {
        resize(width, bar->sizeHint().height());
        bar->resize(size());
        connect(bar, &ui::TimeBar::visibleRangeChanged, this,
            [this](ServerTime from, ServerTime to, int columns) {
                asked.append({from, to, columns});
                bar->setData(time.answer(from, to, columns));
            });
        connect(bar, &ui::TimeBar::positionChosen, this, [this](ServerTime at) {
            chosen.append(at);
            bar->setPosition(at);
        });
        connect(bar, &ui::TimeBar::liveRequested, this, [this] {
            ++lives;
            bar->setPosition({});
        });
        show();
        if (!time.polls.isEmpty())
            bar->setSpan(time.first(), time.last());
        bar->setFocus();
        QVERIFY(time.polls.isEmpty() || isAnswered());
    }

    [[nodiscard]] bool isAnswered()
    {
        return waitUntil([this] { return !asked.isEmpty(); });
    }
    ui::TimeBarGeometry places() const { return strip->geometryNow(); }
    int x(ServerTime at) const { return places().plot.x() + int(std::floor(strip->visibleRange().x(at))); }
    QPoint onGraph(ServerTime at) const { return {x(at), places().waiters.center().y()}; }
    QPoint onAxis(ServerTime at) const { return {x(at), places().times.center().y()}; }
    void drag(
        QPoint from, QPoint to, Qt::MouseButton button = Qt::LeftButton, Qt::KeyboardModifiers keys = {})
    {
        QTest::mousePress(strip, button, keys, from);
        for (int part = 1; part <= 4; ++part) {
            const QPointF place = from + QPointF(to - from) * part / 4;
            QMouseEvent move(QEvent::MouseMove, place, strip->mapToGlobal(place), Qt::NoButton, button, keys);
            QCoreApplication::sendEvent(strip, &move);
        }
        QTest::mouseRelease(strip, button, keys, to);
    }
    void wheel(QPoint place, int notches)
    {
        QWheelEvent event(place, strip->mapToGlobal(place), {}, {0, notches * 120}, Qt::NoButton, {},
            Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(strip, &event);
    }
    QToolButton* button(const char* name) const { return bar->findChild<QToolButton*>(QLatin1String(name)); }

    struct Asked {
        ServerTime from;
        ServerTime to;
        int columns;
    };
    MadeTime time;
    ui::TimeBar* bar;
    ui::TimeBarStrip* strip;
    QList<Asked> asked;
    QList<ServerTime> chosen;
    int lives = 0;
};

} // namespace lockscope::test
