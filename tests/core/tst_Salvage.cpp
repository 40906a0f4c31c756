// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// What is whole of a recording whose file is cut short or overwritten.

#include "core/record/Database.h"
#include "core/record/Salvage.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <limits>
#include <random>

using namespace lockscope;
using namespace lockscope::record;
using namespace Qt::StringLiterals;
using test::readRecording;
using test::SnapshotBuilder;
using test::toRecord;
using test::writeRecording;

namespace {

constexpr ServerTime ever{std::numeric_limits<qint64>::max()};
constexpr qsizetype pageBytes = 4096; // SQLite's own choice

QByteArray bytesOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void put(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        qFatal("not written");
}

/// The page that begins with such a text, overwritten by others of that length.
bool overwrite(QByteArray& bytes, const QByteArray& text)
{
    const qsizetype at = bytes.indexOf(text);
    if (at >= 0)
        bytes.replace(at / pageBytes * pageBytes, pageBytes, QByteArray(pageBytes, '\x5a'));
    return at >= 0;
}

} // namespace

class tst_Salvage : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    int m_files = 0;
    QByteArray m_whole; // the file
    std::vector<SnapshotPtr> m_all; // its moments
    qint64 m_segments = 0;

    QString newPath() { return m_folder.filePath(u"s%1.lockscope"_s.arg(++m_files)); }
    /// Makes a new file of one with these bytes, which stays as it is.
    Result<Salvaged> recover(const QByteArray& bytes, QString& out);
    /// Each moment is in the file as it was, or in none of its stretches.
    void isTrue(const QString& out, const Salvaged& salvaged) const;

private Q_SLOTS:
    void initTestCase();
    void whatIsWholeIsCopied();
    void aFileThatIsCutShortIsReadAsFarAsItGoes_data();
    void aFileThatIsCutShortIsReadAsFarAsItGoes();
    void pagesThatAreOverwrittenAreGaps_data();
    void pagesThatAreOverwrittenAreGaps();
    void noLockIsHeldWhereNothingCouldBeRead();
    void whatSegmentsSaidFollowsFromTheMoments();
    void whereNothingCanBeHadItIsSaid_data();
    void whereNothingCanBeHadItIsSaid();
    void whoOpensItIsToldHowToRecoverIt();
    void columnsThatRunCodeAreRefused();
    void itCanBeCancelled_data();
    void itCanBeCancelled();
};

