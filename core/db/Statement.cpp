// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/Statement.h"

#include "core/base/Mutex.h"
#include "core/base/PlainFile.h"

#include <QByteArrayView>
#include <QHash>
#include <QRegularExpression>
#include <QtDebug>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

/// Named here because an archive gives a program only the objects that something names: the resource is in
/// one.
static void initSchemaResource()
{
    Q_INIT_RESOURCE(lockscope_schema);
}

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

QByteArray read(const QByteArray& path)
{
    return builtInFile(QStringLiteral("/schema/") + QString::fromUtf8(path));
}

Mutex loading;

/// Topic files are parsed once, and kept.
QByteArray load(const QByteArray& path) LOCKSCOPE_REQUIRES(loading)
{
    if (path.endsWith(".sql"))
        return withoutHeading(read(path));
    static std::map<QByteArray, NamedStatements> topics LOCKSCOPE_GUARDED_BY(loading);
    const qsizetype slash = path.lastIndexOf('/');
    const QByteArray file = path.left(slash) + ".sql";
    auto topic = topics.find(file);
    if (topic == topics.end()) {
        auto parsed = namedStatements(read(file));
        if (!parsed)
            qFatal("schema/%s: %s.", file.constData(), qPrintable(parsed.error()));
        topic = topics.emplace(file, std::move(*parsed)).first;
    }
    const auto statement = topic->second.find(path.mid(slash + 1));
    if (statement == topic->second.end())
        qFatal("schema/%s has no statement of that name: %s.", file.constData(), path.constData());
    return statement->second;
}

/// Equal texts get equal ids, so that a statement filled in twice is prepared once.
quint64 idOf(const QByteArray& sql)
{
    static Mutex mutex;
    static QHash<QByteArray, quint64> ids LOCKSCOPE_GUARDED_BY(mutex);
    const MutexLock guard(mutex);
    const auto known = ids.constFind(sql);
    if (known != ids.constEnd())
        return *known;
    const auto id = static_cast<quint64>(ids.size() + 1);
    ids.insert(sql, id);
    return id;
}

/// Finds schema names that are followed by a dot, as they are or in double quotes; after a single quote there
/// is a text.
OwnSchema schemaNamedIn(QByteArrayView sql)
{
    static constexpr QByteArrayView word("lockscope");
    for (qsizetype at = sql.indexOf(word); at >= 0; at = sql.indexOf(word, at + word.size())) {
        const char before = at > 0 ? sql.at(at - 1) : ' ';
        if (before == '\'' || before == '_' || before == '.'
            || std::isalnum(static_cast<unsigned char>(before)))
            continue;
        QByteArrayView rest = sql.sliced(at + word.size());
        const bool isHistory = rest.startsWith("_history");
        if (isHistory)
            rest = rest.sliced(static_cast<qsizetype>(std::strlen("_history")));
        if (before == '"' && rest.startsWith('"'))
            rest = rest.sliced(1);
        if (rest.startsWith('.'))
            return isHistory ? OwnSchema::History : OwnSchema::Locks;
    }
    return OwnSchema::None;
}

} // namespace

Statement::Statement(QString path, QByteArray sql)
    : m_path(std::move(path))
    , m_sql(std::move(sql))
    , m_whatFailed(QStringLiteral("The statement '%1' failed.").arg(m_path))
    , m_id(idOf(m_sql))
    , m_ownSchema(schemaNamedIn(m_sql))
{
}

const Statement& Statement::get(const char* path)
{
    using Statements = std::unordered_map<std::string, std::unique_ptr<const Statement>>;
    static Statements loaded LOCKSCOPE_GUARDED_BY(loading);
    const MutexLock guard(loading);
    std::unique_ptr<const Statement>& statement = loaded[path];
    if (!statement) {
        initSchemaResource();
        statement.reset(new Statement(QString::fromUtf8(path), load(path)));
    }
    return *statement;
}

