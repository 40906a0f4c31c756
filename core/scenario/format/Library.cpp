// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The scenarios that there are: the other part of ScenarioFile.h.

#include "core/scenario/format/ScenarioFile.h"

#include <QStandardPaths>

#include <algorithm>
#include <tuple>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr auto shippedFolder = ":/scenarios"_L1;

void loadFrom(const QDir& folder, Library& library)
{
    for (const QString& name : folder.entryList({u"*.json"_s}, QDir::Files, QDir::Name)) {
        if (name.endsWith(u".schema.json"))
            continue;
        auto scenario = readScenarioFile(folder.filePath(name));
        if (!scenario) {
            library.faults.insert(library.faults.end(), scenario.error().begin(), scenario.error().end());
        } else if (const ScenarioPtr other = library.find((*scenario)->id)) {
            library.faults.push_back(idIsTaken(**scenario, *other));
        } else {
            library.scenarios.push_back(std::move(*scenario));
        }
    }
}

} // namespace

FileFault idIsTaken(const Scenario& scenario, const Scenario& other)
{
    return {scenario.file, scenario.idLine, scenario.idColumn,
        u"There is a scenario with the id \"%1\" already: %2."_s.arg(other.id, other.file),
        u"an id of its own"_s};
}

ScenarioPtr Library::find(QStringView id) const
{
    const auto found = std::find_if(
        scenarios.begin(), scenarios.end(), [id](const ScenarioPtr& scenario) { return scenario->id == id; });
    return found == scenarios.end() ? nullptr : *found;
}

QDir userFolder()
{
    const QString set = qEnvironmentVariable("LOCKSCOPE_SCENARIO_DIR");
    if (!set.isEmpty())
        return QDir(set);
    return QDir(
        QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + u"/lockscope/scenarios"_s);
}

Library loadLibrary(const QDir& userFiles)
{
    Library library;
    loadFrom(QDir(shippedFolder), library);
    if (userFiles.exists())
        loadFrom(userFiles, library);
    std::stable_sort(
        library.scenarios.begin(), library.scenarios.end(), [](const ScenarioPtr& a, const ScenarioPtr& b) {
            return std::tie(a->place, a->title) < std::tie(b->place, b->title);
        });
    return library;
}

} // namespace lockscope::scenario