void tst_Salvage::initTestCase()
{
    const QString path = newPath();
    auto writer = writeRecording(path);
    QVERIFY(writer);
    test::RandomSnapshots random(6);
    ServerTime noted = SnapshotBuilder::start();
    for (int i = 0; i < 600; ++i) {
        Snapshot snapshot = random.next();
        snapshot.serverVersion = u"named at "_s + QString::number(i); // a text of each
        m_all.push_back(toRecord(std::move(snapshot)));
        noted = noted + (i == 250 ? std::chrono::seconds(3'600) : std::chrono::seconds(1)); // it slept
        QVERIFY(writer->append(m_all.back(), noted));
    }
    QVERIFY(writer->add({m_all[5]->takenAt, Event::Kind::Note, u"a note"_s}, noted));
    QVERIFY(writer->pin(m_all[5]->takenAt, m_all[9]->takenAt, u"OPS-17"_s));
    QVERIFY(writer->end(u"stopped"_s));
    writer.reset();
    m_whole = bytesOf(path);
    QVERIFY(m_whole.size() > 50 * pageBytes);
    m_segments = readRecording(path)->segments()->size();
    QCOMPARE(m_segments, 2);
}

Result<Salvaged> tst_Salvage::recover(const QByteArray& bytes, QString& out)
{
    const QString path = newPath();
    out = newPath();
    put(path, bytes);
    auto salvaged = salvageRecording(path, out, u"a test"_s);
    if (bytesOf(path) != bytes)
        return failure(ErrorKind::Server, u"The damaged file was written."_s);
    if (!QDir(m_folder.path()).entryList({u"*.part*"_s}).isEmpty())
        return failure(ErrorKind::Server, u"Something was left behind."_s);
    if (!salvaged && QFile::exists(out))
        return failure(ErrorKind::Server, u"There is a file, and an error."_s);
    return salvaged;
}

void tst_Salvage::isTrue(const QString& out, const Salvaged& salvaged) const
{
    auto reader = readRecording(out);
    QVERIFY(reader);
    const auto verdict = reader->verify();
    QVERIFY(verdict && verdict->damaged.isEmpty());
    QCOMPARE(verdict->whole, salvaged.copied.moments);
    const auto segments = reader->segments();
    QVERIFY(segments);
    QCOMPARE(segments->size(), salvaged.stretches);
    qint64 met = 0;
    for (const SnapshotPtr& was : m_all) {
        const bool isSeen = std::any_of(segments->begin(), segments->end(), [&](const Segment& segment) {
            return segment.began <= was->takenAt && was->takenAt <= segment.seen;
        });
        if (!isSeen)
            continue;
        ++met;
        const auto is = reader->at(was->takenAt);
        QVERIFY(is);
        QCOMPARE(test::differenceOf(**is, *was), QString());
    }
    QCOMPARE(met, salvaged.copied.moments);
}

void tst_Salvage::whatIsWholeIsCopied()
{
    QString out;
    const auto salvaged = recover(m_whole, out);
    QVERIFY2(salvaged, qPrintable(salvaged ? QString() : salvaged.error().toString()));
    QCOMPARE(salvaged->copied.moments, qint64(m_all.size()));
    QCOMPARE(salvaged->stretches, m_segments);
    QVERIFY(salvaged->unread.isEmpty());
    isTrue(out, *salvaged);
    auto reader = readRecording(out);
    QCOMPARE(reader->identity().server, u"shop@db1"_s);
    QCOMPARE(reader->identity().program, u"a test"_s);
    QCOMPARE(reader->segments()->back().endReason, u"stopped"_s);
    QCOMPARE(reader->segments()->front().endReason, u"gap"_s);
    QCOMPARE(reader->events({0}, ever)->size(), 1);
    QCOMPARE(reader->events({0}, ever)->front().what, u"a note"_s);
    QCOMPARE(reader->pins()->size(), 1);
    QCOMPARE(reader->pins()->front().why, u"OPS-17"_s);
}

void tst_Salvage::aFileThatIsCutShortIsReadAsFarAsItGoes_data()
{
    QTest::addColumn<qsizetype>("bytes");
    const qsizetype pages = m_whole.size() / pageBytes;
    for (const int percent : {98, 80, 66, 50, 40})
        QTest::addRow("%d %%", percent) << pages * percent / 100 * pageBytes;
    QTest::newRow("within a page") << pages * 7 / 10 * pageBytes + 1'234;
    QTest::newRow("by one byte") << m_whole.size() - 1;
}

void tst_Salvage::aFileThatIsCutShortIsReadAsFarAsItGoes()
{
    QFETCH(qsizetype, bytes);
    QString out;
    const auto salvaged = recover(m_whole.left(bytes), out);
    QVERIFY2(salvaged, qPrintable(salvaged ? QString() : salvaged.error().toString()));
    isTrue(out, *salvaged);
    QVERIFY(salvaged->copied.moments >= 60);
    if (bytes + pageBytes > m_whole.size())
        return; // a page of an index, perhaps
    QVERIFY(salvaged->copied.moments < qint64(m_all.size()));
    QVERIFY(!salvaged->unread.isEmpty());
    QCOMPARE(salvaged->unread.back().to, m_all.back()->takenAt);
    auto reader = readRecording(out);
    QCOMPARE(reader->segments()->back().endReason, u"damaged"_s);
    const auto events = reader->events({1}, ever);
    QVERIFY(std::any_of(
        events->begin(), events->end(), [](const Event& event) { return event.kind == Event::Kind::Gap; }));
}

void tst_Salvage::pagesThatAreOverwrittenAreGaps_data()
{
    QTest::addColumn<quint32>("seed");
    QTest::addColumn<bool>("isEmpty"); // zeros, or anything
    QTest::addColumn<bool>("isSector"); // 512 bytes, or a page
    for (quint32 seed = 1; seed <= 12; ++seed)
        QTest::addRow("seed %u", seed) << seed << (seed % 3 == 0) << (seed % 2 == 0);
}

void tst_Salvage::pagesThatAreOverwrittenAreGaps()
{
    QFETCH(quint32, seed);
    QFETCH(bool, isEmpty);
    QFETCH(bool, isSector);
    std::mt19937 dice(seed);
    const qsizetype length = isSector ? 512 : pageBytes;
    // Behind the pages that say what tables there are, and whose recording it is.
    std::uniform_int_distribution<qsizetype> place(40 * pageBytes / length, m_whole.size() / length - 1);
    QByteArray bytes = m_whole;
    for (int i = 0; i < 5; ++i) {
        const qsizetype at = place(dice) * length;
        for (qsizetype j = at; j < at + length; ++j)
            bytes[j] = isEmpty ? '\0' : static_cast<char>(dice());
    }
    QString out;
    const auto salvaged = recover(bytes, out);
    QVERIFY2(salvaged, qPrintable(salvaged ? QString() : salvaged.error().toString()));
    QVERIFY(salvaged->copied.moments > 0);
    isTrue(out, *salvaged);
}

void tst_Salvage::noLockIsHeldWhereNothingCouldBeRead()
{
    const QString path = newPath();
    auto writer = writeRecording(path);
    QVERIFY(writer);
    for (int i = 0; i < 1'200; ++i) {
        SnapshotBuilder s(i);
        s.session(51, "billing").running(("UPDATE orders SET state = " + std::to_string(i)).c_str());
        s.holds(51, "public.orders", "RowExclusiveLock", 5 + i);
        QVERIFY(writer->append(s.take(), SnapshotBuilder::start() + std::chrono::seconds(i)));
    }
    QVERIFY(writer->end(u"stopped"_s));
    writer.reset();
    QByteArray bytes = bytesOf(path);
    for (qsizetype at = bytes.size() / pageBytes / 2 * pageBytes; at < bytes.size(); at += 7 * pageBytes)
        bytes.replace(at, pageBytes, QByteArray(pageBytes, '\0'));
    QString out;
    const auto salvaged = recover(bytes, out);
    QVERIFY2(salvaged, qPrintable(salvaged ? QString() : salvaged.error().toString()));
    auto reader = readRecording(out);
    const auto segments = reader->segments();
    QVERIFY2(segments->size() > 2, qPrintable(QString::number(segments->size())));
    const auto lines = reader->history(u"public.orders"_s, {1}, ever);
    QVERIFY(lines);
    QCOMPARE(lines->size(), segments->size());
    for (qsizetype i = 0; i < lines->size(); ++i) {
        QCOMPARE((*lines)[i].to, (*segments)[i].seen);
        QVERIFY(!(*lines)[i].gone); // nobody looked
    }
    for (const Unread& each : salvaged->unread)
        QVERIFY(each.from.isValid() && each.from < each.to);
}

/// Where the table of segments is lost, too, its moments say when somebody watched.
void tst_Salvage::whatSegmentsSaidFollowsFromTheMoments()
{
    QByteArray bytes = m_whole;
    QVERIFY(overwrite(bytes, "stopped"));
    QString out;
    const auto salvaged = recover(bytes, out);
    QVERIFY2(salvaged, qPrintable(salvaged ? QString() : salvaged.error().toString()));
    QCOMPARE(salvaged->copied.moments, qint64(m_all.size()));
    QCOMPARE(salvaged->stretches, m_segments);
    isTrue(out, *salvaged);
}

void tst_Salvage::whereNothingCanBeHadItIsSaid_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("half a head") << m_whole.left(50);
    QTest::newRow("the head") << m_whole.left(100);
    QTest::newRow("the first page") << m_whole.left(pageBytes);
    QByteArray garbled = m_whole;
    garbled.replace(0, pageBytes, QByteArray(pageBytes, '\x5a'));
    QTest::newRow("another first page") << garbled;
    garbled = m_whole;
    garbled.replace(100, pageBytes - 100, QByteArray(pageBytes - 100, '\x5a'));
    QTest::newRow("only the head of the first page") << garbled;
    garbled = m_whole;
    QVERIFY(overwrite(garbled, "shop@db1"));
    QTest::newRow("no server") << garbled;
}

void tst_Salvage::whereNothingCanBeHadItIsSaid()
{
    QFETCH(QByteArray, bytes);
    QString out;
    const auto salvaged = recover(bytes, out);
    QVERIFY(!salvaged);
    QVERIFY2(salvaged.error().kind == ErrorKind::BadInput, qPrintable(salvaged.error().toString()));
}

void tst_Salvage::whoOpensItIsToldHowToRecoverIt()
{
    const QString path = newPath();
    const QByteArray bytes = m_whole.left(m_whole.size() * 2 / 3);
    put(path, bytes);
    QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner);
    const QString how = u"lockctl recordings recover "_s + path;
    const auto reader = RecordingReader::open(path);
    QVERIFY(!reader);
    QVERIFY2(reader.error().hint.contains(how), qPrintable(reader.error().toString()));
    const auto writer = RecordingWriter::open(path, test::recordingIdentity());
    QVERIFY(!writer);
    QVERIFY2(writer.error().hint.contains(how), qPrintable(writer.error().toString()));
    QCOMPARE(bytesOf(path), bytes);
}

