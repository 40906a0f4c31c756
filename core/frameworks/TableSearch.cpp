// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/TableSearch.h"

#include "core/db/SchemaTrust.h"
#include "core/db/Statement.h"
#include "core/db/postgres/PostgresDialect.h"
#include "core/domain/Engine.h"
#include "core/domain/FrameworkMatch.h"
#include "core/frameworks/AsJudged.h"
#include "core/frameworks/ProgramZone.h"
#include "core/frameworks/RowLocks.h"

#include <algorithm>
#include <set>

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

namespace {

/// A table that has more rows than this is not read with each poll, unless the user asks for it.
constexpr qint64 maxRowsInTable = 1'000'000;
constexpr qint64 bytesOfPage = 8'192;

QString lines(const std::set<QString>& texts)
{
    QString all = u"\n"_s; // SQLite and SQL Server search a text between line ends
    for (const QString& text : texts)
        all += text + u'\n';
    return all;
}

bool isRowOf(const FrameworkLock& lock, Engine engine)
{
    return lock.kind == FrameworkLockKind::Row && lock.table && lock.engines.contains(engine);
}

FrameworkTable processesOf(const FrameworkLock& lock)
{
    FrameworkTable table;
    table.names = {lock.row.process->table};
    table.columns = {lock.row.process->key};
    return table;
}

bool hasAll(const DatabaseTable& table, const QStringList& columns)
{
    return std::ranges::all_of(columns, [&table](const QString& column) { return table.has(column); });
}

FrameworkTime timeIn(const QString& column, bool utc, milliseconds after = milliseconds(0))
{
    const FrameworkClock clock = utc ? FrameworkClock::Utc : FrameworkClock::Server;
    return {column, {{Engine::Postgres, clock}, {Engine::SqlServer, clock}, {Engine::Sqlite, clock}}, after};
}

} // namespace

TableSearch::TableSearch(const db::Dialect& dialect, CataloguePtr catalogue, db::ServerProfile profile)
    : m_dialect(dialect)
    , m_catalogue(std::move(catalogue))
    , m_profile(std::move(profile))
{
    for (const FrameworkPtr& framework : m_catalogue->frameworks) {
        for (const FrameworkLock& lock : framework->locks) {
            if (!lock.engines.contains(m_dialect.engine()))
                continue;
            if (lock.table)
                request(*lock.table);
            for (const FrameworkTable& table : lock.requires_)
                request(table);
            if (isRowOf(lock, m_dialect.engine()) && lock.row.process)
                request(processesOf(lock));
        }
    }
    std::set<QString> names;
    std::set<QString> columns;
    std::set<QString> patterns;
    for (const FrameworkTable& table : m_tableRules) {
        const bool anyName = table.names.isEmpty() || table.names.join(QString()).contains(u'*');
        for (const QString& name : table.names)
            if (!name.contains(u'*'))
                names.insert(name.toLower());
        // The longest name is the one that fewest other tables have.
        if (anyName && table.columns.isEmpty())
            for (const QString& name : table.names)
                patterns.insert(likePattern(m_dialect.engine(), name.toLower()));
        if (anyName && !table.columns.isEmpty())
            columns.insert(std::ranges::max_element(table.columns, {}, &QString::size)->toLower());
    }
    for (const db::AttachedTable& attached : std::as_const(m_profile.attached))
        names.insert(attached.table.toLower());
    m_names = lines(names);
    m_columns = lines(columns);
    m_patterns = lines(patterns);
}

void TableSearch::request(const FrameworkTable& table)
{
    if (std::ranges::find(m_tableRules, table) == m_tableRules.end())
        m_tableRules.push_back(table);
}

