// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordingSearch.h"

#include "core/domain/SnapshotNames.h"
#include "core/record/FrameCodec.h"
#include "core/record/RecordedLock.h"

#include <QHash>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>
#include <chrono>
#include <set>
#include <tuple>

namespace lockscope::record {

using namespace Qt::StringLiterals;
using Kind = FoundText::Kind;

namespace {

constexpr qint64 maxTexts = 1'000; // whose use is searched
constexpr std::chrono::milliseconds refiningEndsAfter{600};

/// The same for texts that are here.
QRegularExpression expressionOf(const QString& pattern)
{
    QString expression;
    for (qsizetype i = 0; i < pattern.size(); ++i) {
        if (pattern[i] == u'%')
            expression += u".*"_s;
        else if (pattern[i] == u'_')
            expression += u'.';
        else if (pattern[i] == u'\\' && i + 1 < pattern.size())
            expression += QRegularExpression::escape(pattern.mid(++i, 1));
        else
            expression += QRegularExpression::escape(pattern.mid(i, 1));
    }
    return QRegularExpression(QRegularExpression::anchoredPattern(expression),
        QRegularExpression::CaseInsensitiveOption | QRegularExpression::DotMatchesEverythingOption);
}

/// The use of a text in snapshots.
struct Use {
    Kind kind = Kind::Other;
    QString what{};
    std::optional<RecordedLock> lock{};
};

class TextSearch {
public:
    TextSearch(RecordingReader& reader, const QString& text)
        : m_reader(reader)
        , m_pattern(likePattern(text))
        , m_matches(expressionOf(m_pattern))
    {
    }

    Result<FoundTexts> run(qsizetype maxCount)
    {
        LOCKSCOPE_TRY(readTexts());
        LOCKSCOPE_TRY(findUses());
        LOCKSCOPE_TRY(findFirst());
        LOCKSCOPE_TRY(readEvents());
        FoundTexts found;
        found.isCut = m_isCut;
        found.all = together() + m_events;
        std::ranges::stable_sort(found.all, [](const FoundText& a, const FoundText& b) {
            return std::tuple(a.kind, -a.last.us) < std::tuple(b.kind, -b.last.us);
        });
        found.isCut = found.isCut || found.all.size() > maxCount;
        found.all = found.all.first(std::min(found.all.size(), maxCount));
        return found;
    }

private:
    struct Hit {
        FoundText found{};
        qint64 firstFrame = 0;
        qint64 lastGroup = 0; ///< the key frame among whose frames it was used last
        bool isUsed = false; ///< its use has been found
    };

    /// The family of a statement as it is stored; the statement itself if it has
    /// no values.
    const QString& familyOf(const QString& statement)
    {
        QString& family = m_families[statement];
        if (family.isNull()) {
            const auto parts = StatementParts::of(statement, m_reader.identity().engine);
            family = u""_s + (parts ? parts->family : statement);
        }
        return family;
    }

    /// Returns the common text of all statements of its form, if that is searched for.
    QString commonText(const QString& statement)
    {
        const QString common = shownFamily(familyOf(statement));
        return m_matches.match(common).hasMatch() ? common : shownFamily(statement);
    }

    Result<void> readTexts()
    {
        LOCKSCOPE_TRY_GET(const auto read, m_reader.textsLike(m_pattern, maxTexts + 1));
        m_isCut = read.size() > maxTexts;
        for (const RecordingReader::StoredUse& each : read) {
            const auto known = m_byText.constFind(each.text);
            if (known == m_byText.cend()) {
                m_byText.insert(each.text, m_hits.size());
                Hit hit{.firstFrame = each.firstFrame, .lastGroup = each.lastGroup};
                hit.found.text = each.text;
                hit.found.what = u"text"_s;
                m_hits.append(hit);
                continue;
            }
            Hit& hit = m_hits[*known];
            hit.firstFrame = std::min(hit.firstFrame, each.firstFrame);
            hit.lastGroup = std::max(hit.lastGroup, each.lastGroup);
        }
        return {};
    }

    void note(const QString& text, ServerTime taken, qint64 group, const Use& use)
    {
        const auto place = m_byText.constFind(text);
        if (place == m_byText.cend())
            return;
        Hit& hit = m_hits[*place];
        if (group != hit.lastGroup || (hit.isUsed && use.kind > hit.found.kind))
            return;
        hit.isUsed = true;
        hit.found.kind = use.kind;
        hit.found.what = use.what;
        hit.found.lock = use.lock;
        hit.found.last = taken;
        hit.found.lastExact = true;
    }

    void noteAll(const Snapshot& snapshot, qint64 group)
    {
        const ServerTime taken = snapshot.takenAt;
        const auto add = [&](const QString& text, Kind kind, const QString& what) {
            note(text, taken, group, {.kind = kind, .what = what});
        };
        for (const Session& session : snapshot.sessions) {
            for (const QString& statement : {session.statement, session.inputBuffer}) {
                add(statement, Kind::Statement, u"statement"_s);
                add(familyOf(statement), Kind::Statement, u"statement"_s);
            }
            m_titles.insert(sessionTitle(snapshot, session.id));
            add(session.user, Kind::User, u"user"_s);
            add(session.program, Kind::Program, u"program"_s);
            add(session.host, Kind::Host, u"host"_s);
            add(session.database, Kind::Database, u"database"_s);
        }
        for (const Resource& resource : snapshot.resources)
            note(resource.name, taken, group,
                {.kind = Kind::Lock,
                    .what = resourceKindName(resource.key.kind),
                    .lock = recordedLock(resource)});
        for (const LockTableEntry& entry : snapshot.entries) {
            note(entry.name, taken, group,
                {.kind = Kind::Lock,
                    .what = resourceKindName(ResourceKind::LockTableName),
                    .lock = recordedLock(LockTableKey{entry.table, entry.name})});
            add(entry.party.owner, Kind::User, u"user"_s);
            add(entry.party.program, Kind::Program, u"program"_s);
            add(entry.party.host, Kind::Host, u"host"_s);
        }
    }

