// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// The intervals of an UploadBatch, with the resources and parties that they name.
#include "core/record/postgres/UploadBatch.h"

#include <algorithm>
#include <limits>

namespace lockscope::record {

namespace {

constexpr ServerTime always{std::numeric_limits<qint64>::min()};
constexpr ServerTime noEnd{std::numeric_limits<qint64>::max()};

} // namespace

Result<void> UploadSource::addNames(UploadBatch& batch, qint64 resource, qint64 party)
{
    Result<void> read;
    if (!m_sent.resources.contains(resource)) {
        m_sent.resources.insert(resource);
        read = m_file->run("recording/upload/resource", {resource}, [&](const Store::Row& row) {
            batch.resources << batch.day << m_key << resource << row.text(0) << row.text(1) << row.text(2)
                            << row.text(3);
            batch.resources.endRow();
            return true;
        });
    }
    if (read && !m_sent.parties.contains(party)) {
        m_sent.parties.insert(party);
        read = m_file->run("recording/upload/party", {party}, [&](const Store::Row& row) {
            batch.parties << batch.day << m_key << party << row.number(0) << row.number(1) << row.text(2)
                          << row.text(3) << row.text(4);
            batch.parties.endRow();
            return true;
        });
    }
    return read;
}

/// An interval is written with the frame that lacks it, and ended with the one before, so that those of a
/// batch are found by its times. What ended at another time (a lease that expired before the first poll, a
/// clock that was set back) leaves a gap in the numbers; then, and once a segment, all are gone through.
Result<void> UploadSource::addIntervals(UploadBatch& batch, const std::vector<FrameToSend>& frames)
{
    ServerTime from = m_reached.frame == 0 ? always : m_reached.taken;
    ServerTime to = m_reached.taken;
    for (const FrameToSend& frame : frames) {
        from = std::min(from, frame.taken);
        to = std::max(to, frame.taken);
    }
    std::vector<Interval> rows;
    const qint64 segment = frames.empty() ? m_lastSegment : frames.back().segment;
    const bool goesThroughAll = batch.isLast && m_goneThroughIn != segment;
    Result<void> read;
    if (!goesThroughAll) {
        read = readIntervals("recording/upload/intervals_between",
            {from.us, (batch.isLast ? noEnd : to).us, m_nextInterval}, rows);
        const bool hasGaps =
            !rows.empty() && rows.back().number - m_nextInterval + 1 != static_cast<qint64>(rows.size());
        if (read && hasGaps)
            read = readIntervals(
                "recording/upload/intervals_numbered", {m_nextInterval, qint64(rows.back().number)}, rows);
    } else {
        read = readIntervals("recording/upload/intervals_numbered", {m_nextInterval, noEnd.us}, rows);
        m_goneThroughIn = segment;
    }
    for (size_t i = 0; i < rows.size() && read; ++i) {
        const Interval& row = rows[i];
        read = addNames(batch, row.resource, row.party);
        addText(batch, row.statement);
        batch.intervals << batch.day << m_key << row.number << row.resource << row.party << row.from
                        << row.mode << row.waited << row.fromExact << row.to;
        row.gone ? batch.intervals << *row.gone : batch.intervals.null();
        batch.intervals << row.polls << row.doubt << row.statement;
        batch.intervals.endRow();
        batch.after.interval = row.number;
    }
    return read;
}

Result<void> UploadSource::readIntervals(
    const char* statement, std::initializer_list<Value> values, std::vector<Interval>& rows)
{
    rows.clear();
    return m_file->run(statement, values, [&rows](const Store::Row& row) {
        rows.push_back(
            {row.number(0), row.number(1), row.number(2), row.number(3), row.text(4), row.number(5),
                row.number(6), row.number(7), row.isNull(8) ? std::nullopt : std::optional(row.number(8)),
                row.number(9), row.number(10), row.number(11)});
        return true;
    });
}

/// Adds those that are open at the end of the file: until the history has come there it has none.
Result<void> UploadSource::addOpen(UploadBatch& batch)
{
    struct Row {
        qint64 id;
        qint64 resource;
        qint64 party;
        qint64 statement;
        CopyRows line;
    };
    std::vector<Row> rows;
    m_nextOpen.clear();
    if (batch.isLast) {
        const auto read = m_file->run("recording/upload/open_intervals", {}, [&](const Store::Row& row) {
            Row open{row.number(0), row.number(1), row.number(2), row.number(9), {}};
            open.line << batch.day << m_key << open.id << open.resource << open.party << row.number(3)
                      << row.text(4) << row.number(5) << row.number(6) << row.number(7) << row.number(8)
                      << open.statement;
            open.line.endRow();
            m_nextOpen.emplace(open.id, open.line.bytes());
            rows.push_back(std::move(open));
            return true;
        });
        if (!read)
            return read;
    }
    // On another day their resources and parties are sent again.
    if (m_open && (m_openDay == batch.day || (m_open->empty() && m_nextOpen.empty()))) {
        batch.gone.emplace();
        for (const auto& [id, line] : *m_open) {
            const auto now = m_nextOpen.find(id);
            if (now == m_nextOpen.end() || now->second != line)
                batch.gone->push_back(id);
        }
    }
    for (const Row& row : rows) {
        const bool isKnown = batch.gone && m_open->contains(row.id) && m_open->at(row.id) == row.line.bytes();
        if (isKnown)
            continue;
        if (auto added = addNames(batch, row.resource, row.party); !added)
            return added;
        addText(batch, row.statement);
        batch.open.append(row.line);
    }
    return {};
}

} // namespace lockscope::record