void tst_Salvage::columnsThatRunCodeAreRefused()
{
    const QString path = newPath();
    put(path, m_whole);
    QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner);
    {
        auto database = Database::open(path, Database::Mode::Write);
        QVERIFY(database);
        QVERIFY((*database)->script("ALTER TABLE segment ADD COLUMN made BLOB AS (zeroblob(60000000))"));
    }
    const QString out = newPath();
    const auto salvaged = salvageRecording(path, out, u"a test"_s);
    QVERIFY(!salvaged);
    QCOMPARE(salvaged.error().kind, ErrorKind::BadInput);
    QVERIFY(!QFile::exists(out));
}

void tst_Salvage::itCanBeCancelled_data()
{
    QTest::addColumn<bool>("isCopying");
    QTest::newRow("while it looks for what is whole") << false;
    QTest::newRow("while it copies") << true;
}

void tst_Salvage::itCanBeCancelled()
{
    QFETCH(bool, isCopying);
    const QString path = newPath();
    const QString out = newPath();
    put(path, m_whole);
    const auto salvaged = salvageRecording(path, out, u"a test"_s, [&](qint64 done, qint64 all) {
        if (isCopying)
            return all == 0 || done < all / 2;
        return false;
    });
    QVERIFY(!salvaged);
    QCOMPARE(salvaged.error().kind, ErrorKind::Cancelled);
    QVERIFY(!QFile::exists(out));
    QVERIFY(QDir(m_folder.path()).entryList({u"*.part*"_s}).isEmpty());
}

LOCKSCOPE_TEST(tst_Salvage)
#include "tst_Salvage.moc"
