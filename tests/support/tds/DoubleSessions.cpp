// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/DoubleSessions.h"

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

DoubleSessions::Row* DoubleSessions::find(int id)
{
    const auto found = m_rows.find(id);
    return found == m_rows.end() ? nullptr : &found->second;
}

std::vector<DoubleSessions::Row> DoubleSessions::rows() const
{
    std::vector<Row> rows;
    for (const auto& [id, row] : m_rows)
        rows.push_back(row);
    return rows;
}

DoubleSessions::Word DoubleSessions::refusal(int by, int target) const
{
    if (m_mayKill && !m_mayKill(by))
        return ServerMessage{6102, u"User does not have permission to use the KILL statement."_s, 14};
    if (target < 1 || target > greatestId)
        return ServerMessage{6101,
            u"Process ID %1 is not a valid process ID. Choose a number between 1 and %2."_s.arg(target).arg(
                greatestId)};
    return std::nullopt;
}

DoubleSessions::Word DoubleSessions::kill(int by, bool inTransaction, int target)
{
    if (auto word = refusal(by, target))
        return word;
    if (inTransaction)
        return ServerMessage{6115, u"KILL command cannot be used inside user transactions."_s};
    if (target == by)
        return ServerMessage{6104, u"Cannot use KILL to kill your own process."_s};
    const Row* const row = find(target);
    if (!row)
        return ServerMessage{6106, u"Process ID %1 is not an active process ID."_s.arg(target)};
    if (!row->isUser)
        return ServerMessage{6107, u"Only user processes can be killed."_s, 14};
    if (row->rollback)
        return killStatus(by, target);
    if (m_end)
        m_end(target);
    return std::nullopt;
}

DoubleSessions::Word DoubleSessions::killStatus(int by, int target)
{
    if (auto word = refusal(by, target))
        return word;
    const Row* const row = find(target);
    if (!row || !row->rollback)
        return ServerMessage{6120,
            u"Status report cannot be obtained. Rollback operation for Process ID %1 is not in progress."_s
                .arg(target)};
    return ServerMessage{6109,
        u"SPID %1: transaction rollback in progress. Estimated rollback completion: %2%. Estimated time remaining: %3 seconds."_s
            .arg(target)
            .arg(row->rollback->percent)
            .arg(row->rollback->secondsLeft),
        10};
}

} // namespace lockscope::test::tds
