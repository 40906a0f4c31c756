// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Mutex.h"
#include "tests/support/FakeKeychain.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/ui/WindowTest.h"

#include <QListWidget>

namespace lockscope::test {

/// The answer of a server, until another one is set. Any thread.
class Answers {
public:
    explicit Answers(SnapshotPtr snapshot)
        : m_snapshot(std::move(snapshot))
    {
    }
    void fail(ErrorKind kind, const QString& what)
    {
        const MutexLock guard(m_mutex);
        m_error = Error{.kind = kind, .what = what};
    }
    void show(SnapshotPtr snapshot)
    {
        const MutexLock guard(m_mutex);
        m_snapshot = std::move(snapshot);
    }
    void recover()
    {
        const MutexLock guard(m_mutex);
        m_error.reset();
    }
    Result<SnapshotPtr> next()
    {
        const MutexLock guard(m_mutex);
        if (m_error)
            return Failure(*m_error);
        auto again = std::make_shared<Snapshot>(*m_snapshot);
        again->takenAt = again->takenAt + std::chrono::seconds(++m_count);
        again->number = static_cast<quint64>(m_count);
        again->index();
        return SnapshotPtr(again);
    }

private:
    Mutex m_mutex;
    SnapshotPtr m_snapshot LOCKSCOPE_GUARDED_BY(m_mutex);
    std::optional<Error> m_error LOCKSCOPE_GUARDED_BY(m_mutex);
    int m_count LOCKSCOPE_GUARDED_BY(m_mutex) = 0;
};

inline db::ServerProfile named(const QString& name)
{
    db::ServerProfile profile = profileOf(db::ServerUrl(), name);
    profile.url.host = name;
    profile.url.user = u"ann"_s;
    return profile;
}

inline SnapshotPtr oneBlocksOne()
{
    SnapshotBuilder s;
    s.session(51, "billing").idleInTransaction(360).running("UPDATE orders SET paid = true");
    s.session(63, "till").running("UPDATE orders SET paid = false");
    s.holds(51, "public.orders", "RowExclusiveLock", 300);
    s.waits(63, "public.orders", "AccessExclusiveLock", 41);
    return s.take();
}

/// A window with a keychain, and servers whose answers the test sets.
class ShellTest : public WindowTest {
protected:
    void makeShell()
    {
        makeFolder();
        m_keychain = std::make_shared<FakeKeychain>();
        makeWindow({});
    }
    void makeWindow(ui::MainWindow::Options options)
    {
        m_window.reset();
        options.keychain = m_keychain;
        showWindow(options);
    }
    void show(const db::ServerProfile& profile, std::shared_ptr<Answers> answers)
    {
        openSession([answers = std::move(answers)] { return answers->next(); }, profile,
            {.interval = 250ms, .probes = {}});
    }
    /// Shows a server on which one session blocks another one, and waits for its first snapshot.
    std::shared_ptr<Answers> showTill()
    {
        auto answers = std::make_shared<Answers>(oneBlocksOne());
        show(named(u"till"_s), answers);
        if (!waitUntil([this] { return m_window->snapshot() != nullptr; }))
            qFatal("no snapshot came");
        return answers;
    }
    void clickServer(int row) const
    {
        auto* servers = child<QListWidget>("servers");
        QTest::mouseClick(
            servers->viewport(), Qt::LeftButton, {}, servers->visualItemRect(servers->item(row)).center());
    }

    std::shared_ptr<FakeKeychain> m_keychain;
};

} // namespace lockscope::test
