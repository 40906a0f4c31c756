// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/FrameworkFile.h"

#include "core/base/EnumTable.h"
#include "core/base/Sentences.h"
#include "core/frameworks/KeyFormula.h"

#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

namespace {

bool exists(FrameworkLockKind kind, Engine engine)
{
    static constexpr EnumTable<FrameworkLockKind, PerEngine<bool>> isThere(
        {{true, true, true}, {.postgres = true, .sqlServer = false, .sqlite = false},
            {.postgres = false, .sqlServer = true, .sqlite = false},
            {.postgres = true, .sqlServer = true, .sqlite = false}});
    return isThere[kind][engine];
}

/// Reads "row": how a lock that is a row is read and freed.
class RowRuleReader {
public:
    RowRuleReader(FrameworkCheck& check, const QList<Engine>& engines)
        : m_check(check)
        , m_engines(engines)
    {
    }

    FrameworkRow read(const JsonNode& node)
    {
        FrameworkRow row;
        if (!m_check.isObject(node,
                {u"held"_s, u"name"_s, u"holder"_s, u"since"_s, u"expires"_s, u"heartbeat"_s, u"dead_after"_s,
                    u"process"_s, u"keeps_session"_s, u"utc_if_finer_than"_s, u"compare"_s, u"update"_s,
                    u"delete"_s, u"never"_s}))
            return row;
        if (const JsonNode* held = node.find(u"held"))
            readHeld(*held, row);
        if (const JsonNode* name = node.find(u"name"))
            row.name = nameTemplate(*name);
        if (const JsonNode* holder = node.find(u"holder"))
            readHolder(*holder, row);
        row.since = m_check.optionalTime(node, u"since"_s, m_engines);
        row.expires = m_check.optionalTime(node, u"expires"_s, m_engines);
        row.heartbeat = m_check.optionalTime(node, u"heartbeat"_s, m_engines);
        if (const JsonNode* process = node.find(u"process"))
            row.process = processTable(*process);
        if (const JsonNode* deadAfter = node.find(u"dead_after")) {
            row.deadAfter = m_check.duration(*deadAfter);
            if (!row.heartbeat && !(row.process && row.process->heartbeat))
                m_check.note(
                    *deadAfter, u"Nothing gives the holder's last sign of life."_s, u"\"heartbeat\" too"_s);
        }
        row.keepsSession = m_check.optionalFlag(node, u"keeps_session"_s);
        if (const JsonNode* finer = node.find(u"utc_if_finer_than"))
            row.utcIfFinerThan = m_check.duration(*finer);
        if (const JsonNode* compare = m_check.need(node, u"compare"_s))
            row.compare = m_check.identifiers(*compare);
        readFreeing(node, row);
        return row;
    }

private:
    void readHeld(const JsonNode& node, FrameworkRow& row)
    {
        if (!node.is(JsonNode::Type::Array))
            m_check.noteOther(node, u"a list of conditions"_s);
        for (const JsonNode& item : node.items)
            row.held.push_back(condition(item));
    }

    FrameworkCondition condition(const JsonNode& node)
    {
        using Is = FrameworkCondition::Is;
        FrameworkCondition condition;
        if (!m_check.isObject(node, {u"column"_s, u"is"_s, u"is_not"_s, u"like"_s, u"future"_s}))
            return condition;
        condition.column = m_check.neededIdentifier(node, u"column"_s);
        const JsonNode* const test = m_check.oneOf(node, {u"is"_s, u"is_not"_s, u"like"_s, u"future"_s});
        if (!test)
            return condition;
        if (test == node.find(u"future")) {
            condition.is = Is::Future;
            condition.time = FrameworkTime{condition.column, m_check.clocks(*test, m_engines)};
        } else if (test == node.find(u"like")) {
            condition.is = Is::Like;
            condition.value = m_check.plainText(*test, 200);
        } else {
            const bool isNull = test->is(JsonNode::Type::Null);
            if (test == node.find(u"is"))
                condition.is = isNull ? Is::Null : Is::Equal;
            else
                condition.is = isNull ? Is::NotNull : Is::NotEqual;
            condition.value = m_check.value(*test);
        }
        return condition;
    }

