// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/SnapshotSearch.h"
#include "tests/support/MadeRecording.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"

namespace tst_SnapshotSearch {

using namespace lockscope;
using namespace lockscope::record;

using test::MadeRecording;

/// The times to which the keys for the next and the previous landmark lead.
class tst_SnapshotSearch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const QString path = test::freshPath(u"made.lockscope"_s);
        QVERIFY(MadeRecording::write(path, u"shop"_s));
        const auto writer =
            RecordingWriter::open(path, {u"made"_s, u"shop"_s, Engine::Postgres, {}, false, {}});
        VERIFY_DONE(writer);
        const auto happened = [&](int second, Event::Kind kind) {
            return (*writer)
                ->add({MadeRecording::time(second) + 500ms, kind, u"made"_s}, MadeRecording::time(second))
                .has_value();
        };
        QVERIFY(happened(22, Event::Kind::Deadlock));
        QVERIFY(happened(25, Event::Kind::Alert));
        QVERIFY(happened(28, Event::Kind::Act));
        QVERIFY(happened(35, Event::Kind::Note));
        m_reader = test::readRecording(path);
    }
    void cleanupTestCase() { m_reader.reset(); }

    void eachKindIsFound_data()
    {
        QTest::addColumn<Landmarks>("kinds");
        QTest::addColumn<QList<double>>("seconds"); // from the first to the last
        test::row("the beginning of a wait", Landmarks(Landmark::Wait), QList<double>{10, 200});
        test::row("a wait that turns red", Landmarks(Landmark::LongWait), QList<double>{15, 205});
        test::row("deadlocks", Landmarks(Landmark::Deadlock), QList<double>{22.5});
        test::row("alerts", Landmarks(Landmark::Alert), QList<double>{25.5});
        test::row("acts", Landmarks(Landmark::Act), QList<double>{28.5});
        test::row("the end of a gap", Landmarks(Landmark::Gap), QList<double>{200});
        test::row("notes", Landmarks(Landmark::Note), QList<double>{35.5});
        test::row("several", (Landmark::Wait | Landmark::Deadlock | Landmark::Note),
            QList<double>{10, 22.5, 35.5, 200});
        test::row("none", Landmarks(), QList<double>{});
    }
    void eachKindIsFound()
    {
        FETCH(Landmarks, kinds, QList<double>, seconds);
        QCOMPARE(passed(SnapshotRequest::Kind::NextLandmark, kinds, MadeRecording::time(0)), seconds);
        std::reverse(seconds.begin(), seconds.end());
        QCOMPARE(passed(SnapshotRequest::Kind::PreviousLandmark, kinds, MadeRecording::time(210)), seconds);
    }

private:
    /// Returns the times that are passed on the way from landmark to landmark.
    QList<double> passed(SnapshotRequest::Kind kind, Landmarks kinds, ServerTime from)
    {
        QList<double> seconds;
        while (seconds.size() < 10) {
            const auto found = findSnapshot(*m_reader, {kind, from, 0, {kinds, 5s}});
            if (!found || !found->snapshot || !*found->snapshot)
                break;
            from = found->at;
            seconds << double((from - MadeRecording::time(0)).count()) / 1e6;
        }
        return seconds;
    }

    std::unique_ptr<RecordingReader> m_reader;
};

LOCKSCOPE_TEST(tst_SnapshotSearch)

} // namespace tst_SnapshotSearch
#include "tst_SnapshotSearch.moc"
