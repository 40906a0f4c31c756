// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/sqlserver/SqlServerDetails.h"

#include "core/domain/Resource.h"

#include <algorithm>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

constexpr size_t maxAtOnce = 8; // of each kind, in a poll
constexpr qsizetype maxPages = 1'000;

QString pageText(const SqlServerPage& page)
{
    return u"page %1:%2:%3"_s.arg(page.database).arg(page.file).arg(page.page);
}

} // namespace

void SqlServerDetails::request(const db::SqlServerFacts& facts, const SqlServerSessions& sessions,
    const std::vector<SqlServerWait>& waits)
{
    std::vector<InputBuffer> requested;
    if (facts.hasView(u"dm_exec_input_buffer"_s)) {
        for (const SleepingBlocker& blocker : sessions.sleepingBlockers(waits)) {
            const auto known = std::find_if(m_inputBuffers.begin(), m_inputBuffers.end(),
                [&blocker](const InputBuffer& buffer) { return buffer.of == blocker; });
            requested.push_back(known == m_inputBuffers.end() ? InputBuffer{blocker, false, {}} : *known);
        }
    }
    m_inputBuffers = std::move(requested);
    m_pageWaits.clear();
    m_mayAskPages = facts.hasPageInfo();
    for (const auto& [session, page] : sessions.latchedPages())
        m_pageWaits.push_back({session, page});
}

std::vector<db::BatchItem> SqlServerDetails::lookUps()
{
    std::vector<db::BatchItem> items;
    for (InputBuffer& buffer : m_inputBuffers) {
        if (buffer.asked || items.size() == maxAtOnce)
            continue;
        buffer.asked = true; // even without the right to it, it is not asked again
        items.push_back({.statement = &db::Statement::get("sqlserver/details/input_buffer"),
            .params = {buffer.of.session.id.value},
            .sink = [this, of = buffer.of](const db::Row& row) {
                for (InputBuffer& known : m_inputBuffers) {
                    if (known.of == of)
                        known.text = row.text(0);
                }
            }});
    }
    if (!m_mayAskPages)
        return items;
    if (m_pages.size() > maxPages)
        m_pages.clear();
    size_t asked = 0;
    for (const PageWait& wait : m_pageWaits) {
        const SqlServerPage page = wait.page;
        if (m_pages.contains(page) || asked == maxAtOnce)
            continue;
        ++asked;
        m_pages.insert(page, {});
        items.push_back({.statement = &db::Statement::get("sqlserver/names/page_object"),
            .params = {qint64(page.database), qint64(page.file), qint64(page.page)},
            .sink = [this, page](const db::Row& row) {
                m_pages[page] = row.isNull(0) ? row.text(1) : row.text(0) + u'.' + row.text(1);
            }});
    }
    return items;
}

void SqlServerDetails::fillIn(std::vector<Session>& sessions) const
{
    const auto find = [&sessions](SessionId id) {
        return std::find_if(
            sessions.begin(), sessions.end(), [id](const Session& session) { return session.id == id; });
    };
    for (const InputBuffer& buffer : m_inputBuffers) {
        const auto session = find(buffer.of.session.id);
        if (session != sessions.end() && session->key() == buffer.of.session)
            session->inputBuffer = buffer.text;
    }
    for (const PageWait& wait : m_pageWaits) {
        const auto session = find(wait.session);
        if (session == sessions.end())
            continue;
        session->waitResource = TablePart{m_pages.value(wait.page), pageText(wait.page)}.name();
    }
}

} // namespace lockscope::monitor
