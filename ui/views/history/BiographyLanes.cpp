// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/history/BiographyLanes.h"

#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"
#include "core/base/ShownText.h"
#include "core/domain/SnapshotNames.h"

#include <QHash>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

bool isOfLock(const record::Biography& biography)
{
    return std::holds_alternative<record::RecordedLock>(biography.subject);
}

QString handOverText(const record::Biography& biography, const record::HandOver& handOver)
{
    const auto title = [&](qsizetype line) { return biography.lines[line].recordedParty().title(); };
    QString text = u"At %1 %2 got it"_s.arg(clockText(handOver.at), title(handOver.to));
    if (handOver.from)
        text += u" after %1"_s.arg(title(*handOver.from));
    if (handOver.wait)
        text += u", having waited %1"_s.arg(lengthOf(biography.lines[*handOver.wait]).toString());
    return text;
}

} // namespace

std::vector<BiographyLane> lanesOf(const record::Biography& biography)
{
    std::vector<BiographyLane> lanes;
    const bool ofLock = isOfLock(biography);
    for (const bool waited : {false, true}) {
        std::vector<BiographyLane> some;
        QHash<QString, std::size_t> places;
        for (qsizetype i = 0; i < biography.lines.size(); ++i) {
            const record::HistoryLine& line = biography.lines[i];
            if (line.waited != waited)
                continue;
            const record::RecordedParty party = line.recordedParty();
            const QString key = ofLock ? u"%1 %2 %3 %4 %5"_s.arg(party.session.value)
                                             .arg(party.started.us)
                                             .arg(party.user, party.program, party.host)
                                       : line.recordedLock().key();
            const auto place = places.constFind(key);
            if (place == places.cend()) {
                places.insert(key, some.size());
                some.push_back(
                    {.name = inOneLine(ofLock ? party.title() : line.lock), .waited = waited, .lines = {i}});
            } else {
                some[*place].lines.append(i);
            }
        }
        if (some.empty())
            continue;
        lanes.push_back({.name = waited ? (ofLock ? u"Waited for it"_s : u"It waited for"_s)
                                        : (ofLock ? u"Held it"_s : u"It held"_s),
            .isHeading = true,
            .waited = waited});
        lanes.insert(lanes.end(), some.begin(), some.end());
    }
    return lanes;
}

QString describeTime(
    const record::Biography& biography, const BiographyLane& lane, ServerTime at, microseconds reach)
{
    QStringList texts;
    for (const qsizetype each : lane.lines) {
        const record::HistoryLine& line = biography.lines[each];
        if (line.from <= at + reach && line.gone.value_or(line.to) + reach >= at)
            texts << inOneLine(describe(line, biography.subject));
        constexpr qsizetype maximum = 4;
        if (texts.size() == maximum)
            break;
    }
    for (const record::HandOver& handOver : biography.handOvers) {
        if (handOver.at >= at - reach && handOver.at <= at + reach && lane.lines.contains(handOver.to))
            texts << inOneLine(handOverText(biography, handOver));
    }
    for (const record::Coverage::Gap& gap : biography.coverage.gaps) {
        if (at >= gap.from && at <= gap.to)
            texts << inOneLine(gap.toString());
    }
    return texts.join(u'\n');
}

QString describeBiography(const record::Biography& biography)
{
    qsizetype waits = 0;
    for (const record::HistoryLine& line : biography.lines)
        waits += line.waited ? 1 : 0;
    return u"%1 from %2 to %3: held %4 times, waited for %5 times, handed over %6 times. %7"_s
        .arg(inOneLine(biography.title), dateTimeText(biography.from), dateTimeText(biography.to))
        .arg(biography.lines.size() - waits)
        .arg(waits)
        .arg(biography.handOvers.size())
        .arg(biography.coverage.toString());
}

} // namespace lockscope::ui
