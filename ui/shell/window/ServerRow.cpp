// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/ServerRow.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/domain/Harm.h"
#include "core/record/postgres/HistoryStore.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/shell/servers/ServerSession.h"
#include "ui/views/page/DateTimeText.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

SideBar::ServerItem serverRow(
    const db::ServerProfile& profile, const ServerSession* session, const LockThresholds& thresholds)
{
    SideBar::ServerItem row;
    row.name = profile.display();
    row.color = environmentColor(profile.environment);
    if (!session) {
        row.health = u"Not open"_s;
        row.mark = serverMark(profile);
        return row;
    }
    row.open = true;
    if (const OpenedRecording* recording = session->recording()) {
        row.isRecording = true;
        row.open = recording->error.has_value(); // how it is now is not known
        const bool isHistory = record::HistoryPlace::isOne(recording->place);
        row.mark = isHistory ? u"HISTORY"_s : u"RECORDING"_s;
        row.health = recording->error ? u"Can't be read"_s : spanText(recording->span);
        if (isHistory && !recording->identity.writer.isEmpty())
            row.health += u", by %1"_s.arg(recording->identity.writer);
        row.level = recording->error ? AgeLevel::Red : AgeLevel::Normal;
        return row;
    }
    row.mark = serverMark(session->profile());
    row.health = healthWord(session->monitor().health());
    row.level = healthLevel(session->monitor().health());
    // Of one that is not read any more, only that is known.
    if (session->isOld() || !session->monitor().snapshot())
        return row;
    const monitor::Figures& figures = session->figures();
    if (figures.waiters == 0) {
        row.waits = u"nobody waits"_s;
        return row;
    }
    row.waits = u"%1, %2"_s.arg(counted(figures.waiters, u"waits", u"wait"), figures.longestWait.toString());
    row.waitLevel =
        levelOf(Harm{.victims = figures.waiters, .longestWait = figures.longestWait.value}, thresholds.wait);
    return row;
}

} // namespace lockscope::ui