    QString nameTemplate(const JsonNode& node)
    {
        static const QRegularExpression form(u"\\A(?:[^{}]|\\{[^{}]+\\})+\\z"_s);
        const QString text = m_check.plainText(node, 200);
        if (node.is(JsonNode::Type::String) && (!form.match(text).hasMatch() || !text.contains(u'{')))
            m_check.note(node, u"\"%1\" names no column."_s.arg(text), u"a name such as \"{name}\""_s);
        return text;
    }

    void readHolder(const JsonNode& node, FrameworkRow& row)
    {
        if (!m_check.isObject(node, {u"column"_s, u"pattern"_s}))
            return;
        row.holder = m_check.neededIdentifier(node, u"column"_s);
        if (const JsonNode* pattern = node.find(u"pattern"))
            row.holderPattern = m_check.pattern(*pattern,
                {u"host"_s, u"address"_s, u"pid"_s, u"session"_s, u"owner"_s, u"program"_s, u"since"_s},
                true);
    }

    FrameworkProcessTable processTable(const JsonNode& node)
    {
        FrameworkProcessTable process;
        if (!m_check.isObject(
                node, {u"table"_s, u"key"_s, u"from"_s, u"host"_s, u"process_id"_s, u"heartbeat"_s}))
            return process;
        process.table = m_check.neededIdentifier(node, u"table"_s);
        process.key = m_check.neededIdentifier(node, u"key"_s);
        process.from = m_check.neededIdentifier(node, u"from"_s);
        process.host = m_check.optionalIdentifier(node, u"host"_s);
        process.processId = m_check.optionalIdentifier(node, u"process_id"_s);
        process.heartbeat = m_check.optionalTime(node, u"heartbeat"_s, m_engines);
        return process;
    }

    void readFreeing(const JsonNode& node, FrameworkRow& row)
    {
        const JsonNode* const how = m_check.oneOf(node, {u"update"_s, u"delete"_s, u"never"_s});
        if (!how)
            return;
        if (how != node.find(u"update")) {
            m_check.onlyTrue(*how);
            row.mayBeFreed = how == node.find(u"delete");
        } else if (!how->is(JsonNode::Type::Object) || how->items.empty()) {
            m_check.noteOther(*how, u"an object: columns and their new values"_s);
        } else {
            for (qsizetype i = 0; i < how->keys.size(); ++i)
                row.update.emplace_back(column(*how, i), newValue(how->items[static_cast<std::size_t>(i)]));
        }
    }

    /// A name of a column that is a key of the file.
    QString column(const JsonNode& object, qsizetype index)
    {
        JsonNode key;
        key.type = JsonNode::Type::String;
        key.offset = object.keyOffsets[static_cast<std::size_t>(index)];
        key.text = object.keys[index];
        return m_check.identifier(key);
    }

    FrameworkValue newValue(const JsonNode& node)
    {
        static const QRegularExpression form(u"\\A(?:[^{}]*|\\{[^{}]+\\}(?:\\+1)?)\\z"_s);
        const FrameworkValue value = m_check.value(node);
        if (node.is(JsonNode::Type::String) && !form.match(node.text).hasMatch())
            m_check.note(node, u"\"%1\" is no new value."_s.arg(node.text),
                u"a text without braces, \"{column}\" or \"{column}+1\""_s);
        return value;
    }

    FrameworkCheck& m_check;
    const QList<Engine>& m_engines;
};

constexpr qsizetype maxNameLength = 60;
constexpr std::size_t maxLocks = 50;
constexpr std::size_t maxNames = 1'000;

const QStringList kindNames =
    EnumTable<FrameworkLockKind>({u"row", u"advisory key", u"application lock", u"table"}).list();

bool isPlainId(const QString& id)
{
    static const QRegularExpression form(u"\\A[a-z][a-z0-9-]{0,59}\\z"_s);
    return form.match(id).hasMatch();
}

/// Puts one framework together.
class Reader {
public:
    Reader(const QByteArray& text, const QString& file, Strictness strictness)
        : m_check(text, file)
        , m_strictness(strictness)
    {
        m_framework.id = QFileInfo(file).fileName();
        if (m_framework.id.endsWith(u".json"))
            m_framework.id.chop(5);
    }

