// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Settings that a database or a role presets for every session (ALTER DATABASE or ROLE … SET) change nothing
// for us.
#include "core/admin/ServerAdmin.h"
#include "core/monitor/SnapshotSource.h"
#include "tests/support/HarmlessSettings.h"
#include "tests/support/Presets.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_SessionSettings {

using namespace lockscope;
using namespace lockscope::test;
using locks::LockKind;

constexpr auto server = &TestServer::shared;

/// Returns a value that is as far from the default as the server allows.
static QString hostileValue(const QString& name, const QString& type, const QString& now,
    const QString& least, const QString& greatest, const QString& words)
{
    static const QMap<QString, QString> chosen{{u"application_name"_s, u"x"_s},
        {u"client_encoding"_s, u"LATIN1"_s}, {u"DateStyle"_s, u"German, DMY"_s},
        {u"TimeZone"_s, u"Asia/Kolkata"_s}, {u"search_path"_s, u"public, pg_catalog"_s},
        {u"statement_timeout"_s, u"2000"_s}, {u"transaction_timeout"_s, u"2000"_s},
        {u"lock_timeout"_s, u"1"_s}, {u"idle_session_timeout"_s, u"300"_s},
        {u"idle_in_transaction_session_timeout"_s, u"300"_s}, {u"timezone_abbreviations"_s, u"Australia"_s},
        {u"default_text_search_config"_s, u"simple"_s}, {u"createrole_self_grant"_s, u"set, inherit"_s},
        {u"restrict_nonsystem_relation_kind"_s, u"view, foreign-table"_s}, {u"role"_s, u"pg_monitor"_s},
        {u"session_replication_role"_s, u"replica"_s}, {u"synchronous_commit"_s, u"off"_s},
        {u"default_transaction_isolation"_s, u"serializable"_s}, {u"log_min_messages"_s, u"fatal"_s},
        {u"client_min_messages"_s, u"debug1"_s}, {u"plpgsql.extra_errors"_s, u"all"_s},
        {u"plpgsql.extra_warnings"_s, u"all"_s}};
    if (const auto found = chosen.find(name); found != chosen.end())
        return *found;
    if (type == u"bool")
        return now == u"on" ? u"off"_s : u"on"_s;
    if (type == u"enum") {
        for (const QString& word : words.mid(1, words.size() - 2).split(u','))
            if (QString plain = word; plain.remove(u'"') != now)
                return plain.remove(u'"');
        return {};
    }
    if (type == u"integer" || type == u"real")
        return now == least ? greatest : least;
    return {};
}

struct Found {
    QString name;
    QString context;
    QString hostile;
};

static QList<Found> presettable()
{
    QList<Found> found;
    const auto boss = server().connect();
    // Its settings are known once it is loaded, as the first function of ours does.
    orDie(boss->executeScript("LOAD 'plpgsql'"));
    orDie(runSql(*boss,
        u"SELECT name, context, vartype, setting, min_val, max_val, enumvals::text FROM pg_settings WHERE context IN ('user', 'superuser', 'backend', 'superuser-backend') ORDER BY name"_s,
        {}, [&found](const db::Row& row) {
            found << Found{row.text(0), row.text(1),
                hostileValue(row.text(0), row.text(2), row.text(3), row.text(4), row.text(5), row.text(6))};
        }));
    return found;
}

// --- The same results --------------------------------------------------------------------------------------

static QString watching(const db::ServerUrl& url)
{
    const db::ServerProfile profile = profileOf(url);
    const auto holder = server().at(url).connect();
    if (!holder)
        return textOf(holder);
    const auto strategy = locks::LockStrategy::create(LockKind::Table, **holder);
    auto held = (*strategy)->acquire({.name = u"seen"_s});
    if (!held)
        return held.error().toString();
    const auto source = monitor::makeSnapshotSource({profile, server().passwords()});
    const auto taken = source->take();
    if (!taken)
        return taken.error().toString();
    QStringList texts;
    for (const LockTableEntry& entry : (*taken)->entries)
        texts << entry.name << entry.party.owner << QString::number(entry.fencing >= 1)
              << QString::number((entry.expiresAt->us - entry.acquiredAt.us) / 1'000'000);
    texts << QString::number((*taken)->session((*holder)->sessionId()) != nullptr);
    return texts.join(u", "_s);
}

