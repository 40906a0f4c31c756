// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordingFile.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"

namespace tst_SetAside {

using namespace lockscope;
using namespace lockscope::record;

const Retention week;

static QDateTime daysLater(int days)
{
    return QDateTime::currentDateTimeUtc().addDays(days);
}

class tst_SetAside : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = m_folder->filePath(u"shop_db.1.lockscope"_s);
    }

    void itStaysARecording()
    {
        const QString file = aside();
        QVERIFY(!file.isEmpty());
        QVERIFY(!QFile::exists(m_path));
        QCOMPARE(test::readRecording(file)->span()->frames, 1);
        QVERIFY(setAside(m_path)); // there is none any more
        dropSetAside(m_path, week, daysLater(6));
        QVERIFY(QFile::exists(file));
    }

    /// A person may name any file by mistake.
    void aFileThatIsNoRecordingIsLeftAlone()
    {
        const QString path = test::makeFile(m_folder->filePath(u"notes.txt"_s), "Call Ann.\n");
        for (int times = 0; times < 2; ++times) {
            const auto begun = openOrSetAside(path, test::recordingIdentity(), {}, false);
            QVERIFY(!begun);
            VERIFY_CONTAINS(begun.error().what, u"is no recording of Lockscope's"_s);
            QCOMPARE(test::readFile(path), "Call Ann.\n");
            QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), QStringList{u"notes.txt"_s});
        }
    }

    void whatIsOlderThanIsKeptGoes()
    {
        const QString file = aside();
        dropSetAside(m_path, week, daysLater(8));
        QVERIFY(!QFile::exists(file));
        QVERIFY(QDir(m_folder->path()).isEmpty()); // and nothing is left beside it
    }

    void whatIsPinnedStays()
    {
        const QString file = aside({}, true);
        dropSetAside(m_path, week, daysLater(100));
        QVERIFY(QFile::exists(file));
    }

    void theOldestGoWhenItIsTooMuch()
    {
        const QString oldest = aside(u"20261101-000000"_s, true); // pinned or not
        const QString younger = aside(u"20261102-000000"_s);
        QVERIFY(!oldest.isEmpty() && !younger.isEmpty());
        const QDateTime now(QDate(2026, 11, 3), QTime(0, 0), Qt::UTC);
        dropSetAside(m_path, {week.age, 2 * QFileInfo(younger).size()}, now);
        QCOMPARE(others().size(), 2);
        dropSetAside(m_path, {week.age, 2 * QFileInfo(younger).size() - 1}, now);
        QVERIFY(!QFile::exists(oldest));
        QVERIFY(QFile::exists(younger));
    }

    void aLargeOneGoesInSlices()
    {
        const QString file = aside();
        QVERIFY(QFile::resize(file, 200 * 1024 * 1024)); // takes no space
        int slices = 0;
        for (qint64 before = 0; dropSetAside(m_path, week, daysLater(8)); before = QFileInfo(file).size()) {
            QVERIFY(before == 0 || QFileInfo(file).size() < before);
            ++slices;
        }
        QCOMPARE(slices, 4);
        QVERIFY(!QFile::exists(file));
    }

    void damagedOnesGoToo()
    {
        const QString file = aside();
        QFile damaged(file);
        QVERIFY(damaged.open(QIODevice::ReadWrite));
        QVERIFY(damaged.resize(1'000)); // the head is there
        damaged.close();
        dropSetAside(m_path, week, daysLater(8));
        QVERIFY(!QFile::exists(file));
    }

    /// A file of another kind stays, with any owner.
    void whatIsNoRecordingStays()
    {
        QStringList kept;
        for (const QString& name : {u"shop_db.1-until-20200101-000000.lockscope"_s, // a letter
                 u"shop_db.1-until-yesterday.lockscope"_s}) {
            test::makeFile(m_folder->filePath(name), QByteArray(5'000, 'x'));
            kept << name;
        }
        // A recording, but of another path.
        const QString file = aside();
        QVERIFY(QFile::rename(file, m_folder->filePath(u"shop_db.2-until-20200101-000000.lockscope"_s)));
        kept << u"shop_db.2-until-20200101-000000.lockscope"_s;
        dropSetAside(m_path, {week.age, 1}, daysLater(100));
        kept.sort();
        QCOMPARE(others(), kept);
    }

    void whatSomebodyWritesStays()
    {
        const QString file = aside();
        const auto writer = test::writeRecording(file);
        dropSetAside(m_path, week, daysLater(8));
        QVERIFY(QFile::exists(file));
    }

private:
    /// One that was set aside then; its path.
    QString aside(const QString& when = {}, bool isPinned = false)
    {
        {
            const auto writer = test::writeRecording(m_path);
            test::SnapshotBuilder s(0);
            if (!writer->append(s.take(), test::SnapshotBuilder::start()))
                return {};
            if (isPinned
                && !writer->pin(test::SnapshotBuilder::start(), test::SnapshotBuilder::start(), u"x"_s))
                return {};
        }
        const QStringList before = others();
        if (!setAside(m_path))
            return {};
        QString made;
        for (const QString& name : others()) {
            if (!before.contains(name))
                made = m_folder->filePath(name);
        }
        if (when.isEmpty())
            return made;
        const QString named = m_folder->filePath(u"shop_db.1-until-%1.lockscope"_s.arg(when));
        return QFile::rename(made, named) ? named : QString();
    }
    QStringList others() const
    {
        return QDir(m_folder->path()).entryList({u"*-until-*.lockscope"_s}, QDir::Files);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
};

LOCKSCOPE_TEST(tst_SetAside)

} // namespace tst_SetAside
#include "tst_SetAside.moc"
