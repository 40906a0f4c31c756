// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/FrameworkBench.h"

#include "tests/support/Waiting.h"

#include <QNetworkInterface>

namespace lockscope::test {

using namespace Qt::StringLiterals;

TestServer& FrameworkBench::server()
{
    static TestServer shared(TestServer::replicating());
    return shared;
}

QString FrameworkBench::admitOwnAddress()
{
    const auto all = QNetworkInterface::allAddresses();
    const auto own = std::ranges::find_if(all, [](const QHostAddress& address) {
        return !address.isLoopback() && address.protocol() == QAbstractSocket::IPv4Protocol;
    });
    if (own == all.end())
        return {};
    const QString loaded = u"SELECT pg_conf_load_time()::text"_s;
    const QString before = ask(*server().connect(), loaded);
    server().run(server().url(),
        u"COPY (SELECT 'host all all %1/32 scram-sha-256') TO PROGRAM 'cat >> pg_hba.conf'"_s.arg(
            own->toString()));
    server().run(server().url(), u"SELECT pg_reload_conf()"_s);
    if (!waitUntil([&] { return ask(*server().connect(), loaded) != before; }))
        qFatal("the server does not read pg_hba.conf again");
    return own->toString();
}

FrameworkBench::FrameworkBench(const QString& inLanguage, const QString& of, Engine on)
    : language(inLanguage)
    , framework(of)
    , engine(on)
    , url(on == Engine::Postgres ? server().overTcp(server().freshDatabase())
                                 : fileUrl(directory.filePath(u"locks.db"_s)))
    , ctl(url.toString(), server().password())
{
    if (engine == Engine::Sqlite)
        ctl("install");
}

std::unique_ptr<FrameworkProgram> FrameworkBench::start(
    const QString& program, const QString& act, const FrameworkProgram::Environment& more) const
{
    return std::make_unique<FrameworkProgram>(language, program, act, url, server().password(), more);
}

void FrameworkBench::run(const QString& sql) const
{
    if (!sql.isEmpty())
        server().run(url, sql);
}

QJsonObject FrameworkBench::listed() const
{
    const auto answer = ctl("list --json --framework %1", framework);
    if (answer.json().isEmpty())
        qWarning("%s", answer.allOutput().constData());
    return answer.json();
}

QList<QJsonObject> FrameworkBench::shown(const QJsonObject& snapshot, const QString& list) const
{
    QList<QJsonObject> mine;
    for (const auto& each : snapshot[list].toArray())
        if (each.toObject()[u"framework"].toObject()[u"id"].toString() == framework)
            mine << each.toObject();
    return mine;
}

} // namespace lockscope::test
