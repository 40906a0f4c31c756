// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordingNotes.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"

namespace tst_RecordingNotes {

using namespace lockscope;
using namespace lockscope::record;
using test::SnapshotBuilder;

constexpr auto at = &SnapshotBuilder::at;

/// Notes of people and of other programs reach a recording, whichever program writes it.
class tst_RecordingNotes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = m_folder->filePath(u"shop[1].lockscope"_s); // no pattern of names
        record(0, 10);
    }

    void aNoteIsAnEvent()
    {
        const auto added = addNote(m_path, {u" deploy 4.2\n"_s, at(5)}, 5s);
        VERIFY_DONE(added);
        QVERIFY(added->isRecorded);
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files).size(), 1); // nothing stays beside it
        const auto reader = test::readRecording(m_path);
        const QList<Event> events = *reader->events(at(0), at(10));
        QCOMPARE(events.size(), 1);
        QCOMPARE(events[0].kind, Event::Kind::Mark);
        QCOMPARE(events[0].what, u"deploy 4.2"_s);
        QCOMPARE(events[0].at, at(5));
        const LockOwnerInfo us = LockOwnerInfo::ofThisProcess();
        QCOMPARE(authorOf(events[0]), u"%1 on %2"_s.arg(us.owner, us.host));
        QCOMPARE(*reader->nextEvent(at(0), Event::Kind::Mark), std::optional(at(5)));
    }

    /// A program writes the recording: it adds the note with its next snapshot.
    void theWriterTakesItUp()
    {
        auto writer = test::writeRecording(m_path);
        Result<AddedNote> added = failure(ErrorKind::Server, u"not asked yet"_s);
        std::jthread other([this, &added] { added = addNote(m_path, {u"deploy 4.2"_s, at(5)}, 60s); });
        QTRY_COMPARE(inbox().size(), 1);
        QCOMPARE(QFile(m_folder->filePath(inbox().first())).permissions()
                & (QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther),
            QFile::Permissions());
        QVERIFY(writer->append(SnapshotBuilder(11).take(), at(11)));
        other.join();
        VERIFY_DONE(added);
        QVERIFY(added->isRecorded);
        COMPARE_TEXTS(notes(), "deploy 4.2");
        QCOMPARE(inbox(), QStringList());
    }

    void itIsRecordedOnceIfTheWriterEnds()
    {
        auto writer = test::writeRecording(m_path);
        Result<AddedNote> added = failure(ErrorKind::Server, u"not asked yet"_s);
        std::jthread other([this, &added] { added = addNote(m_path, {u"deploy 4.2"_s, at(5)}, 60s); });
        QTRY_COMPARE(inbox().size(), 1);
        writer.reset();
        other.join();
        VERIFY_DONE(added);
        QVERIFY(added->isRecorded);
        COMPARE_TEXTS(notes(), "deploy 4.2");
        QCOMPARE(inbox(), QStringList());
    }

    void whoIsPausedTakesItUpLater()
    {
        auto writer = test::writeRecording(m_path);
        const auto added = addNote(m_path, {u"deploy 4.2"_s, at(5)}, 1ms);
        VERIFY_DONE(added);
        QVERIFY(!added->isRecorded);
        QCOMPARE(notes(), QStringList());
        QVERIFY(writer->append(SnapshotBuilder(11).take(), at(11)));
        COMPARE_TEXTS(notes(), "deploy 4.2");
        QCOMPARE(inbox(), QStringList());
    }

    /// A link, a file of another form or a file that is too large is neither read as a note nor removed.
    void whatStrangersPutThereStays()
    {
        const auto put = [this](const QString& id, const QByteArray& content) {
            test::makeFile(m_path + u".note-"_s + id, content);
        };
        put(u"form"_s, "deploy 4.2");
        const QByteArray good =
            "{\"at_us\":\"1795230730000000\",\"text\":\"x\",\"detail\":\"\",\"key\":\"note:1\"}";
        put(u"large"_s, good + QByteArray(70'000, ' '));
        const QString real = test::makeFile(m_folder->filePath(u"elsewhere"_s), good);
        QVERIFY(QFile::link(real, m_path + u".note-link"_s));
        record(11, 12);
        QCOMPARE(notes(), QStringList());
        QCOMPARE(inbox().size(), 3);
        put(u"good"_s, good);
        record(13, 14);
        COMPARE_TEXTS(notes(), "x");
        QCOMPARE(inbox().size(), 3);
    }

    void whatCantBeNotedIsRefused_data()
    {
        test::addColumns<QString, ServerTime, QString>("text", "when", "why");
        test::row("no text", " \n", at(5), "no text");
        test::row("a novel", QString(2'001, u'x'), at(5), "at most 2000");
        test::row("before the recording", "x", at(-1), "The recording begins at");
        test::row("to come", "x", ServerTime{9'000'000'000'000'000}, "is in the future");
    }
    void whatCantBeNotedIsRefused()
    {
        FETCH(QString, text, ServerTime, when, QString, why);
        const auto added = addNote(m_path, {text, when}, 1s);
        VERIFY_FAILS(ErrorKind::BadInput, added);
        VERIFY_CONTAINS(added.error().what, why);
        QCOMPARE(notes(), QStringList());
    }

private:
    void record(int from, int to)
    {
        auto writer = test::writeRecording(m_path);
        for (int second = from; second <= to; ++second)
            QVERIFY(writer->append(SnapshotBuilder(second).take(), at(second)));
    }
    QStringList notes() const
    {
        QStringList notes;
        const auto events = test::readRecording(m_path)->events(at(-1'000), at(1'000'000'000));
        for (const Event& note : notesAmong(*events))
            notes << note.what;
        return notes;
    }
    QStringList inbox() const { return QDir(m_folder->path()).entryList().filter(u"note-"_s); }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
};

LOCKSCOPE_TEST(tst_RecordingNotes)

} // namespace tst_RecordingNotes
#include "tst_RecordingNotes.moc"