    /// Finds the use of each text, and the last snapshot that has it. An unreadable one leaves the time of
    /// its group.
    Result<void> findUses()
    {
        std::set<qint64, std::greater<>> groups; // the newest first
        for (const Hit& hit : m_hits)
            groups.insert(hit.lastGroup);
        const auto began = std::chrono::steady_clock::now();
        for (const qint64 group : groups) {
            const bool isLate = std::chrono::steady_clock::now() - began > refiningEndsAfter;
            bool isFirst = true;
            LOCKSCOPE_TRY(m_reader.eachFrameOfGroup(group, [&](const RecordingReader::Frame& frame) {
                for (Hit& hit : m_hits) {
                    if (isFirst && hit.lastGroup == group) {
                        hit.found.last = frame.taken;
                        hit.found.lastExact = false;
                    }
                }
                isFirst = false;
                if (frame.snapshot)
                    noteAll(**frame.snapshot, group);
                return !isLate; // one snapshot shows its use
            }));
        }
        return {};
    }

    Result<void> findFirst()
    {
        LOCKSCOPE_TRY_GET(const auto span, m_reader.span());
        for (Hit& hit : m_hits) {
            LOCKSCOPE_TRY_GET(const auto times, m_reader.timesOf(hit.firstFrame));
            hit.found.firstExact = times.taken.isValid();
            hit.found.first = hit.found.firstExact ? times.taken : span.first;
            if (!hit.found.last.isValid()) // its snapshots are dropped, or were never written
                hit.found.last = hit.found.first;
        }
        return {};
    }

    /// Statements of one form are one; how recordings call sessions that block is
    /// no text of the server's.
    QList<FoundText> together()
    {
        QList<FoundText> all;
        QHash<QString, qsizetype> statements; // places in `all`
        for (const Hit& hit : m_hits) {
            FoundText found = hit.found;
            if (!hit.isUsed && m_titles.contains(found.text))
                continue;
            if (found.kind != Kind::Statement) {
                found.text = shownFamily(found.text);
                all.append(found);
                continue;
            }
            found.text = commonText(found.text);
            const auto known = statements.constFind(found.text);
            if (known == statements.cend()) {
                statements.insert(found.text, all.size());
                all.append(found);
                continue;
            }
            FoundText& same = all[*known];
            std::tie(same.first, same.firstExact) =
                std::min(std::tuple(same.first, same.firstExact), std::tuple(found.first, found.firstExact));
            std::tie(same.last, same.lastExact) =
                std::max(std::tuple(same.last, same.lastExact), std::tuple(found.last, found.lastExact));
        }
        return all;
    }

    Result<void> readEvents()
    {
        LOCKSCOPE_TRY_GET(const auto events, m_reader.eventsLike(m_pattern, maxTexts + 1));
        m_isCut = m_isCut || events.size() > maxTexts;
        for (const Event& event : events)
            m_events.append({.kind = Kind::Event,
                .what = event.kind == Event::Kind::Mark ? u"note"_s : eventKindName(event.kind),
                .text = event.what,
                .first = event.at,
                .last = event.at});
        return {};
    }

    RecordingReader& m_reader;
    const QString m_pattern;
    const QRegularExpression m_matches;
    QHash<QString, QString> m_families; ///< by statement
    QSet<QString> m_titles; ///< of sessions
    QList<Hit> m_hits;
    QHash<QString, qsizetype> m_byText; ///< places in m_hits
    QList<FoundText> m_events;
    bool m_isCut = false;
};

} // namespace

Result<FoundTexts> searchRecording(RecordingReader& reader, const QString& text, qsizetype maxCount)
{
    if (text.isEmpty())
        return failure(ErrorKind::BadInput, u"Nothing is searched for."_s);
    return TextSearch(reader, text).run(maxCount);
}

report::Section foundSection(bool hasFiles)
{
    using enum report::Type;
    using report::Column;
    using report::Shown;
    return {.columns = {{u"what"_s, u"What"_s}, Column(u"text"_s, u"Text"_s).wide(3),
                Column(Time, u"first"_s, u"First seen"_s,
                    u"By the server's clock; ≤: earlier snapshots were dropped"_s)
                    .atMost()
                    .withExact(),
                Column(Time, u"last"_s, u"Last seen"_s,
                    u"By the server's clock; ≥: perhaps also in the minute after"_s)
                    .withExact(),
                Column(u"file"_s, u"File"_s).show(hasFiles ? Shown::Always : Shown::ToPrograms).wide(1)}};
}

report::ReportRow foundRow(const FoundText& found, const QString& file)
{
    report::ReportRow row{.cells = {found.what, found.text, report::Value(found.first, found.firstExact),
                              report::Value(found.last, found.lastExact), file},
        .more = {found.text},
        .rowTime = found.last};
    if (found.lock)
        row.about = BiographySubject(*found.lock);
    return row;
}

} // namespace lockscope::record
