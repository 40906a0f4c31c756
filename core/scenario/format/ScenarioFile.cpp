// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/format/ScenarioFile.h"

#include "core/base/PlainFile.h"
#include "core/base/Sentences.h"
#include "core/domain/Engine.h"
#include "core/json/FileCheck.h"
#include "core/scenario/format/ProgramReader.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <tuple>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 largestFile = 1 << 20;

/// "stale_age": "Stale age".
QString labelOf(const QString& name)
{
    QString words = QString(name).replace(u'_', u' ').trimmed();
    if (!words.isEmpty())
        words[0] = words[0].toUpper();
    return words;
}

/// Puts one scenario together.
class ScenarioReader {
public:
    ScenarioReader(const QByteArray& text, const QString& file)
        : m_text(text)
        , m_file(file)
        , m_check(text, file)
    {
    }

    tl::expected<ScenarioPtr, FileFaults> read()
    {
        return m_check.parsed([this](const JsonNode& root) -> ScenarioPtr {
            if (m_check.isObject(root,
                    {u"$schema"_s, u"id"_s, u"title"_s, u"group"_s, u"place"_s, u"story"_s, u"look_at"_s,
                        u"engines"_s, u"sessions"_s, u"duration_ms"_s, u"parameters"_s, u"setup"_s,
                        u"teardown"_s, u"invariant"_s, u"rules"_s, u"explore"_s, u"variants"_s}))
                readRoot(root);
            return std::make_shared<const Scenario>(std::move(m_scenario));
        });
    }

private:
    void readRoot(const JsonNode& root)
    {
        m_scenario.file = m_file;
        m_scenario.text = m_text;
        noteIdPlace(root);
        m_scenario.id = id(root);
        m_scenario.title = m_check.neededText(root, u"title"_s);
        m_scenario.group = m_check.optionalText(root, u"group"_s);
        m_scenario.place =
            int(m_check.optionalNumber(root, u"place"_s, Scenario::unplaced, 1, Scenario::unplaced - 1));
        m_scenario.story = m_check.neededText(root, u"story"_s);
        m_scenario.lookAt = m_check.optionalText(root, u"look_at"_s);
        if (const JsonNode* node = m_check.need(root, u"engines"_s))
            m_scenario.engines = m_check.engines(*node);
        if (const JsonNode* node = root.find(u"sessions"))
            readSessions(*node);
        m_scenario.duration =
            milliseconds(m_check.optionalNumber(root, u"duration_ms"_s, 5'000, 100, 3'600'000));
        if (const JsonNode* node = root.find(u"parameters"))
            readParameters(*node);
        readScripts(root);
        if (const JsonNode* node = m_check.need(root, u"invariant"_s))
            readInvariant(*node);
        if (const JsonNode* node = root.find(u"rules"))
            readRules(*node);
        if (const JsonNode* node = root.find(u"invariant"); node && !node->find(u"sql"))
            checkJudge(*node);
        if (const JsonNode* node = root.find(u"explore"))
            readExplore(*node);
        if (const JsonNode* node = m_check.need(root, u"variants"_s))
            readVariants(*node);
    }

    void noteIdPlace(const JsonNode& root)
    {
        if (const JsonNode* node = root.find(u"id")) {
            const json::TextPlace place = json::placeOf(m_text, node->offset);
            m_scenario.idLine = place.line;
            m_scenario.idColumn = place.column;
        }
    }

    QString id(const JsonNode& object)
    {
        const JsonNode* const node = m_check.need(object, u"id"_s);
        if (!node)
            return {};
        const QString id = m_check.text(*node);
        const bool isPlain = std::ranges::all_of(
            id, [](QChar c) { return (c >= u'a' && c <= u'z') || (c >= u'0' && c <= u'9') || c == u'-'; });
        if (!isPlain || id.size() > 40)
            m_check.note(*node, u"The id \"%1\" is hard to type."_s.arg(id),
                u"at most 40 small letters, digits and hyphens"_s);
        return id;
    }

    void readSessions(const JsonNode& node)
    {
        if (!m_check.isObject(node, {u"default"_s, u"least"_s, u"most"_s}))
            return;
        const auto number = [&](const char* key, int byDefault, int least) {
            return int(m_check.optionalNumber(node, QString::fromLatin1(key), byDefault, least, 200));
        };
        m_scenario.leastSessions = number("least", 1, 1);
        m_scenario.maxSessions = number("most", 200, m_scenario.leastSessions);
        m_scenario.sessions =
            number("default", std::max(4, m_scenario.leastSessions), m_scenario.leastSessions);
        if (m_scenario.sessions > m_scenario.maxSessions)
            m_check.note(node, u"By default there are more sessions than there may be."_s,
                u"at most %1"_s.arg(m_scenario.maxSessions));
    }

    void readParameters(const JsonNode& node)
    {
        if (!node.is(JsonNode::Type::Object)) {
            m_check.noteOther(node, u"an object: name and meaning of each"_s);
            return;
        }
        for (qsizetype i = 0; i < node.keys.size(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            const QString& name = node.keys[i];
            if (!isPlainIdentifier(name) || ProgramReader::isBuiltIn(name))
                m_check.note(node.keyOffsets[at], u"A parameter can't be called \"%1\"."_s.arg(name),
                    u"a name of letters, digits and _ other than %1"_s.arg(
                        ProgramReader::builtIns().join(u", "_s)));
            m_scenario.parameters.push_back(parameter(name, node.items[at]));
        }
    }

    Parameter parameter(const QString& name, const JsonNode& node)
    {
        Parameter parameter;
        parameter.name = name;
        if (!m_check.isObject(node,
                {u"label"_s, u"unit"_s, u"meaning"_s, u"default"_s, u"least"_s, u"most"_s, u"identifier"_s}))
            return parameter;
        parameter.label = m_check.optionalText(node, u"label"_s);
        if (parameter.label.isEmpty())
            parameter.label = labelOf(name);
        parameter.unit = m_check.optionalText(node, u"unit"_s);
        parameter.meaning = m_check.neededText(node, u"meaning"_s);
        if (const JsonNode* identifier = node.find(u"identifier")) {
            for (const QString& key : {u"default"_s, u"least"_s, u"most"_s})
                if (const JsonNode* other = node.find(key))
                    m_check.note(
                        *other, u"An identifier has no \"%1\"."_s.arg(key), u"\"identifier\" alone"_s);
            parameter.type = Parameter::Type::Identifier;
            parameter.identifier = m_check.name(*identifier);
            return parameter;
        }
        constexpr qint64 maximum = 1'000'000'000;
        parameter.least = m_check.optionalNumber(node, u"least"_s, 0, -maximum, maximum);
        parameter.maximum = m_check.optionalNumber(node, u"most"_s, maximum, parameter.least, maximum);
        if (const JsonNode* byDefault = m_check.need(node, u"default"_s))
            parameter.byDefault = m_check.number(*byDefault, parameter.least, parameter.maximum);
        return parameter;
    }

    void readScripts(const JsonNode& root)
    {
        if (const JsonNode* node = m_check.need(root, u"setup"_s)) {
            m_scenario.setup = m_check.script(*node);
            for (const Engine engine : m_scenario.engines)
                if (!m_scenario.setup.contains(engine))
                    m_check.note(*node, u"There is no set-up for %1."_s.arg(engineName(engine)),
                        u"the key \"%1\", if only an empty list"_s.arg(engineKey(engine)));
            checkScript(*node, m_scenario.setup);
        }
        if (const JsonNode* node = root.find(u"teardown")) {
            m_scenario.teardown = m_check.script(*node);
            checkScript(*node, m_scenario.teardown);
        }
    }

    void checkScript(const JsonNode& node, const ScriptByEngine& script)
    {
        ProgramReader names(m_check, m_scenario);
        for (const auto& [engine, statements] : script)
            for (const SqlTemplate& statement : statements)
                names.checkNames(node, statement);
    }

    void readInvariant(const JsonNode& node)
    {
        if (!m_check.isObject(node, {u"sql"_s, u"meaning"_s, u"violation"_s, u"brief"_s, u"outcome"_s}))
            return;
        m_scenario.invariant.meaning = m_check.neededText(node, u"meaning"_s);
        const JsonNode* const sql = node.find(u"sql");
        if (!sql) {
            // Only the sessions' log shows it.
            for (const QString& key : {u"violation"_s, u"brief"_s, u"outcome"_s})
                if (const JsonNode* words = node.find(key))
                    m_check.note(
                        *words, u"Without \"sql\" nothing is counted here."_s, u"the key \"sql\", or none"_s);
            return;
        }
        m_scenario.invariant.violation = m_check.neededText(node, u"violation"_s);
        m_scenario.invariant.brief = m_check.optionalText(node, u"brief"_s);
        m_scenario.invariant.outcome = m_check.optionalText(node, u"outcome"_s);
        for (const QString& key : {u"brief"_s, u"outcome"_s})
            if (const JsonNode* words = node.find(key);
                words && words->is(JsonNode::Type::String) && !words->text.contains(u"%1"_s))
                m_check.note(*words, u"The number has no place in these words."_s, u"%1 in them"_s);
        m_scenario.invariant.sql = m_check.sql(*sql);
        ProgramReader names(m_check, m_scenario);
        for (const auto& [engine, text] : m_scenario.invariant.sql) {
            names.checkNames(*sql, text);
            for (const QString& name : {u"session"_s, u"round"_s})
                if (text.valueNames().contains(name))
                    m_check.note(*sql, u"No session asks for the invariant: it has no \":%1\"."_s.arg(name),
                        u"parameters and :sessions"_s);
        }
        for (const Engine engine : m_scenario.engines)
            if (!m_scenario.invariant.sql.contains(engine))
                m_check.note(*sql, u"There is no invariant for %1."_s.arg(engineName(engine)),
                    u"the key \"%1\""_s.arg(engineKey(engine)));
    }

    void readRules(const JsonNode& node)
    {
        if (!m_check.isObject(node,
                {u"one_holder"_s, u"processed_once"_s, u"in_order"_s, u"no_deadlock"_s, u"no_duplicate_key"_s,
                    u"nobody_waits"_s, u"longest_wait_ms"_s}))
            return;
        Rules& rules = m_scenario.rules;
        rules.oneHolder = m_check.optionalFlag(node, u"one_holder"_s);
        rules.processedOnce = m_check.optionalFlag(node, u"processed_once"_s);
        rules.inOrder = m_check.optionalFlag(node, u"in_order"_s);
        rules.noDeadlock = m_check.optionalFlag(node, u"no_deadlock"_s);
        rules.noDuplicateKey = m_check.optionalFlag(node, u"no_duplicate_key"_s);
        rules.nobodyWaits = m_check.optionalFlag(node, u"nobody_waits"_s);
        if (const JsonNode* wait = node.find(u"longest_wait_ms")) {
            rules.longestWaitMs = m_check.amount(*wait, 1);
            ProgramReader(m_check, m_scenario).checkAmount(*wait, *rules.longestWaitMs);
        }
    }

    /// Something has to show whether it went wrong.
    void checkJudge(const JsonNode& invariant)
    {
        if (m_scenario.rules.isEmpty())
            m_check.note(invariant, u"Nothing says whether it went wrong."_s,
                u"the key \"sql\", or \"rules\" by which the sessions' log is judged"_s);
    }

    void readExplore(const JsonNode& node)
    {
        if (!m_check.isObject(node, {u"sessions"_s, u"rounds"_s, u"parameters"_s, u"no_witness"_s}))
            return;
        ExploreNeeds& needs = m_scenario.explore;
        needs.sessions = int(m_check.optionalNumber(
            node, u"sessions"_s, 0, m_scenario.leastSessions, std::min(m_scenario.maxSessions, maxExplored)));
        needs.rounds = int(m_check.optionalNumber(node, u"rounds"_s, 1, 1, 100));
        needs.noWitness = m_check.optionalText(node, u"no_witness"_s);
        const JsonNode* const values = node.find(u"parameters");
        if (!values || !m_check.isObject(*values, textOfEach(m_scenario.parameters, &Parameter::name)))
            return;
        for (const Parameter& parameter : m_scenario.parameters)
            if (const JsonNode* value = values->find(parameter.name))
                needs.parameters.insert(parameter.name,
                    parameter.type == Parameter::Type::Identifier
                        ? m_check.name(*value)
                        : QString::number(m_check.number(*value, parameter.least, parameter.maximum)));
    }

    void readVariants(const JsonNode& node)
    {
        if (!node.is(JsonNode::Type::Array) || node.items.empty()) {
            m_check.note(
                node, u"There are no variants."_s, u"a list: at least one unsafe, the others safe"_s);
            return;
        }
        int unsafe = 0;
        for (const JsonNode& item : node.items) {
            Variant variant = readVariant(item);
            unsafe += variant.isUnsafe ? 1 : 0;
            if (m_scenario.find(variant.id))
                m_check.note(item.find(u"id") ? *item.find(u"id") : item,
                    u"There are two variants with the id \"%1\"."_s.arg(variant.id), u"an id of its own"_s);
            m_scenario.variants.push_back(std::move(variant));
        }
        if (unsafe == 0)
            m_check.note(node, u"No variant is unsafe."_s, u"at least one"_s);
    }

    Variant readVariant(const JsonNode& node)
    {
        Variant variant;
        if (!m_check.isObject(node,
                {u"id"_s, u"title"_s, u"strategy"_s, u"meaning"_s, u"assumes"_s, u"unsafe"_s, u"engines"_s,
                    u"setup"_s, u"roles"_s}))
            return variant;
        variant.id = id(node);
        variant.title = m_check.neededText(node, u"title"_s);
        variant.strategy = m_check.neededText(node, u"strategy"_s);
        variant.meaning = m_check.neededText(node, u"meaning"_s);
        if (const JsonNode* assumes = node.find(u"assumes"))
            variant.assumes = m_check.text(*assumes);
        variant.isUnsafe = m_check.optionalFlag(node, u"unsafe"_s);
        variant.engines = m_scenario.engines;
        if (const JsonNode* engines = node.find(u"engines")) {
            variant.engines = m_check.engines(*engines);
            for (const Engine engine : variant.engines)
                if (!m_scenario.engines.contains(engine))
                    m_check.note(*engines, u"The scenario does not run on %1."_s.arg(engineName(engine)),
                        u"engines of the scenario"_s);
        }
        if (const JsonNode* setup = node.find(u"setup")) {
            variant.setup = m_check.script(*setup);
            checkScript(*setup, variant.setup);
        }
        const JsonNode* const roles = m_check.need(node, u"roles"_s);
        if (!roles)
            return variant;
        if (!roles->is(JsonNode::Type::Array) || roles->items.empty())
            m_check.note(*roles, u"Nobody does anything here."_s, u"a list of roles"_s);
        else
            readRoles(*roles, variant);
        return variant;
    }

    void readRoles(const JsonNode& roles, Variant& variant)
    {
        int counted = 0;
        bool takesTheRest = false;
        for (const JsonNode& item : roles.items) {
            variant.roles.push_back(ProgramReader(m_check, m_scenario).role(item, variant.engines));
            counted += variant.roles.back().count;
            takesTheRest = takesTheRest || variant.roles.back().count == 0;
        }
        if (!takesTheRest)
            m_check.note(roles, u"All roles have a fixed number of sessions."_s,
                u"one without \"count\", which gets the others"_s);
        if (counted >= m_scenario.leastSessions && counted > 0 && m_check.isFine())
            m_check.note(roles,
                u"With the least number of sessions, nobody would be left for the other roles."_s,
                u"\"sessions\": {\"least\": %1} or more"_s.arg(counted + 1));
    }

    const QByteArray& m_text;
    const QString m_file;
    ScenarioFileCheck m_check;
    Scenario m_scenario;
};

FileFaults wholeFile(const QString& path, const QString& what)
{
    return {FileFault{.file = path, .what = what}};
}

} // namespace

tl::expected<ScenarioPtr, FileFaults> readScenario(const QByteArray& text, const QString& file)
{
    if (text.size() > largestFile)
        return tl::unexpected(wholeFile(file, u"The file is larger than a scenario can be: 1 MiB."_s));
    return ScenarioReader(text, file).read();
}

tl::expected<ScenarioPtr, FileFaults> readScenarioFile(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return tl::unexpected(wholeFile(path, u"The file can't be read: %1."_s.arg(file.errorString())));
    return readScenario(file.read(largestFile + 1), path);
}

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
    std::ranges::sort(edits, std::greater(), &Edit::from);
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
    const auto found =
        std::ranges::find_if(scenarios, [id](const ScenarioPtr& scenario) { return scenario->id == id; });
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
    std::ranges::stable_sort(library.scenarios, [](const ScenarioPtr& a, const ScenarioPtr& b) {
        return std::tie(a->place, a->title) < std::tie(b->place, b->title);
    });
    return library;
}

Result<OwnCopy> writeOwnCopy(const Scenario& scenario, const Library& library)
{
    const QDir folder = userFolder();
    if (!folder.mkpath(u"."_s))
        return failure(ErrorKind::BadInput, u"The folder %1 can't be made."_s.arg(folder.path()));
    LOCKSCOPE_TRY_GET(auto copy, ownCopyOf(scenario, library, folder));
    // Editors complete and check the file by it.
    const QString schema = u"scenario.schema.json"_s;
    if (!folder.exists(schema))
        std::ignore = writeFile(folder.filePath(schema), builtInFile(u"/scenarios/"_s + schema));
    const auto written = writeFile(copy.path, copy.content);
    return ifDone(written, std::move(copy));
}

} // namespace lockscope::scenario
