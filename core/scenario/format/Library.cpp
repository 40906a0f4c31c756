// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The scenarios that there are: the other part of ScenarioFile.h.

#include "core/scenario/format/ScenarioFile.h"

#include "core/base/Folders.h"
#include "core/base/PlainFile.h"
#include "core/base/WriteFile.h"
#include "core/json/JsonText.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>

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

namespace {

/// One text is put in the place of another one.
struct Edit {
    qsizetype from;
    qsizetype to;
    QByteArray text;
};

/// Returns the place of a text in quotes that begins there, with the quotes.
Edit quotedAt(const QByteArray& text, qsizetype offset)
{
    qsizetype end = offset + 1;
    while (end < text.size() && text[end] != '"')
        end += text[end] == '\\' ? 2 : 1;
    return {offset, end + 1, {}};
}

QByteArray inQuotes(const QString& text)
{
    QByteArray list = QJsonDocument(QJsonArray{text}).toJson(QJsonDocument::Compact);
    return list.mid(1, list.size() - 2);
}

std::vector<Edit> editsForOwn(const QByteArray& text, const json::JsonNode& root, const OwnCopy& copy)
{
    std::vector<Edit> edits;
    for (qsizetype i = 0; i < root.keys.size(); ++i) {
        const json::JsonNode& value = root.items[static_cast<std::size_t>(i)];
        const QString& key = root.keys[i];
        const bool isNamed = key == u"id"_s || (key == u"title"_s && value.is(json::JsonNode::Type::String));
        const bool isOfGroup = key == u"group"_s || key == u"place"_s;
        if (isNamed) {
            edits.push_back(quotedAt(text, value.offset));
            edits.back().text = inQuotes(key == u"id"_s ? copy.id : u"My copy of "_s + value.text);
        } else if (isOfGroup && i + 1 < root.keys.size()) {
            edits.push_back({root.keyOffsets[static_cast<std::size_t>(i)],
                root.keyOffsets[static_cast<std::size_t>(i) + 1], {}});
        }
    }
    return edits;
}

/// Makes it for a new file in that folder, and writes nothing.
Result<OwnCopy> ownCopyOf(const Scenario& scenario, const Library& library, const QDir& userFiles)
{
    constexpr qsizetype longest = 36; // of an id, with space for a number
    const auto root = json::parseJson(scenario.text);
    if (!root)
        return failure(ErrorKind::Internal, u"The scenario's file can't be read any more."_s);
    OwnCopy copy;
    const QString base = (u"my-"_s + scenario.id).left(longest);
    const auto isTaken = [&] {
        copy.path = userFiles.filePath(copy.id + u".json"_s);
        return library.find(copy.id) || QFileInfo::exists(copy.path);
    };
    copy.id = base;
    for (int number = 2; isTaken(); ++number)
        copy.id = u"%1-%2"_s.arg(base).arg(number);
    copy.content = scenario.text;
    std::vector<Edit> edits = editsForOwn(scenario.text, *root, copy);
    std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.from > b.from; });
    for (const Edit& edit : edits)
        copy.content.replace(edit.from, edit.to - edit.from, edit.text);
    if (!readScenario(copy.content, copy.path))
        return failure(ErrorKind::Internal, u"The scenario can't be copied."_s);
    return copy;
}

} // namespace

FileFault idIsTaken(const Scenario& scenario, const Scenario& other)
{
    return {.file = scenario.file,
        .line = scenario.idLine,
        .column = scenario.idColumn,
        .what = u"There is a scenario with the id \"%1\" already: %2."_s.arg(other.id, other.file),
        .expected = u"an id of its own"_s};
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
    return QDir(set.isEmpty() ? dataFolder() + u"/scenarios"_s : set);
}

Library loadLibrary(const std::optional<QDir>& userFiles)
{
    Library library;
    loadFrom(QDir(shippedFolder), library);
    if (userFiles && userFiles->exists())
        loadFrom(*userFiles, library);
    std::stable_sort(
        library.scenarios.begin(), library.scenarios.end(), [](const ScenarioPtr& a, const ScenarioPtr& b) {
            return std::tie(a->place, a->title) < std::tie(b->place, b->title);
        });
    return library;
}

Result<OwnCopy> writeOwnCopy(const Scenario& scenario, const Library& library)
{
    const QDir folder = userFolder();
    if (!folder.mkpath(u"."_s))
        return failure(ErrorKind::BadInput, u"The folder %1 can't be made."_s.arg(folder.path()));
    auto copy = ownCopyOf(scenario, library, folder);
    if (!copy)
        return copy;
    // Editors complete and check the file by it.
    const QString schema = u"scenario.schema.json"_s;
    if (!folder.exists(schema))
        std::ignore = writeFile(folder.filePath(schema), builtInFile(u"/scenarios/"_s + schema));
    const auto written = writeFile(copy->path, copy->content);
    return ifDone(written, std::move(*copy));
}

} // namespace lockscope::scenario