std::vector<db::BatchItem> TableSearch::items()
{
    m_tables.clear();
    m_referring.clear();
    m_last.reset();
    m_facts = {};
    std::vector<db::BatchItem> items;
    std::vector<db::Param> params{m_names, m_columns, m_profile.url.options.value(u"schema_owner"_s, u""_s)};
    // No framework of another engine is known by a part of a name alone.
    if (m_dialect.engine() == Engine::Postgres)
        params.emplace_back(m_patterns);
    const auto tables = [this]() -> const db::Statement& {
        if (m_dialect.engine() != Engine::SqlServer)
            return db::statementOfTrust(m_dialect, "frameworks/tables", 3);
        static const db::Statement withPrints = withPrint(m_dialect, "frameworks/tables");
        return withPrints;
    };
    items.push_back({.statement = &tables(), .params = std::move(params), .sink = [this](const db::Row& row) {
                         add(row);
                     }});
    static constexpr PerEngine<const char*> partsOfTables{
        .postgres = nullptr, .sqlServer = "sqlserver/frameworks/parts", .sqlite = nullptr};
    if (const char* parts = partsOfTables[m_dialect.engine()])
        items.push_back({.statement = &db::Statement::get(parts),
            .params = {m_names, m_columns},
            .sink = [this](const db::Row& row) {
                for (DatabaseTable& table : m_tables)
                    if (table.id == static_cast<quint64>(row.int64(0)))
                        table.parts << static_cast<quint64>(row.int64(1));
            }});
    // Last: Babelfish 4.3 stumbles over whatever follows a DATABASEPROPERTYEX in the same batch.
    items.push_back({.statement = &db::schemaStatement(m_dialect, "frameworks/schemas"),
        .sink = [this](const db::Row& row) {
            if (!row.text(0).isEmpty())
                m_facts.schemas << row.text(0);
            m_facts.database = row.text(1);
            m_isCopy = row.boolean(2);
            m_zone = {row.text(3), std::chrono::seconds(row.int64(4))};
        }});
    return items;
}

void TableSearch::add(const db::Row& row)
{
    const QString schema = row.text(0);
    const QString table = row.text(1);
    if (!m_last || m_last->schema != schema || m_last->table != table) {
        m_last = std::make_shared<LockRowTable>();
        m_last->schema = schema;
        m_last->table = table;
        DatabaseTable fresh;
        fresh.names = m_last;
        fresh.id = static_cast<quint64>(row.int64(2));
        fresh.owner = row.text(3);
        fresh.isTrusted = row.boolean(4);
        constexpr qint64 plain = 1;
        constexpr qint64 withRowSecurity = 2;
        fresh.isPlain = row.int64(5) == plain;
        fresh.hidesRows = row.int64(5) == withRowSecurity;
        fresh.rows = row.int64(6);
        fresh.print = row.text(11);
        if (m_dialect.engine() == Engine::Postgres) {
            fresh.isLockable = row.boolean(12);
            fresh.pages = row.int64(13);
            if (row.boolean(14)) {
                fresh.isTrusted = false;
                m_referring << fresh.id;
            }
        }
        m_tables.push_back(std::move(fresh));
    }
    const QString type = columnsHoldAnything[m_dialect.engine()] ? QString() : row.text(8);
    m_last->columns.append({row.text(7), type});
    using Right = DatabaseTable::Right;
    const qint64 right = row.int64(9);
    m_tables.back().columns.push_back(
        {right == 1 ? Right::Select : (right == 2 ? Right::NoSchema : Right::None), row.boolean(10)});
}

Result<void> TableSearch::judgeReferring(db::Connection& connection, const std::stop_token& stop)
{
    if (m_byReader || m_referring.isEmpty())
        return {};
    QSet<quint64> strange;
    LOCKSCOPE_TRY(connection.execute(
        db::statementOfTrust("postgres/frameworks/referring", 1),
        {m_profile.url.options.value(u"schema_owner"_s, u""_s), db::arrayLiteral(m_referring)},
        [&strange](const db::Row& row) { strange << static_cast<quint64>(row.int64(0)); }, stop));
    for (DatabaseTable& table : m_tables)
        if (m_referring.contains(table.id))
            table.isTrusted = !strange.contains(table.id);
    return {};
}

DatabaseFacts TableSearch::facts() const
{
    DatabaseFacts facts = m_facts;
    for (const DatabaseTable& table : m_tables) {
        const KnownTable known = table.known();
        const auto isIt = [&known](const FrameworkTable& tableRule) { return isTable(tableRule, known); };
        if (std::ranges::any_of(m_tableRules, isIt))
            facts.tables << known;
    }
    return facts;
}

/// Names as they are written; else, as most servers compare them.
const DatabaseTable* TableSearch::attachedTable(const db::AttachedTable& attached) const
{
    const QString schema = attached.schema.isEmpty() ? m_dialect.defaultSchema() : attached.schema;
    const auto find = [&](Qt::CaseSensitivity sensitivity) {
        return std::ranges::find_if(m_tables, [&](const DatabaseTable& table) {
            return table.names->table.compare(attached.table, sensitivity) == 0
                && (schema.isEmpty() || table.names->schema.isEmpty()
                    || table.names->schema.compare(schema, sensitivity) == 0);
        });
    };
    auto found = find(Qt::CaseSensitive);
    if (found == m_tables.end())
        found = find(Qt::CaseInsensitive);
    return found == m_tables.end() ? nullptr : &*found;
}

