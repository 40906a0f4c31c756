// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/deadlocks/KeptScenario.h"

#include "core/base/WriteFile.h"
#include "core/scenario/deadlock/DeadlockScenario.h"
#include "core/scenario/format/ScenarioFile.h"

#include <QDir>
#include <QFileInfo>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

KeptScenario keepScenario(const deadlock::Deadlock& deadlock)
{
    const auto made = scenario::deadlockScenario(deadlock);
    if (!made)
        return {{}, {AgeLevel::Amber, u"No scenario can be made of it."_s, made.error().what, {}, {}}};
    const QDir folder = scenario::userFolder();
    const QString path = folder.filePath(made->scenario->id + u".json"_s);
    if (!folder.mkpath(u"."_s))
        return {{}, {AgeLevel::Red, u"%1 can't be made."_s.arg(folder.path()), {}, {}, {}}};
    const bool isThere = QFileInfo::exists(path);
    if (const auto written = isThere ? Result<void>() : writeFile(path, made->scenario->text); !written)
        return {{}, {AgeLevel::Red, written.error().what, written.error().detail, {}, {}}};
    const QString text =
        isThere ? u"The scenario was made before, and stays as it is: %1."_s : u"The scenario is %1."_s;
    return {made->scenario->id,
        {AgeLevel::Normal, text.arg(QDir::toNativeSeparators(path)),
            u"Not in it: "_s + made->leftOut.join(u' '), {}, {}}};
}

} // namespace lockscope::ui