    tl::expected<Framework, json::FileFaults> read()
    {
        return m_check.parsed(
            [this](const JsonNode& root) { return readAll(root); }, json::NulCharacter::Allowed);
    }

private:
    Framework readAll(const JsonNode& root)
    {
        if (!isPlainId(m_framework.id))
            m_check.note(root, u"The name of this file can't serve as the framework's id."_s,
                u"a name such as \"my-jobs.json\": small letters, digits and hyphens"_s);
        if (m_check.isObject(root,
                {u"$schema"_s, u"format"_s, u"name"_s, u"about"_s, u"versions"_s, u"sources"_s, u"issues"_s,
                    u"notes"_s, u"locks"_s}))
            readRoot(root);
        if (m_check.isFine() && m_strictness == Strictness::Proved)
            prove(root);
        return std::move(m_framework);
    }
    void readRoot(const JsonNode& root)
    {
        if (const JsonNode* schema = root.find(u"$schema"))
            m_check.plainText(*schema, 500);
        if (const JsonNode* format = m_check.need(root, u"format"_s))
            m_check.number(*format, 1, 1);
        if (const JsonNode* name = m_check.need(root, u"name"_s))
            m_framework.name = m_check.title(*name, maxNameLength);
        m_framework.about = m_check.neededWords(root, u"about"_s);
        m_framework.versions = m_check.optionalWords(root, u"versions"_s);
        m_framework.sources = m_check.addresses(root, u"sources"_s);
        m_framework.issues = m_check.addresses(root, u"issues"_s);
        m_framework.notes = m_check.optionalWords(root, u"notes"_s);
        const JsonNode* const locks = m_check.need(root, u"locks"_s);
        if (!locks || !m_check.isList(*locks, u"a list of locks"_s, maxLocks))
            return;
        for (const JsonNode& item : locks->items) {
            FrameworkLock lock = readLock(item);
            if (const JsonNode* id = item.find(u"id"); id && m_framework.lock(lock.id))
                m_check.note(
                    *id, u"There are two locks with the id \"%1\"."_s.arg(lock.id), u"an id of its own"_s);
            m_framework.locks.push_back(std::move(lock));
        }
    }

    FrameworkLock readLock(const JsonNode& node)
    {
        FrameworkLock lock;
        if (!m_check.isObject(node,
                {u"id"_s, u"name"_s, u"kind"_s, u"engines"_s, u"purpose"_s, u"ends"_s, u"danger"_s,
                    u"vendor"_s, u"in_transaction"_s, u"plain_number"_s, u"requires"_s, u"table"_s, u"row"_s,
                    u"keys"_s, u"holder_keys"_s, u"resources"_s, u"known_names"_s, u"modes"_s,
                    u"examples"_s}))
            return lock;
        if (const JsonNode* id = m_check.need(node, u"id"_s)) {
            lock.id = m_check.text(*id);
            if (id->is(JsonNode::Type::String) && !isPlainId(lock.id))
                m_check.note(*id, u"The id \"%1\" is hard to type."_s.arg(lock.id),
                    u"small letters, digits and hyphens"_s);
        }
        if (const JsonNode* name = m_check.need(node, u"name"_s))
            lock.name = m_check.title(*name, maxNameLength);
        if (const JsonNode* kind = m_check.need(node, u"kind"_s))
            lock.kind = static_cast<FrameworkLockKind>(
                std::max<qsizetype>(0, kindNames.indexOf(m_check.word(*kind, kindNames))));
        if (const JsonNode* engines = m_check.need(node, u"engines"_s))
            readEngines(*engines, lock);
        lock.purpose = m_check.neededWords(node, u"purpose"_s);
        lock.ends = m_check.neededWords(node, u"ends"_s);
        lock.danger = m_check.neededWords(node, u"danger"_s);
        if (const JsonNode* vendor = node.find(u"vendor");
            vendor && m_check.isObject(*vendor, {u"command"_s, u"note"_s})) {
            lock.vendorCommand = m_check.neededWords(*vendor, u"command"_s);
            lock.vendorNote = m_check.optionalWords(*vendor, u"note"_s);
        }
        readTables(node, lock);
        checkKind(node, lock);
        if (const JsonNode* row = node.find(u"row"))
            lock.row = RowRuleReader(m_check, lock.engines).read(*row);
        readSessionLock(node, lock);
        if (const JsonNode* modes = node.find(u"modes"))
            readModes(*modes, lock);
        if (const JsonNode* examples = node.find(u"examples"))
            readExamples(*examples, lock);
        return lock;
    }

