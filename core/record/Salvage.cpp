// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/Salvage.h"

#include "core/record/Changes.h"
#include "core/record/Damage.h"
#include "core/record/NewFile.h"
#include "core/record/ReadLimits.h"
#include "core/record/RecordingFile.h"
#include "core/record/SalvagedFrames.h"
#include "core/record/WholeRows.h"

#include <QUuid>

#include <algorithm>
#include <limits>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr ServerTime beforeAll{std::numeric_limits<qint64>::min()};
constexpr ServerTime afterAll{std::numeric_limits<qint64>::max()};

Failure nothingToRead(const QString& path, const QString& why)
{
    return failure(ErrorKind::BadInput, u"Nothing of %1 can be recovered: %2."_s.arg(path, why));
}

/// A page that is part of a text may be empty, or another one's.
bool isText(const QByteArray& bytes, const QString& text)
{
    return !bytes.contains(QByteArray(2, '\0')) && !bytes.endsWith('\0') && text.toUtf8() == bytes;
}

class Salvage {
public:
    Salvage(QString path, Database& from, const SalvageProgress& goesOn)
        : m_path(std::move(path))
        , m_from(from)
        , m_goesOn(goesOn)
    {
    }

    /// Whose recording it is.
    Result<Identity> identity();
    /// All rows that are whole into the tables of an empty recording.
    Result<void> copyTo(Database& to);
    const QList<Unread>& unread() const { return m_unread; }
    qint64 moments() const { return m_moments; }

private:
    Result<void> goOn() const
    {
        return m_goesOn && !m_goesOn(0, 0) ? Result<void>(copyCancelled()) : Result<void>();
    }
    /// False: the file does not know it. BadInput: to read it code would run.
    Result<bool> has(const QString& table);
    Result<void> copyTexts(Database& to);
    Result<void> copyFrames(Database& to);
    Result<void> copyEvents(Database& to);
    Result<void> copyPins(Database& to);
    Result<QHash<qint64, Segment>> segments();

    QString m_path;
    Database& m_from;
    const SalvageProgress& m_goesOn;
    QList<Unread> m_unread;
    qint64 m_moments = 0;
};

Result<bool> Salvage::has(const QString& table)
{
    qint64 columns = 0;
    qint64 made = 0;
    const auto read = m_from.run("recording/salvage/columns", {table}, [&](const Store::Row& row) {
        columns = row.number(0);
        made = row.number(1);
        return true;
    });
    if (!read)
        return Failure(read.error());
    if (made != 0)
        return failure(ErrorKind::BadInput, u"%1 has tables that no recording has."_s.arg(m_path));
    return columns != 0;
}

Result<Identity> Salvage::identity()
{
    qint64 application = 0;
    qint64 version = 0;
    Steps steps(m_from);
    steps.number("recording/recording/application", application);
    steps.number("recording/recording/version", version);
    if (!steps.result())
        return Failure(steps.result().error());
    if (application != recordingApplication)
        return failure(ErrorKind::BadInput, u"%1 is no recording of Lockscope's."_s.arg(m_path));
    if (version > formatVersion)
        return failure(ErrorKind::BadInput, u"The recording %1 was made by a newer program."_s.arg(m_path),
            u"Update this program."_s);
    for (const QString& table : {u"recording"_s, u"text"_s, u"frame"_s}) {
        const auto isThere = has(table);
        if (!isThere)
            return Failure(isThere.error());
        if (!*isThere)
            return nothingToRead(m_path, u"it is damaged where it says which tables it has"_s);
    }
    const auto identity = identityOf(m_from);
    if (!identity && !isDamage(identity.error()))
        return Failure(identity.error());
    if (!identity || !*identity)
        return nothingToRead(m_path, u"it is damaged where it says of which server it is"_s);
    return **identity;
}

Result<void> Salvage::copyTo(Database& to)
{
    return inTransaction(to, [&]() -> Result<void> {
        for (const auto copy :
            {&Salvage::copyTexts, &Salvage::copyFrames, &Salvage::copyEvents, &Salvage::copyPins}) {
            if (auto copied = (this->*copy)(to); !copied)
                return copied;
        }
        return {};
    });
}

Result<void> Salvage::copyTexts(Database& to)
{
    const auto read =
        eachWholeRow(m_from, "recording/salvage/texts", 3, [&](const Store::Row& row, bool) -> Result<void> {
            if (auto wanted = goOn(); !wanted)
                return wanted;
            const QString text = row.text(1);
            if (!isText(row.bytes(1), text))
                return {}; // moments that name it are a gap
            return to.run("recording/recording/add_text", {row.number(0), u""_s + text, row.number(2)});
        });
    return read ? Result<void>() : Failure(read.error());
}

Result<QHash<qint64, Segment>> Salvage::segments()
{
    QHash<qint64, Segment> segments;
    const auto isThere = has(u"segment"_s);
    if (!isThere)
        return Failure(isThere.error());
    if (!*isThere)
        return segments;
    qint64 characters = 0;
    const auto read = eachWholeRow(
        m_from, "recording/salvage/segments", 5, [&](const Store::Row& row, bool) -> Result<void> {
            const Segment segment{
                {row.number(1)}, {row.number(2)}, row.text(5), row.text(3), row.number(0), row.number(4)};
            characters += segment.endReason.size() + segment.host.size();
            if (segments.size() == mostLines || characters > mostCharacters)
                return tooMuch(u"stretches of watching"_s);
            if (segment.began <= segment.seen && isTold(segment.began) && isTold(segment.seen))
                segments.insert(segment.number, segment);
            return {};
        });
    return read ? Result<QHash<qint64, Segment>>(segments) : Failure(read.error());
}

