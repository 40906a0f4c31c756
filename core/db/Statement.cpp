// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/Statement.h"

#include <QFile>
#include <QHash>
#include <QtDebug>

#include <mutex>
#include <string>
#include <unordered_map>

namespace lockscope::db {

namespace {

/// Comment lines at the top are for the reader of the file; the server's statistics shall not carry them.
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

QByteArray load(const char* path)
{
    QFile file(QStringLiteral(":/schema/") + QString::fromUtf8(path));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("The statement schema/%s is not compiled in.", path);
    return withoutHeading(file.readAll());
}

/// Equal texts get equal ids, so that a statement filled in twice is prepared once.
quint64 idOf(const QByteArray& sql)
{
    static std::mutex mutex;
    static QHash<QByteArray, quint64> ids;
    const std::lock_guard guard(mutex);
    const auto known = ids.constFind(sql);
    if (known != ids.constEnd())
        return *known;
    const auto id = static_cast<quint64>(ids.size() + 1);
    ids.insert(sql, id);
    return id;
}

} // namespace

Statement::Statement(QString path, QByteArray sql)
    : m_path(std::move(path))
    , m_sql(std::move(sql))
    , m_whatFailed(QStringLiteral("The statement '%1' failed.").arg(m_path))
    , m_id(idOf(m_sql))
{
}

const Statement& Statement::get(const char* path)
{
    static std::mutex mutex;
    static std::unordered_map<std::string, std::unique_ptr<const Statement>> loaded;
    const std::lock_guard guard(mutex);
    std::unique_ptr<const Statement>& statement = loaded[path];
    if (!statement)
        statement.reset(new Statement(QString::fromUtf8(path), load(path)));
    return *statement;
}

Statement Statement::filled(
    const char* path, std::initializer_list<std::pair<QLatin1StringView, QString>> parts)
{
    QByteArray sql = get(path).sql();
    for (const auto& [name, text] : parts) {
        const QByteArray placeholder = '{' + QByteArray(name.data(), name.size()) + '}';
        Q_ASSERT_X(sql.contains(placeholder), path, placeholder.constData());
        sql.replace(placeholder, text.toUtf8());
    }
    return Statement(QString::fromUtf8(path), sql);
}

Statement Statement::ofUser(const QString& name, const QByteArray& sql)
{
    return Statement(name, sql);
}

} // namespace lockscope::db