    void readEngines(const JsonNode& node, FrameworkLock& lock)
    {
        for (const Engine engine : m_check.engines(node)) {
            lock.engines << engine;
            if (!exists(lock.kind, engine))
                m_check.note(node,
                    u"%1 has no lock of the kind \"%2\"."_s.arg(
                        engineName(engine), kindNames[qsizetype(lock.kind)]));
        }
    }

    void readTables(const JsonNode& node, FrameworkLock& lock)
    {
        if (const JsonNode* table = node.find(u"table"))
            lock.table = m_check.table(*table);
        if (const JsonNode* needed = node.find(u"requires"))
            for (FrameworkTable& table : m_check.tables(*needed))
                lock.requires_ << std::move(table);
    }

    /// Checks the fields that each kind needs, and those that it can't have.
    void checkKind(const JsonNode& node, const FrameworkLock& lock)
    {
        using Kind = FrameworkLockKind;
        const auto only = [&](const QString& key, std::initializer_list<Kind> kinds, bool isNeeded) {
            const bool fits = std::ranges::find(kinds, lock.kind) != kinds.end();
            const JsonNode* const found = node.find(key);
            if (found && !fits)
                m_check.note(*found,
                    u"A lock of the kind \"%1\" has no \"%2\"."_s.arg(kindNames[qsizetype(lock.kind)], key));
            else if (!found && fits && isNeeded)
                m_check.need(node, key);
        };
        if (!node.find(u"kind"))
            return;
        only(u"row"_s, {Kind::Row}, true);
        only(u"keys"_s, {Kind::AdvisoryKey}, true);
        only(u"resources"_s, {Kind::ApplicationLock}, true);
        only(u"modes"_s, {Kind::Table}, false);
        only(u"holder_keys"_s, {Kind::Row}, false);
        for (const QString& key : {u"in_transaction"_s, u"plain_number"_s, u"known_names"_s})
            only(key, {Kind::AdvisoryKey, Kind::ApplicationLock}, false);
        if (lock.kind == Kind::Row || lock.kind == Kind::Table)
            m_check.need(node, u"table"_s);
    }

    void readSessionLock(const JsonNode& node, FrameworkLock& lock)
    {
        lock.inTransaction = m_check.optionalFlag(node, u"in_transaction"_s);
        lock.ofPlainNumber = m_check.optionalFlag(node, u"plain_number"_s);
        KeyReader reader(m_check);
        if (const JsonNode* keys = node.find(u"keys"))
            lock.keys = reader.keys(*keys);
        if (const JsonNode* keys = node.find(u"holder_keys"))
            lock.holderKeys = reader.holderKeys(*keys);
        if (const JsonNode* resources = node.find(u"resources"))
            lock.resources = reader.resources(*resources);
        if (const JsonNode* names = node.find(u"known_names"))
            lock.knownNames = m_check.plainTexts(*names, maxNames, 255);
        if (const JsonNode* place = reader.usesTable(); place && !node.find(u"table"))
            m_check.note(*place, u"Nothing says which tables {table} may be."_s, u"the key \"table\""_s);
        const bool isAny =
            std::ranges::any_of(lock.keys, [](const AdvisoryKeyRule& key) { return key.anyNumber; });
        if ((lock.ofPlainNumber || isAny) && !node.find(u"requires"))
            m_check.note(node, u"Any program may use such keys."_s,
                u"\"requires\" with tables that only this framework has"_s);
    }