Statement Statement::filled(const char* path, const std::vector<std::pair<QLatin1StringView, QString>>& parts)
{
    const QByteArray sql = get(path).sql();
    std::vector<std::pair<QByteArray, QByteArray>> texts;
    for (const auto& [name, text] : parts) {
        texts.emplace_back('{' + QByteArray(name.data(), name.size()) + '}', text.toUtf8());
        Q_ASSERT_X(sql.contains(texts.back().first), path, texts.back().first.constData());
    }
    // In one pass: a name that somebody gave may look like a placeholder, and must not be filled in itself.
    QByteArray result;
    qsizetype at = 0;
    while (at < sql.size()) {
        const auto found = std::ranges::find_if(texts, [&](const auto& each) {
            return sql.at(at) == '{' && QByteArrayView(sql).sliced(at).startsWith(each.first);
        });
        if (found == texts.end()) {
            result += sql.at(at++);
        } else {
            result += found->second;
            at += found->first.size();
        }
    }
    return Statement(QString::fromUtf8(path), result);
}

Statement Statement::ofUser(const QString& name, const QByteArray& sql)
{
    Statement statement(name, sql);
    statement.m_ownSchema = OwnSchema::None;
    statement.m_isOfUser = true;
    return statement;
}

Statement Statement::withBinaryResults() const
{
    Statement binary = *this;
    binary.m_binaryResults = true;
    return binary;
}

QByteArray schemaPath(const Dialect& dialect, const char* name)
{
    return engineKey(dialect.engine()).toLatin1() + '/' + name;
}

const Statement& schemaStatement(const Dialect& dialect, const char* name)
{
    return Statement::get(schemaPath(dialect, name).constData());
}

QByteArray withoutHeading(const QByteArray& text)
{
    qsizetype start = 0;
    while (start < text.size()) {
        qsizetype end = text.indexOf('\n', start);
        if (end < 0)
            end = text.size();
        const QByteArray line = text.mid(start, end - start).trimmed();
        if (!line.isEmpty() && !line.startsWith("--"))
            break;
        start = end + 1;
    }
    return text.mid(start).trimmed();
}

tl::expected<NamedStatements, QString> namedStatements(const QByteArray& file)
{
    // A line that is meant as a name must not pass for a comment.
    static const QRegularExpression heading(
        u"^\\s*--\\s*name\\b\\s*:"_s, QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression wellFormed(u"^-- name: ([a-z][a-z0-9_]*)$"_s);
    NamedStatements statements;
    std::optional<QByteArray> name;
    QByteArray text;
    const auto end = [&]() -> QString {
        const QByteArray sql = withoutHeading(text);
        text.clear();
        if (!name)
            return sql.isEmpty() ? QString() : u"a statement stands before the first name"_s;
        const QString shown = QString::fromUtf8(*name);
        if (!sql.endsWith(';'))
            return (sql.isEmpty() ? u"'%1' is empty"_s : u"'%1' does not end with a semicolon"_s).arg(shown);
        const QByteArray statement = sql.chopped(1).trimmed();
        if (statement.isEmpty())
            return u"'%1' is empty"_s.arg(shown);
        return statements.emplace(*name, statement).second ? QString()
                                                           : u"'%1' stands there twice"_s.arg(shown);
    };
    int number = 0;
    for (const QByteArray& line : file.split('\n')) {
        ++number;
        const QString plain = QString::fromUtf8(line);
        if (!heading.match(plain).hasMatch()) {
            text += line + '\n';
            continue;
        }
        const auto match = wellFormed.match(plain);
        if (!match.hasMatch())
            return tl::unexpected(u"line %1 is no name such as \"-- name: acquire\""_s.arg(number));
        if (const QString fault = end(); !fault.isEmpty())
            return tl::unexpected(fault);
        name = match.captured(1).toUtf8();
    }
    if (const QString fault = end(); !fault.isEmpty())
        return tl::unexpected(fault);
    if (statements.empty())
        return tl::unexpected(u"it has no statements"_s);
    return statements;
}

} // namespace lockscope::db
