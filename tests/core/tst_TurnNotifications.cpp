// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Any login of PostgreSQL may NOTIFY on the channel that wakes a waiter.
#include "core/locks/LockBackend.h"
#include "tests/support/TestProgram.h"

namespace tst_TurnNotifications {

using namespace lockscope;
using namespace lockscope::locks;

/// Sends only notifications: one is always there, or `first` after some time and then none.
class Notified final : public db::Connection {
public:
    explicit Notified(bool isFlood)
        : Connection(urlOf(), db::Dialect::create(Engine::Postgres))
        , m_isFlood(isFlood)
    {
    }
    int asked = 0;
    bool isThere = false;

    Result<std::optional<QString>> waitForNotification(milliseconds timeout, std::stop_token) override
    {
        ++asked;
        if (m_isFlood || std::exchange(isThere, false))
            return QString::number(asked);
        std::this_thread::sleep_for(std::max(0ms, timeout));
        return std::nullopt;
    }
    Result<qint64> execute(
        const db::Statement&, std::span<const db::Param>, const db::RowSink&, std::stop_token) override
    {
        return 0;
    }
    std::vector<Result<qint64>> executeBatch(std::span<const db::BatchItem>, std::stop_token) override
    {
        return {};
    }
    Result<void> executeScript(const QByteArray&) override { return {}; }
    Result<void> commit() override { return {}; }
    Result<void> rollback() override { return {}; }
    bool inTransaction() const override { return false; }
    bool isOpen() const override { return true; }
    void cancel() override { }
    void* nativeHandle() const override { return nullptr; }

private:
    Result<void> beginTransaction() override { return {}; }
    static db::ServerUrl urlOf()
    {
        db::ServerUrl url;
        url.engine = Engine::Postgres;
        return url;
    }
    const bool m_isFlood;
};

class tst_TurnNotifications : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aFloodWakesTenTimesASecond()
    {
        Notified connection(true);
        const auto backend = LockBackend::create(connection);
        QElapsedTimer elapsed;
        elapsed.start();
        QVERIFY(backend->waitForTurn(u"nightly"_s, 7, 10s, {}));
        QVERIFY2(elapsed.elapsed() < 1'000, "the first one wakes at once");
        int wakes = 1;
        for (; elapsed.elapsed() < 1'000; ++wakes)
            QVERIFY(backend->waitForTurn(u"nightly"_s, 7, 10s, {}));
        QVERIFY2(wakes <= 2 + elapsed.elapsed() / 100, qPrintable(QString::number(wakes)));
        QVERIFY2(wakes >= 3, qPrintable(QString::number(wakes)));
    }
    void theNextTicketIsWokenAtOnce()
    {
        Notified connection(false);
        const auto backend = LockBackend::create(connection);
        QElapsedTimer elapsed;
        elapsed.start();
        for (int ticket = 1; ticket <= 50; ++ticket) {
            connection.isThere = true;
            QVERIFY(backend->waitForTurn(u"nightly"_s, ticket, 10s, {}));
        }
        QVERIFY2(elapsed.elapsed() < 3'000, qPrintable(QString::number(elapsed.elapsed())));
    }
    void whatComesMeanwhileIsNotLost()
    {
        Notified connection(false);
        const auto backend = LockBackend::create(connection);
        connection.isThere = true;
        QVERIFY(backend->waitForTurn(u"nightly"_s, 7, 10s, {}));
        connection.isThere = true; // while it is not listened to
        QElapsedTimer elapsed;
        elapsed.start();
        QVERIFY(backend->waitForTurn(u"nightly"_s, 7, 10s, {}));
        QVERIFY2(elapsed.elapsed() < 5'000, qPrintable(QString::number(elapsed.elapsed())));
    }
};

LOCKSCOPE_TEST(tst_TurnNotifications)

} // namespace tst_TurnNotifications
#include "tst_TurnNotifications.moc"
