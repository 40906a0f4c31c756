// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/Recording.h"

#include "core/base/Duration.h"
#include "core/base/PlainFile.h"
#include "core/base/Sentences.h"
#include "core/domain/Engine.h"
#include "core/record/Coverage.h"
#include "core/record/Store.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>

namespace lockscope::record {

using namespace Qt::StringLiterals;

Result<Retention> retentionOf(const QString& text, Retention retention)
{
    for (const QString& part : text.split(u',')) {
        if (const auto age = parseDuration(part)) {
            retention.age = *age;
            continue;
        }
        static const QString units = u"KMGT"_s;
        const auto power = part.isEmpty() ? -1 : units.indexOf(part.back().toUpper());
        bool isNumber = false;
        const qint64 count = part.chopped(power < 0 ? 0 : 1).toLongLong(&isNumber);
        if (!isNumber || power < 0 || count < 1 || count > 1'000'000)
            return failure(ErrorKind::BadInput, u"'%1' is neither a time nor a size."_s.arg(part),
                u"Write 7d, 500M, 1G, or both with a comma: 7d,1G."_s);
        retention.bytes = count << (10 * (power + 1));
    }
    return retention;
}

namespace {

/// The guess for polls without an interval: at least the first of these, and the last pause if that is no
/// longer than the second.
constexpr microseconds minGuess = std::chrono::seconds(4);
constexpr microseconds maxGuess = std::chrono::minutes(10);
/// A server's clock that runs ahead of ours by more than that between two polls was set.
constexpr microseconds clockLeap = std::chrono::seconds(5);
constexpr int backOff = 4; ///< times as long as a poll took the monitor waits at least, see ServerMonitor

} // namespace

microseconds PollPauses::interval(const Times& now) const
{
    return std::max(now.timing.interval, m_last.timing.interval);
}

std::optional<QString> PollPauses::segmentEnd(const Times& now) const
{
    const microseconds byServer = now.taken - m_last.taken;
    const microseconds byUs = now.noted - m_last.noted;
    if (byServer < -clockTolerance)
        return u"the server's clock was set back"_s;
    if (byUs < -clockTolerance)
        return u"this computer's clock was set back"_s;
    const bool isSteadyKnown = now.timing.steady.count() > 0 && m_last.timing.steady.count() > 0;
    const microseconds awake = isSteadyKnown ? now.timing.steady - m_last.timing.steady : byUs;
    const microseconds polling = now.timing.took + m_last.timing.took;
    if (byServer > std::max(byUs, awake) + polling + clockLeap)
        return u"the server's clock was set ahead"_s;
    const microseconds guess = m_lastPause <= maxGuess ? m_lastPause : microseconds(0);
    const microseconds meant = interval(now).count() > 0 ? interval(now) : std::max(minGuess, guess);
    const microseconds pause = std::max(byServer, awake); // this computer's clock may have been set ahead
    if (pause <= latestPoll(meant))
        return std::nullopt;
    if (now.timing.wasPaused)
        return gapReasonName(Coverage::Reason::Paused);
    if (isSteadyKnown && pause - awake > meant)
        return gapReasonName(Coverage::Reason::Slept);
    const microseconds explained = polling + std::max(meant, backOff * m_last.timing.took) + meant;
    const bool isSlow = backOff * polling > meant && pause <= explained;
    return isSlow ? std::nullopt : std::optional(gapReasonName(Coverage::Reason::NotRecorded));
}

void PollPauses::note(const Times& now)
{
    m_lastPause = m_last.noted.isValid() ? now.noted - m_last.noted : microseconds(0);
    m_last = now;
}

TimeRanges joined(TimeRanges all)
{
    std::ranges::sort(all);
    size_t count = 0; // of those that are joined, in the place of the first ones
    for (const auto& [from, to] : all) {
        if (count > 0 && from <= all[count - 1].second)
            all[count - 1].second = std::max(all[count - 1].second, to);
        else if (from <= to)
            all[count++] = {from, to};
    }
    all.resize(count);
    return all;
}

bool meets(const TimeRanges& ranges, ServerTime from, ServerTime to)
{
    const auto met = std::ranges::lower_bound(ranges, from, {}, &TimeRanges::value_type::second);
    return met != ranges.end() && met->first <= to;
}

namespace {

/// Reads ISO 8601, as UTC if it names no zone.
QDateTime fromIso(const QString& text)
{
    QDateTime time = QDateTime::fromString(text, Qt::ISODate);
    if (time.timeSpec() == Qt::LocalTime)
        time.setTimeSpec(Qt::UTC);
    return time;
}

/// The latest such time until then.
QDateTime timeOfDay(QTime time, ServerTime latest)
{
    const QDateTime until = latest.toDateTime();
    const QDateTime dateTime(until.date(), time, Qt::UTC);
    return dateTime > until ? dateTime.addDays(-1) : dateTime;
}

} // namespace

Result<ServerTime> parseTime(const QString& text, ServerTime last, TimeEnd end, ServerTime latest)
{
    const QString written = text.trimmed();
    // Minutes as one writes them, too: "5min".
    const QString duration = written.startsWith(u'-') ? written.mid(1) : written;
    if (const auto ago = parseDuration(QString(duration).replace(u"min"_s, u"m"_s)))
        return last - *ago;
    static const QRegularExpression form(
        u"^(?:(?<date>\\d{4}-\\d{2}-\\d{2})[T ]|(?<day>today|yesterday) )?(?<time>(?:[01]?\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:[.,](?<fraction>\\d{1,6}))?)?)(?<zone>Z|[+-]\\d{2}(?::?\\d{2})?)?$"_s,
        QRegularExpression::CaseInsensitiveOption);
    const QRegularExpressionMatch match = form.match(written);
    QDateTime dateTime;
    if (match.hasMatch()) {
        QString clock = match.captured(u"time"_s).section(QRegularExpression(u"[.,]"_s), 0, 0);
        if (clock.size() % 3 == 1) // "3:12"
            clock.prepend(u'0');
        if (const QString date = match.captured(u"date"_s); !date.isEmpty())
            dateTime = fromIso(date + u'T' + clock + match.captured(u"zone"_s).toUpper());
        else if (const QTime time = QTime::fromString(clock, Qt::ISODate); !match.hasCaptured(u"zone"_s)) {
            const QString day = match.captured(u"day"_s).toLower();
            const QDate today = last.toDateTime().date();
            dateTime = day.isEmpty() ? timeOfDay(time, latest.isValid() ? latest : last)
                                     : QDateTime(today.addDays(day == u"yesterday" ? -1 : 0), time, Qt::UTC);
        }
    } else {
        dateTime = fromIso(written); // a date alone
    }
    if (!dateTime.isValid())
        return failure(ErrorKind::BadInput, u"'%1' is no time."_s.arg(text),
            u"Write 2026-11-22T03:12:07Z, 03:12, yesterday 03:12, or 5m for so long before the end."_s);
    const QString fraction = match.captured(u"fraction"_s);
    const ServerTime first =
        ServerTime::fromDateTime(dateTime) + microseconds(fraction.leftJustified(6, u'0').toLongLong());
    if (end == TimeEnd::First)
        return first;
    if (!match.hasMatch())
        return ServerTime::fromDateTime(dateTime.addDays(1)) - microseconds(1);
    qint64 unit = 1'000'000;
    for (qsizetype digit = 0; digit < fraction.size(); ++digit)
        unit /= 10;
    return first + microseconds(unit - 1);
}

namespace {

/// One of the many ways to say a host: in lower case, without the dot at the end of its full name.
QString hostName(const QString& host)
{
    if (host.startsWith(u'/'))
        return host; // the folder of a socket
    // Another server may listen at 127.0.0.2.
    const bool isAddressOfItsOwn = host.startsWith(u"127."_s) && host != u"127.0.0.1";
    if (db::isThisHost(host) && !isAddressOfItsOwn)
        return u"localhost"_s;
    return (host.endsWith(u'.') ? host.chopped(1) : host).toLower();
}

QString filePlace(const QString& path)
{
    const QFileInfo file(path);
    const QString itself = file.canonicalFilePath(); // of links
    return itself.isEmpty() ? QDir::cleanPath(file.absoluteFilePath()) : itself;
}

} // namespace

QString serverPlace(const db::ServerUrl& url)
{
    if (url.sandbox)
        return u"sandbox:"_s;
    if (url.isFile())
        return u"sqlite:"_s + filePlace(url.database);
    QStringList hosts;
    for (const db::ServerUrl::Host& host : url.hosts()) {
        const int port = portOf(url.engine, host);
        hosts << hostName(host.name) + (port == 0 ? QString() : u":%1"_s.arg(port));
    }
    // As libpq: without a database's name it is the user's.
    const bool isUsers = url.database.isEmpty() && url.engine == Engine::Postgres;
    // Of several hosts it is the one in the requested role.
    const QString role = url.moreHosts.isEmpty() ? QString() : url.options.value(u"target_session_attrs"_s);
    return u"%1://%2/%3"_s.arg(engineKey(url.engine), hosts.join(u','), isUsers ? url.user : url.database)
        + (role.isEmpty() ? QString() : u"?"_s + role);
}

QString recordingsFolder()
{
    return stateFolder() + u"/recordings"_s;
}

QStringList ownRecordings(QDir::SortFlags order)
{
    const QDir folder(recordingsFolder());
    return textOfEach(folder.entryList({u"*.lockscope"_s}, QDir::Files, order),
        [&folder](const QString& name) { return folder.filePath(name); });
}

QString recordingPath(const db::ServerUrl& url)
{
    return recordingPath(serverPlace(url));
}

QString recordingPath(const QString& place)
{
    constexpr qsizetype longest = 60;
    constexpr qsizetype digits = 8; // distinguish places that are alike once they are a file's name
    static const QRegularExpression scheme(u"^[a-z]+:/*"_s);
    QString name;
    for (const QChar c : place == u"sandbox:" ? u"sandbox"_s : QString(place).remove(scheme).left(longest))
        name += c.isLetterOrNumber() || c == u'.' || c == u'-' ? c : u'_';
    const QByteArray hash = QCryptographicHash::hash(place.toUtf8(), QCryptographicHash::Sha256).toHex();
    return u"%1/%2-%3.lockscope"_s.arg(recordingsFolder(), name, QString::fromLatin1(hash.left(digits)));
}

QString causeServer(const db::ServerUrl& url)
{
    return causeServer(serverPlace(url));
}

QString causeServer(const QString& place)
{
    const qsizetype scheme = place.indexOf(u"://"_s);
    if (scheme < 0)
        return place.endsWith(u':') ? place.chopped(1) : place.section(u':', 1);
    // The database follows the last slash: a socket's folder has some, too.
    return place.sliced(scheme + 3).section(u'/', 0, -2);
}

QString causeDatabase(const QString& place)
{
    return place.contains(u"://"_s) ? place.section(u'/', -1).section(u'?', 0, 0) : QString();
}

} // namespace lockscope::record
