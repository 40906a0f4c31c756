// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Shows the values that steps have read, and the contents of the tables: a part of StepRun.

#include "core/scenario/run/StepRun.h"

#include "core/scenario/run/PreparedRun.h"

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

/// Notes the values that the ended step has read.
void StepRun::noteRead(std::size_t at)
{
    const Latest& latest = m_latest[at];
    const auto line = std::size_t(latest.line);
    SteppedView& view = m_views[at];
    if (latest.line < 0 || line >= view.done.size() || view.lastOutcome != StepOutcome::Done)
        return;
    QStringList names;
    if (const auto* const sql = std::get_if<SqlStep>(&latest.step->act))
        names = sql->into;
    else if (const auto* const acquire = std::get_if<AcquireStep>(&latest.step->act);
             acquire && !acquire->fencingInto.isEmpty())
        names << acquire->fencingInto;
    QStringList read;
    const Values& values = m_sessions[at]->session().values();
    for (const QString& name : names)
        read << u"%1 = %2"_s.arg(name, textOf(values.value(name)));
    view.done[line].read = read.join(u", "_s);
}

Result<std::vector<TableState>> StepRun::tables(const std::stop_token& stop)
{
    if (!m_tables)
        m_tables = std::make_unique<TableReader>(m_run->context);
    return m_tables->read(stop);
}

} // namespace lockscope::scenario