FoundTable TableSearch::foundOf(
    const FrameworkPtr& framework, const FrameworkLock& lock, const DatabaseTable& table) const
{
    FoundTable found;
    found.framework = framework;
    found.lock = &lock;
    found.table = table;
    found.shown = table.display();
    if (!lock.row.process)
        return found;
    const FrameworkTable tableRule = processesOf(lock);
    for (const DatabaseTable& candidate : m_tables) {
        const bool isBeside =
            candidate.names->schema == table.names->schema && isTable(tableRule, candidate.known());
        // A process that is hidden from us would seem to be gone; a table that is closed would close that of
        // the locks.
        if (isBeside && whyNotRead(candidate, columnsRead(*lock.row.process)).isNull()
            && candidate.rightTo(columnsRead(*lock.row.process)) == DatabaseTable::Right::Select)
            found.processes = candidate;
    }
    return found;
}

void TableSearch::judge(FoundTable& found) const
{
    using Access = FoundTable::Access;
    const DatabaseTable& table = found.table;
    const QStringList columns = columnsRead(found.row());
    const bool isPostgres = m_dialect.engine() == Engine::Postgres;
    found.canBeApproved = !table.hidesRows && (!isPostgres || whyNotCopied(table).isNull());
    if (table.rightTo(columns) != DatabaseTable::Right::Select) {
        found.access = Access::Forbidden;
        return;
    }
    found.isCopied = isCopied(table) || (found.processes && isCopied(*found.processes));
    if (!found.isAttached)
        found.whyNot = whyNotRead(table, columns);
    else if (found.isCopied)
        found.whyNot = table.hidesRows ? whyNotRead(table, columns) : whyNotCopied(table);
    if (!found.whyNot.isNull())
        found.access = Access::NotTrusted;
}

/// Else it is asked as any table is, which takes the right to its lock: see TableReads.h.
bool TableSearch::isCopied(const DatabaseTable& table) const
{
    return m_dialect.engine() == Engine::Postgres && (!isHarmless(table) || !table.isLockable);
}

/// A null string: all of its rows may be copied with each poll.
QString TableSearch::whyNotCopied(const DatabaseTable& table) const
{
    if (!isCopied(table))
        return {};
    const QString remedy =
        u" Read it by a role without rights of its own, named in the server's URL: ?reader=ROLE."_s;
    if (!table.isPlain)
        return u"It is no plain table, and reading it could run code of %1's with your rights."_s.arg(
                   table.owner)
            + remedy;
    if (table.rows > maxRowsCopied || table.pages > maxBytesCopied / bytesOfPage)
        return u"It has about %1 rows, too many to copy them with each poll, and reading it otherwise could run code of %2's with your rights."_s
                   .arg(table.rows)
                   .arg(table.owner)
            + remedy;
    return {};
}

/// A null string: these columns may be read with each poll, as far as we have the right.
QString TableSearch::whyNotRead(const DatabaseTable& table, const QStringList& columns) const
{
    const QString code = table.owner.isEmpty() ? u"code of its maker"_s // a file has no owners
                                               : u"code of %1's"_s.arg(table.owner);
    // An empty answer would look as if there were no locks; that can't be approved of.
    if (table.hidesRows)
        return u"It has row security: this role may read few of its rows or none, and runs %1."_s.arg(code);
    if (isApproved(m_profile, table))
        return whyNotCopied(table);
    if (!table.isPlain && !m_byReader)
        return u"It is no plain table: reading it could run %1 with your rights."_s.arg(code);
    if (!isHarmless(table))
        return u"Its owner (%1), or that of its schema or of a type in it, is no role that you trust: reading it could run code of theirs with your rights (policies of rows, functions of a view)."_s
            .arg(table.owner);
    if (table.isComputedAny(columns) && !m_byReader)
        return u"Its columns are computed: reading them runs %1."_s.arg(code);
    if (table.rows > maxRowsInTable)
        return u"It has about %1 million rows: to read it with each poll could slow the server down."_s.arg(
            table.rows / 1'000'000);
    return whyNotCopied(table);
}

