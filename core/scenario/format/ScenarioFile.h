// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/json/FileCheck.h"
#include "core/scenario/format/Scenario.h"

#include <QDir>

#include <optional>

namespace lockscope::scenario {

using json::FileFault;
using json::FileFaults;

/// Reads a scenario as resources/scenarios/scenario.schema.json describes it, and checks what a schema can't:
/// that values are known where they are used, and sessions give back only what they take. All faults at once,
/// in the order of the file. Thread-safe.
tl::expected<ScenarioPtr, FileFaults> readScenario(const QByteArray& text, const QString& file);
tl::expected<ScenarioPtr, FileFaults> readScenarioFile(const QString& path);

/// Returns the fault that two files have one id; `scenario` is the one that is not let in.
FileFault idIsTaken(const Scenario& scenario, const Scenario& other);

/// Every scenario there is: those that are compiled in, then the user's. A bad file never hides the others.
struct Library {
    std::vector<ScenarioPtr> scenarios; ///< by place, then by title
    FileFaults faults;

    ScenarioPtr find(QStringView id) const;
};
/// The user's own folder: LOCKSCOPE_SCENARIO_DIR, else "lockscope/scenarios" in the user's data directory.
QDir userFolder();
/// Those that come with the program and, unless there is nothing, those of a folder. Blocks on its disk.
Library loadLibrary(const std::optional<QDir>& userFiles = userFolder());

/// A scenario's file as one of the user's own.
struct OwnCopy {
    QString id;
    QString path;
    QByteArray content;
};
/// Writes a copy of the scenario's text with an id and a title of its own and outside of all groups, as a new
/// file in the user's folder. Any thread; blocks on the disk.
Result<OwnCopy> writeOwnCopy(const Scenario& scenario, const Library& library);

} // namespace lockscope::scenario