Result<void> Salvage::copyFrames(Database& to)
{
    auto segments = this->segments();
    if (!segments)
        return Failure(segments.error());
    SalvagedFrames frames(to, std::move(*segments));
    const auto read =
        eachWholeRow(m_from, "recording/salvage/frames", 6, [&](const Store::Row& row, bool isBehindDamage) {
            const auto wanted = goOn();
            if (!wanted)
                return wanted;
            return frames.add(
                {row.number(0), row.number(1), row.number(2), {row.number(3)}, {row.number(4)}, row.bytes(5)},
                isBehindDamage);
        });
    if (!read)
        return Failure(read.error());
    if (frames.count() == 0)
        return nothingToRead(m_path, u"no moment in it is whole"_s);
    const auto ended = frames.end(*read);
    m_unread = frames.unread();
    m_moments = frames.count();
    return ended;
}

Result<void> Salvage::copyEvents(Database& to)
{
    const auto isThere = has(u"event"_s);
    if (!isThere || !*isThere)
        return isThere ? Result<void>() : Failure(isThere.error());
    const auto read = eachWholeRow(
        m_from, "recording/salvage/events", 6, [&to](const Store::Row& row, bool) -> Result<void> {
            if (!isText(row.bytes(4), row.text(4)) || !isText(row.bytes(5), row.text(5)))
                return {};
            return to.run("recording/recording/add_event",
                {row.number(1), row.number(2), row.text(3), u""_s + row.text(4), u""_s + row.text(5),
                    row.isNull(6) ? Value() : Value(row.text(6))});
        });
    return read ? Result<void>() : Failure(read.error());
}

Result<void> Salvage::copyPins(Database& to)
{
    const auto isThere = has(u"pin"_s);
    if (!isThere || !*isThere)
        return isThere ? Result<void>() : Failure(isThere.error());
    const auto read =
        eachWholeRow(m_from, "recording/salvage/pins", 4, [&to](const Store::Row& row, bool) -> Result<void> {
            if (!isText(row.bytes(3), row.text(3)))
                return {};
            return to.run("recording/recording/add_pin", {row.number(1), row.number(2), u""_s + row.text(3)});
        });
    return read ? Result<void>() : Failure(read.error());
}

/// The rows of a damaged file as a recording of its own, in which whatever reads recordings finds its way.
struct Rows {
    Identity identity;
    QList<Unread> unread;
    qint64 moments;
};
Result<Rows> copyRows(const QString& path, const QString& to, const SalvageProgress& goesOn)
{
    auto damaged = Database::open(path, Database::Mode::Salvage);
    if (!damaged)
        return Failure(damaged.error());
    Salvage salvage(path, **damaged, goesOn);
    const auto identity = salvage.identity();
    if (!identity)
        return Failure(identity.error());
    auto database = Database::open(to, Database::Mode::Write);
    if (!database)
        return Failure(database.error());
    Result<void> done;
    for (const char* setting : {"PRAGMA journal_mode = DELETE", "PRAGMA synchronous = OFF"}) {
        if (done)
            done = (*database)->script(setting);
    }
    if (done)
        done = makeRecording(**database, *identity);
    // All of one state, if the file is written meanwhile.
    if (done)
        done = (*damaged)->beginReading();
    if (done)
        done = salvage.copyTo(**database);
    (*damaged)->endReading();
    if (!done)
        return Failure(done.error());
    return Rows{*identity, salvage.unread(), salvage.moments()};
}

} // namespace

Result<Salvaged> salvageRecording(
    const QString& path, const QString& out, const QString& program, const SalvageProgress& goesOn)
{
    if (auto isNew = checkNewFile(out); !isNew)
        return Failure(isNew.error());
    const NewFile file(out);
    const auto rows = copyRows(path, file.path(), goesOn);
    if (!rows)
        return Failure(rows.error());
    const auto reader = RecordingReader::open(file.path());
    if (!reader)
        return Failure(reader.error());
    Identity identity = rows->identity;
    identity.id = QUuid::createUuid().toString(QUuid::WithoutBraces);
    identity.program = program;
    auto copied = copyRecordings({reader->get()}, beforeAll, afterAll, out, identity,
        [&](qint64 moments) { return !goesOn || goesOn(moments, rows->moments); });
    if (!copied && copied.error().kind == ErrorKind::MissingObject)
        return nothingToRead(path, u"no moment in it is whole"_s);
    if (!copied)
        return Failure(copied.error());
    Salvaged salvaged{*copied, 0, rows->unread + copied->unread};
    std::stable_sort(salvaged.unread.begin(), salvaged.unread.end(),
        [](const Unread& a, const Unread& b) { return a.from < b.from; });
    const auto made = RecordingReader::open(out);
    const auto segments = made ? (*made)->segments() : Failure(made.error());
    if (!segments)
        return Failure(segments.error());
    salvaged.stretches = segments->size();
    return salvaged;
}

} // namespace lockscope::record
