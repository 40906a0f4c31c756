// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/SnapshotComparison.h"
#include "core/record/FrameCodec.h"
#include "tests/support/GraphText.h"
#include "tests/support/RandomSnapshot.h"
#include "tests/support/TestProgram.h"

namespace tst_FrameCodec {

using namespace lockscope;
using namespace lockscope::record;

/// Texts in memory.
class Texts : public TextNumbers, public TextSource {
public:
    quint64 numberOf(const QString& text) override
    {
        if (text.isNull())
            return 0;
        quint64& number = m_numbers[text];
        if (number == 0) {
            m_texts.append(text);
            number = static_cast<quint64>(m_texts.size());
        }
        return number;
    }
    std::optional<QString> text(quint64 number) override
    {
        return number == 0 || number > static_cast<quint64>(m_texts.size())
            ? std::nullopt
            : std::optional(m_texts[static_cast<qsizetype>(number) - 1]);
    }

private:
    QHash<QString, quint64> m_numbers;
    QStringList m_texts;
};

class tst_FrameCodec : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A frame follows a lock by the same key as the tables do; unknown modes are different locks, too.
    void anUnknownModeIsALockOfItsOwn()
    {
        const auto held = [](const QString& mode) {
            Snapshot snapshot = test::snapshotFromText(u"a: 51 Exclusive"_s);
            snapshot.requests.front().mode = LockMode::fromText(Engine::Postgres, mode);
            return snapshot;
        };
        const Snapshot before = held(u"FutureLock"_s);
        QCOMPARE(originsOf(before, held(u"FutureLock"_s)).requests, std::vector<qint64>{0});
        QCOMPARE(originsOf(before, held(u"OtherLock"_s)).requests, std::vector<qint64>{-1});
        QCOMPARE(diffSnapshots(before, held(u"OtherLock"_s)).requests.inserted, std::vector<quint32>{0});
    }

    void whatWasWrittenIsReadAgainWholly()
    {
        for (quint32 seed = 1; seed <= 40; ++seed) {
            test::RandomSnapshots random(seed);
            Texts texts;
            Snapshot before;
            SnapshotPtr read = std::make_shared<const Snapshot>();
            for (int step = 0; step < 30; ++step) {
                const Snapshot after = random.next();
                const auto unpackedFrame = test::orDie(unpacked(packed(encodeFrame(before, after, texts))));
                const auto decoded = decodeFrame(*read, unpackedFrame, texts);
                VERIFY_DONE(decoded);
                const QString difference = test::differenceOf(**decoded, after);
                QVERIFY2(difference.isEmpty(),
                    qPrintable(u"seed %1, step %2: %3"_s.arg(seed).arg(step).arg(difference)));
                before = after;
                read = *decoded;
            }
        }
    }

    void aFrameOfFewChangesIsSmall()
    {
        test::RandomSnapshots random(7, {.sessions = 200, .requests = 1'000, .changes = 0.02});
        Texts texts;
        Snapshot before = random.next();
        const qsizetype key = packed(encodeFrame({}, before, texts)).size();
        qsizetype deltas = 0;
        constexpr int steps = 20;
        for (int step = 0; step < steps; ++step) {
            const Snapshot after = random.next();
            deltas += packed(encodeFrame(before, after, texts)).size();
            before = after;
        }
        QVERIFY2(deltas / steps * 8 < key,
            qPrintable(u"a key frame has %1 bytes, a frame %2"_s.arg(key).arg(deltas / steps)));
    }

    /// Each second the queue moves on: nearly all waits follow from the order of the queue.
    void aQueueThatMovesOnIsSmall()
    {
        constexpr int waiters = 200;
        Snapshot now;
        now.resources.resize(1);
        for (int i = 0; i <= waiters; ++i) {
            LockRequest request;
            request.session = SessionId{1'000 + i};
            request.mode = LockMode::fromText(Engine::Postgres, u"ExclusiveLock");
            now.requests.push_back(request);
        }
        Texts texts;
        Snapshot before;
        SnapshotPtr read = std::make_shared<const Snapshot>();
        for (int step = 0; step < 10; ++step) {
            std::rotate(now.requests.begin(), now.requests.begin() + 20, now.requests.end());
            for (LockRequest& request : now.requests)
                request.state = RequestState::Waiting;
            now.requests.front().state = RequestState::Granted;
            now.index();
            now.waits = computeWaits(now);
            QCOMPARE(now.waits.size(), size_t(waiters * (waiters + 1) / 2));
            const QByteArray frame = encodeFrame(before, now, texts);
            QVERIFY2(step == 0 || frame.size() < 1'000, qPrintable(QString::number(frame.size())));
            const auto decoded = decodeFrame(*read, frame, texts);
            QVERIFY(decoded);
            QVERIFY((*decoded)->waits == now.waits);
            before = now;
            read = *decoded;
        }
        // One that has lost its blocker, as if the server had said so.
        now.waits.erase(now.waits.begin() + 5'000);
        const auto decoded = decodeFrame(*read, encodeFrame(before, now, texts), texts);
        QVERIFY(decoded && (*decoded)->waits == now.waits);
    }

    void originsAreTheSameForKeyFrames()
    {
        test::RandomSnapshots random(3);
        Texts texts;
        const Snapshot before = random.next();
        const Snapshot after = random.next();
        RowOrigins onTheWay;
        encodeFrame(before, after, texts, &onTheWay);
        const RowOrigins alone = originsOf(before, after);
        QVERIFY(onTheWay.requests == alone.requests && onTheWay.entries == alone.entries
            && onTheWay.entryWaiters == alone.entryWaiters);
    }

    /// No bytes make it crash, and changed ones never count as intact where that can be detected.
    void damageIsAnError()
    {
        test::RandomSnapshots random(11);
        Texts texts;
        const Snapshot snapshot = random.next();
        const QByteArray frame = encodeFrame({}, snapshot, texts);
        const Snapshot nothing;
        for (qsizetype length = 0; length < frame.size(); ++length)
            QVERIFY(!decodeFrame(nothing, frame.left(length), texts));
        QVERIFY(!decodeFrame(nothing, frame + '\0', texts));
        QRandomGenerator dice(5);
        for (int i = 0; i < 2'000; ++i) {
            QByteArray changed = frame;
            changed[dice.bounded(changed.size())] = static_cast<char>(dice.bounded(256));
            static_cast<void>(decodeFrame(nothing, changed, texts)); // any answer, but an answer
        }
        const QByteArray whole = sealed(packed(frame), 7, 5);
        QCOMPARE(unpacked(*unsealed(whole, 7, 5)).value(), frame);
        QVERIFY(!unsealed(whole, 8, 5) && !unsealed(whole, 7, 6) && !unsealed({}, 7, 5));
        for (qsizetype i = 0; i < whole.size(); i += 7) {
            QByteArray changed = whole;
            changed[i] = static_cast<char>(changed[i] ^ 0x10);
            QVERIFY(!unsealed(changed, 7, 5));
        }
    }
};

LOCKSCOPE_TEST(tst_FrameCodec)

} // namespace tst_FrameCodec
#include "tst_FrameCodec.moc"
