// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/postgres/HistoryLink.h"

#include "core/record/postgres/HistorySchema.h"

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

db::ConnectOptions writing()
{
    return {.purpose = db::Purpose::Admin, // waits for no lock for long
        .programSuffix = u"history"_s,
        .statementTimeout = std::chrono::seconds(30)};
}

} // namespace

void HistoryAccess::forgive()
{
    const MutexLock lock(m_mutex);
    m_refusal.reset();
}

std::optional<Error> HistoryAccess::refusal() const
{
    const MutexLock lock(m_mutex);
    return m_refusal;
}

HistoryLink::HistoryLink(db::Server server, std::shared_ptr<HistoryAccess> access)
    : m_connection(std::move(server), writing())
    , m_access(std::move(access))
{
}

Result<void> HistoryLink::ensureOpen()
{
    ++m_uses;
    const auto opened = m_connection.isOpen() ? Result<void>() : open();
    m_failure = opened ? std::nullopt : std::optional(opened.error());
    return opened;
}

Result<void> HistoryLink::open()
{
    const MutexLock lock(m_access->m_opening);
    if (auto refusal = m_access->refusal())
        return Failure(std::move(*refusal));
    const auto opened = m_connection.tryNow();
    if (!opened) {
        if (opened.error().kind == ErrorKind::Login) {
            const MutexLock refusing(m_access->m_mutex);
            m_access->m_refusal = opened.error();
        }
        return Failure(opened.error());
    }
    ++m_access->m_openings;
    auto fit = checkHistory(*m_connection);
    if (!fit)
        m_connection.close();
    return fit;
}

void HistoryLink::noteFailure(const Error& error)
{
    if (error.kind == ErrorKind::Connection || error.kind == ErrorKind::ReadOnly) {
        m_connection.close();
        m_failure = error;
    }
}

} // namespace lockscope::record