    void readModes(const JsonNode& node, FrameworkLock& lock)
    {
        if (!m_check.isObject(node, json::FileCheck::engineKeys()))
            return;
        for (qsizetype i = 0; i < node.keys.size(); ++i) {
            const auto engine = engineOfKey(node.keys[i]);
            const JsonNode& list = node.items[static_cast<std::size_t>(i)];
            if (!engine || !m_check.isList(list, u"a list of modes"_s))
                continue;
            for (const JsonNode& item : list.items) {
                const QString mode = m_check.text(item);
                if (!LockMode::fromText(*engine, mode).isKnown())
                    m_check.noteOther(item, u"a mode of %1"_s.arg(engineName(*engine)));
                lock.modes[*engine] << mode;
            }
        }
    }

    void readExamples(const JsonNode& node, FrameworkLock& lock)
    {
        if (!m_check.isList(node, u"a list of examples"_s))
            return;
        for (const JsonNode& item : node.items) {
            lock.examples.push_back(readExample(m_check, item, lock));
            m_examples.emplace_back(m_framework.locks.size(), &item);
        }
    }

    /// Checks rules that nothing needs at run time, but that a file for others must follow.
    void prove(const JsonNode& root)
    {
        const auto framework = std::make_shared<const Framework>(m_framework);
        for (std::size_t i = 0; i < framework->locks.size(); ++i)
            proveColumns(root.find(u"locks")->items[i], framework->locks[i]);
        std::size_t number = 0;
        for (std::size_t i = 0; i < m_examples.size(); ++i) {
            const auto& [lock, node] = m_examples[i];
            number = i > 0 && m_examples[i - 1].first == lock ? number + 1 : 0;
            const FrameworkLock& of = framework->locks[lock];
            if (const QString why = whyFalse(framework, of, of.examples[number]); !why.isEmpty())
                m_check.note(*node, why, u"what is recognised in it"_s);
        }
    }

    /// Checks a "table" without a list of columns: it recognises the table by the name alone.
    void proveColumns(const JsonNode& node, const FrameworkLock& lock)
    {
        if (lock.kind != FrameworkLockKind::Row || !lock.table || lock.table->columns.isEmpty())
            return;
        const JsonNode& row = *node.find(u"row");
        for (const QString& column : columnsUsed(lock.row))
            if (!lock.table->columns.contains(column, Qt::CaseInsensitive))
                m_check.note(placeOf(row, column),
                    u"The row uses the column \"%1\", which \"columns\" of its table does not list."_s.arg(
                        column),
                    u"one of "_s + lock.table->columns.join(u", "_s));
    }

    /// Returns the place where the row first names the column: the value itself, or one that holds it as a
    /// place.
    static qsizetype placeOf(const JsonNode& node, const QString& column)
    {
        for (std::size_t i = 0; i < node.items.size(); ++i) {
            const JsonNode& item = node.items[i];
            if (!node.keys.isEmpty() && node.keys[qsizetype(i)].compare(column, Qt::CaseInsensitive) == 0)
                return node.keyOffsets[i];
            const bool isIt = item.is(JsonNode::Type::String)
                && (item.text.compare(column, Qt::CaseInsensitive) == 0
                    || item.text.contains(u'{' + column + u'}', Qt::CaseInsensitive));
            const qsizetype inside = isIt ? item.offset : placeOf(item, column);
            if (inside >= 0)
                return inside;
        }
        return -1;
    }

    FrameworkCheck m_check;
    Framework m_framework;
    std::vector<std::pair<std::size_t, const JsonNode*>> m_examples; ///< the number of the lock, and where
    const Strictness m_strictness;
};

} // namespace

tl::expected<Framework, json::FileFaults> checkFrameworkFile(
    const QString& name, const QByteArray& text, Strictness strictness)
{
    if (text.size() > largestFrameworkFile)
        return tl::unexpected(json::FileFaults{{.file = name,
            .what = u"The file is larger than a framework's can be: %1 KiB."_s.arg(
                largestFrameworkFile / 1'024)}});
    return Reader(text, name, strictness).read();
}

Result<Framework> readFrameworkFile(const QString& name, const QByteArray& text)
{
    auto framework = checkFrameworkFile(name, text);
    if (framework)
        return std::move(*framework);
    QStringList lines = textOfEach(framework.error(), &json::FileFault::toString);
    return Failure(
        Error{.kind = ErrorKind::BadInput, .what = lines.takeFirst(), .detail = lines.join(u'\n')});
}

} // namespace lockscope::frameworks
