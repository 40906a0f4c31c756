// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/FakeKeychain.h"
#include "tests/support/MadeRecording.h"
#include "tests/ui/WindowTest.h"
#include "ui/shell/window/TravelDisplay.h"

#include <QToolButton>

namespace lockscope::test {

/// A window that shows times of MadeRecording, or the present of its server.
class TravelTest : public WindowTest {
protected:
    static constexpr int now = 1'000; ///< so many seconds after the recording's beginning is the present

    /// The present: 51 holds, 80 waits for it.
    static SnapshotPtr presentAfter(int second)
    {
        SnapshotBuilder s(now + second);
        s.session(51, "billing").idleInTransaction(now).running("UPDATE orders SET paid = true");
        s.session(63, "till").running("SELECT 1");
        s.session(80, "present").running("UPDATE orders SET paid = NULL");
        s.holds(51, "public.orders", "RowExclusiveLock", now);
        s.waits(80, "public.orders", "RowExclusiveLock", 5);
        return s.take();
    }
    static db::ServerProfile shop()
    {
        db::ServerProfile profile = profileOf(db::ServerUrl(), u"shop"_s);
        profile.url.host = u"nowhere.invalid"_s;
        return profile;
    }
    void openWindow(QSize size = {}) { showWindow({.keychain = std::make_shared<FakeKeychain>()}, size); }
    /// A live server of which there is a recording.
    void openLive()
    {
        QVERIFY(MadeRecording::write(record::recordingPath(shop().url), u"shop"_s));
        show();
        TRY_VERIFY(m_window->snapshot());
        TRY_VERIFY(child<QToolButton>("timeBarButton")->isEnabled());
    }
    void show()
    {
        openSession(
            [count = 0]() mutable { return presentAfter(count++); }, shop(), {.interval = 60s, .probes = {}});
    }
    ui::TravelMark& mark() const { return *m_window->findChild<ui::TravelMark*>(); }
    template <class T> T& page() const { return pageOf<T>(*m_window); }
};

} // namespace lockscope::test