std::vector<FoundTablePtr> TableSearch::found() const
{
    std::vector<FoundTablePtr> all;
    std::set<const DatabaseTable*> attachedOnes;
    for (const db::AttachedTable& attached : m_profile.attached) {
        const DatabaseTable* table = attachedTable(attached);
        const FrameworkPtr framework = ofAttached(attached);
        if (!table || !hasAll(*table, columnsRead(framework->locks.front().row)))
            continue;
        attachedOnes.insert(table);
        FoundTable found = foundOf(framework, framework->locks.front(), *table);
        found.isAttached = true;
        found.shown = attached.display();
        judge(found);
        all.push_back(std::make_shared<const FoundTable>(std::move(found)));
    }
    std::vector<KnownTable> known;
    for (const DatabaseTable& table : m_tables)
        known.push_back(table.known());
    for (const FrameworkPtr& framework : m_catalogue->frameworks) {
        for (const FrameworkLock& lock : framework->locks) {
            if (!isRowOf(lock, m_dialect.engine()))
                continue;
            for (size_t i = 0; i < m_tables.size(); ++i) {
                const DatabaseTable& table = m_tables[i];
                if (!isTable(*lock.table, known[i]) || attachedOnes.contains(&table)
                    || !hasAll(table, columnsRead(lock.row)))
                    continue;
                FoundTable found = foundOf(framework, lock, table);
                judge(found);
                all.push_back(std::make_shared<const FoundTable>(std::move(found)));
            }
        }
    }
    return all;
}

QList<db::AttachedTable> TableSearch::missing() const
{
    QList<db::AttachedTable> missing;
    for (const db::AttachedTable& attached : m_profile.attached) {
        const DatabaseTable* table = attachedTable(attached);
        if (!table || !hasAll(*table, columnsRead(ofAttached(attached)->locks.front().row)))
            missing << attached;
    }
    return missing;
}

FrameworkPtr ofAttached(const db::AttachedTable& table)
{
    auto framework = std::make_shared<Framework>();
    framework->id = attachedTableId.toString();
    framework->name = u"Attached"_s;
    framework->about = u"A lock table that is attached in the settings of the server."_s;
    FrameworkLock lock;
    lock.id = u"row"_s;
    lock.name = u"lock"_s;
    lock.kind = FrameworkLockKind::Row;
    lock.engines = {Engine::Postgres, Engine::SqlServer, Engine::Sqlite};
    lock.purpose = u"Known to those who made the table."_s;
    lock.ends = table.expiresColumn.isEmpty()
        ? u"When the row is deleted. It is shown as stale when it is older than the server's settings say."_s
        : u"When the row is deleted. It is shown as stale when it has expired."_s;
    lock.danger = u"Its holder is not asked. If it still works, somebody else may now work on the same."_s;
    FrameworkTable where{.names = {table.table}, .columns = {table.nameColumn, table.timeColumn}};
    FrameworkRow& row = lock.row;
    row.name = u'{' + table.nameColumn + u'}';
    row.since = timeIn(table.timeColumn, table.utc);
    row.expires = table.expiresColumn.isEmpty() ? timeIn(table.timeColumn, table.utc, table.staleAge)
                                                : timeIn(table.expiresColumn, table.utc);
    row.compare = {table.nameColumn, table.timeColumn};
    for (const QString& column : {table.holderColumn, table.expiresColumn}) {
        if (!column.isEmpty() && !row.compare.contains(column, Qt::CaseInsensitive)) {
            row.compare << column;
            where.columns << column;
        }
    }
    row.holder = table.holderColumn;
    // A machine's name or address, alone.
    if (!table.holderColumn.isEmpty())
        row.holderPattern = u"(?<host>[A-Za-z0-9_.:-]+)"_s;
    if (!table.heldColumn.isEmpty()) {
        row.held = {
            {.column = table.heldColumn, .is = FrameworkCondition::Is::Equal, .value = table.heldValue}};
        if (!row.compare.contains(table.heldColumn, Qt::CaseInsensitive))
            row.compare << table.heldColumn;
        if (!where.columns.contains(table.heldColumn, Qt::CaseInsensitive))
            where.columns << table.heldColumn;
    }
    lock.table = where;
    framework->locks.push_back(std::move(lock));
    return framework;
}

} // namespace lockscope::frameworks