static QString administering(const db::ServerUrl& url)
{
    const auto connection = server().at(url).connect(db::Purpose::Admin);
    const auto holder = server().at(url).connect();
    if (!connection || !holder)
        return textOf(connection) + u", "_s + textOf(holder);
    const db::ServerProfile profile = profileOf(url);
    QStringList texts{textOf(db::installSchema(**connection))};
    locks::AcquireRequest request;
    request.name = u"stuck"_s;
    auto held = (*locks::LockStrategy::create(LockKind::Table, **holder))->acquire(request);
    if (!held)
        return held.error().toString();
    const auto taken = monitor::makeSnapshotSource({profile, server().passwords()})->take();
    admin::ServerAdmin admin(**connection, profile);
    for (const LockTableEntry& entry : taken ? (*taken)->entries : decltype((*taken)->entries)())
        if (entry.name == request.name)
            texts << textOf(admin.releaseEntry(entry, u"stuck"_s));
    held->grant.abandon();
    texts << textOf(admin.previewPurge()) << textOf(admin.audit());
    return texts.join(u", "_s);
}

static QString results(const db::ServerUrl& url)
{
    QStringList texts{watching(url), administering(url)};
    for (const LockCase& kind : lockCases)
        texts << QString::fromLatin1(kind.name) + u": "_s + locking(url, kind);
    return texts.join(u'\n');
}

/// Those of `presets` that change the results, found by halves.
static QStringList culprits(const db::ServerUrl& url, const Presets& presets, const QString& expected)
{
    resetAll(url);
    const Presets done = applied(url, presets);
    const QString text = results(url);
    if (done.isEmpty() || text == expected)
        return {};
    qInfo("%lld settings change something:\n%s\ninstead of\n%s", static_cast<long long>(presets.size()),
        qPrintable(text), qPrintable(expected));
    if (presets.size() == 1)
        return {u"%1 = %2:\n%3\ninstead of\n%4"_s.arg(
            presets.front().name, presets.front().value, text, expected)};
    const qsizetype half = presets.size() / 2;
    QStringList found = culprits(url, presets.first(half), expected);
    found += culprits(url, presets.sliced(half), expected);
    if (found.isEmpty())
        found << u"only together, of %1 to %2: %3"_s.arg(presets.front().name, presets.back().name, text);
    return found;
}

class tst_SessionSettings : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachIsSetOrSaidToBeHarmless()
    {
        const QByteArray& ours = db::Statement::get("postgres/session/settings").sql();
        QSet<QString> harmless;
        for (const auto& [why, names] : harmlessSettings)
            for (const QString& name : QString::fromLatin1(names).split(u' ')) {
                QVERIFY2(!harmless.contains(name), qPrintable(name + u" stands there twice"_s));
                QVERIFY2(!ours.contains("('" + name.toLatin1() + "'"), qPrintable(name + u" is set"_s));
                harmless << name;
            }
        QStringList unknown;
        int count = 0;
        for (const Found& each : presettable()) {
            ++count;
            const bool isSet = ours.contains('\'' + each.name.toLatin1() + "',\n")
                || ours.contains("('" + each.name.toLatin1() + "'");
            if (!isSet && !harmless.contains(each.name))
                unknown << each.name;
        }
        qInfo() << count << "settings";
        QCOMPARE(unknown.join(u' '), QString());
    }

    void hostileValuesChangeNothing_data()
    {
        addRows<bool>("isSuperuser", {{"a superuser", true}, {"a program", false}});
    }
    void hostileValuesChangeNothing()
    {
        QFETCH(bool, isSuperuser);
        db::ServerUrl url = server().freshDatabase();
        const QString database = url.database;
        if (!isSuperuser)
            url = asProgram(url);
        const QString expected = results(url);
        VERIFY_LACKS(expected, u"failed"_s);
        // These hide what other sessions do, as they shall, or the warnings of the test, or exclude others.
        const QStringList excluded{u"track_activities"_s, u"log_min_messages"_s, u"log_statement_stats"_s};
        Presets presets{{u"role"_s, u"pg_monitor"_s}};
        for (const Found& each : presettable())
            if (!each.hostile.isNull() && !excluded.contains(each.name)
                && (isSuperuser || each.context == u"user"))
                presets << Preset{each.name, each.hostile};
        const qsizetype done = applied(url, presets).size();
        qInfo() << done << "of" << presets.size() << "could be preset";
        QVERIFY(done > 100);
        QCOMPARE(culprits(url, presets, expected).join(u'\n'), QString());
        resetAll(url);
    }
};

LOCKSCOPE_TEST(tst_SessionSettings)

} // namespace tst_SessionSettings
#include "tst_SessionSettings.moc"
