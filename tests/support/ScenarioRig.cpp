// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/ScenarioRig.h"

namespace lockscope::test {

ScenarioRig::ScenarioRig(TestServer& server)
    : m_server(server)
    , m_url(server.freshDatabase())
    , m_witness(server.connect(m_url))
    , m_cache("XDG_CACHE_HOME", m_folder.path())
    , m_scenarios("LOCKSCOPE_SCENARIO_DIR", m_folder.path())
{
}

ScenarioRig::~ScenarioRig() = default;

const scenario::Library& ScenarioRig::shipped()
{
    static const QTemporaryDir empty;
    static const scenario::Library all = scenario::loadLibrary(QDir(empty.path()));
    return all;
}

scenario::ScenarioPtr ScenarioRig::shipped(const QString& id)
{
    return shipped().find(id);
}

db::ServerUrl ScenarioRig::url(Engine engine) const
{
    if (engine == Engine::Postgres)
        return m_url;
    return fileUrl(m_folder.filePath(u"locks.db"_s));
}

scenario::ScenarioPtr ScenarioRig::made(const QByteArray& text)
{
    return orDie(scenario::readScenario(text, u"made"_s));
}

QByteArray ScenarioRig::textDoing(
    const QByteArray& steps, const QByteArray& more, const QByteArray& invariant)
{
    return R"json({"id": "made", "title": "t", "story": "s", "engines": ["postgres"], "setup": [],
        "sessions": {"least": 1}, "invariant": {"sql": ")json"
        + invariant + R"json(", "meaning": "m", "violation": "v"},)json" + more
        + R"json("variants": [{"id": "u", "title": "t", "strategy": "s", "unsafe": true, "meaning": "m", "roles": [
        {"name": "r", "steps": [)json"
        + steps + "]}]}]}";
}

scenario::ScenarioPtr ScenarioRig::hanging()
{
    return doing(R"json({"acquire": {"kind": "app", "name": "n"}}, {"think_ms": 3600000})json");
}

qint64 ScenarioRig::number(const QString& sql) const
{
    const QString answer = ask(*m_witness, sql);
    bool isNumber = false;
    const qint64 number = answer.toLongLong(&isNumber);
    if (!isNumber)
        qFatal("%s", qPrintable(answer));
    return number;
}

qint64 ScenarioRig::schemas() const
{
    return number(u"SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'lockscope\\_run%'"_s);
}

qint64 ScenarioRig::sessions() const
{
    return number(
        u"SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'lockscope workload run%' AND datname = current_database()"_s);
}

qint64 ScenarioRig::waiting() const
{
    return number(u"SELECT count(*) FROM pg_locks WHERE NOT granted"_s);
}

QString ScenarioRig::remains() const
{
    QStringList found;
    if (schemas() > 0)
        found << u"schemas"_s;
    if (!waitUntil([this] { return sessions() == 0; }))
        found << u"sessions"_s;
    for (const QString& table : {u"lock_entry"_s, u"lock_waiter"_s, u"app_lock_name"_s}) {
        orDie(runSql(*m_witness, u"SELECT name FROM lockscope."_s + table, {},
            [&](const db::Row& row) { found << table + u' ' + row.text(0); }));
    }
    return found.join(u", "_s);
}

std::unique_ptr<QProcess> ScenarioRig::lockctl(const QStringList& arguments) const
{
    return Lockctl(m_url.toString(), m_server.password()).start(QStringList{u"scenario"_s} + arguments);
}

} // namespace lockscope::test
