// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Every framework file that comes with the program: it loads, and all files together recognise each of its
// examples as that file says.

#include "core/frameworks/Catalogue.h"
#include "core/frameworks/FrameworkFile.h"
#include "core/frameworks/Recogniser.h"
#include "tests/support/TestProgram.h"

namespace tst_Frameworks {

using namespace lockscope;
using namespace lockscope::frameworks;

static QByteArray fileText(const QString& name)
{
    return test::contentOf(u":/frameworks/"_s + name);
}

/// A table that is one of those that a file means.
static KnownTable tableLike(const FrameworkTable& tableRule, const QString& schema, const QString& table)
{
    KnownTable made;
    made.schema = tableRule.schemas.isEmpty() ? schema : tableRule.schemas.first();
    made.table = tableRule.names.isEmpty() || tableRule.names.contains(table)
        ? table
        : QString(tableRule.names.first()).replace(u'*', u'x');
    made.id = 501;
    made.columns = tableRule.columns;
    return made;
}

/// The whole catalogue; the names of examples are known to their lock.
static CataloguePtr catalogueWith(const QString& id, const QString& lockId, const QString& name)
{
    Catalogue all = loadCatalogue({});
    for (FrameworkPtr& framework : all.frameworks) {
        if (framework->id != id)
            continue;
        Framework copy = *framework;
        for (FrameworkLock& lock : copy.locks)
            if (lock.id == lockId && !name.isEmpty())
                lock.knownNames = QStringList{name};
        framework = std::make_shared<const Framework>(std::move(copy));
    }
    return std::make_shared<const Catalogue>(std::move(all));
}

static ResourceKey keyOf(const QJsonObject& example)
{
    ResourceKey key;
    key.kind = ResourceKind::ApplicationLock;
    key.database = 5;
    if (example.contains("number"_L1)) {
        key.entity = static_cast<quint64>(example["number"_L1].toInteger());
        key.part = static_cast<quint64>(example["objsubid"_L1].toInt(1));
    } else if (example.contains("pair"_L1)) {
        const QJsonArray pair = example["pair"_L1].toArray();
        key.entity =
            static_cast<quint64>(pair[0].toInteger()) << 32 | static_cast<quint32>(pair[1].toInteger());
        key.part = 2;
    } else {
        key.text = u"0:[%1]:(ea53e177)"_s.arg(example["resource"_L1].toString().left(32));
    }
    return key;
}

class tst_Frameworks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void filesLoad_data()
    {
        QTest::addColumn<QString>("name");
        const QStringList names = QDir(u":/frameworks"_s).entryList();
        QVERIFY(names.size() >= 3);
        for (const QString& name : names)
            test::row(qPrintable(name), name);
    }

    void filesLoad()
    {
        QFETCH(QString, name);
        const auto framework = checkFrameworkFile(name, fileText(name), Strictness::Proved);
        QVERIFY2(framework, qPrintable(framework ? QString() : framework.error().front().toString()));
        QVERIFY2(!framework->sources.isEmpty(), "where was it read?");
        for (const FrameworkLock& lock : framework->locks) {
            QVERIFY2(!lock.examples.empty(), qPrintable(u"no example of "_s + lock.id));
            if (lock.kind != FrameworkLockKind::Row)
                continue;
            QVERIFY2(!lock.table->columns.isEmpty(), qPrintable(lock.id));
            // A row is freed only as it was shown: the columns that identify its holder must be among the
            // compared ones.
            const QStringList& compare = lock.row.compare;
            if (lock.row.mayBeFreed && !lock.row.holder.isEmpty())
                QVERIFY2(compare.contains(lock.row.holder, Qt::CaseInsensitive), qPrintable(lock.id));
            for (const QString& requested : lock.table->without)
                QVERIFY2(!compare.contains(requested, Qt::CaseInsensitive), qPrintable(lock.id));
        }
    }

    void catalogueHasAll()
    {
        const Catalogue all = loadCatalogue({});
        QVERIFY2(all.errors.isEmpty(), qPrintable(all.errors.isEmpty() ? QString() : all.errors[0].text));
        QCOMPARE(qsizetype(all.frameworks.size()), QDir(u":/frameworks"_s).entryList().size());
        QVERIFY(all.find(u"liquibase"_s) && all.find(u"liquibase"_s)->isBuiltIn);
    }

    void examplesAreRecognised_data()
    {
        test::addColumns<QString, QString, QJsonObject>("framework", "lock", "example");
        for (const QString& file : QDir(u":/frameworks"_s).entryList()) {
            const QJsonArray locks = QJsonDocument::fromJson(fileText(file)).object()["locks"_L1].toArray();
            for (const auto& each : locks) {
                const QJsonObject lock = each.toObject();
                int number = 0;
                // Rows: tst_FrameworkExamples.
                if (const QString kind = lock["kind"_L1].toString(); kind == u"row" || kind == u"table")
                    continue;
                for (const auto& example : lock["examples"_L1].toArray())
                    QTest::addRow(
                        "%s %s %d", qPrintable(file), qPrintable(lock["id"_L1].toString()), ++number)
                        << file.chopped(5) << lock["id"_L1].toString() << example.toObject();
            }
        }
    }

    void examplesAreRecognised()
    {
        FETCH(QString, framework, QString, lock, QJsonObject, example);
        const CataloguePtr all = catalogueWith(framework, lock, example["name"_L1].toString());
        const FrameworkLock& definition = *all->find(framework)->lock(lock);
        DatabaseFacts facts;
        facts.database = example["database"_L1].toString(u"app"_s);
        const QString schema = example["schema"_L1].toString(u"public"_s);
        const QString table = example["table"_L1].toString(u"t"_s);
        facts.schemas = {schema};
        if (definition.table)
            facts.tables << tableLike(*definition.table, schema, table);
        for (const FrameworkTable& needed : definition.requires_)
            facts.tables << tableLike(needed, schema, needed.names.isEmpty() ? table : needed.names.first());

        Snapshot snapshot;
        snapshot.engine = definition.engines.first();
        Resource resource;
        resource.key = keyOf(example);
        resource.database = facts.database;
        resource.named = snapshot.engine == Engine::SqlServer;
        snapshot.resources.push_back(resource);
        Recogniser recogniser(snapshot.engine, all->frameworks);
        recogniser.setFacts(facts);
        recogniser.recognise(snapshot);

        const FrameworkMatchPtr match = snapshot.resources[0].framework;
        QVERIFY(match);
        QVERIFY2(match->framework == framework && match->lock == lock,
            qPrintable(match->framework + u' ' + match->lock + u' ' + match->evidence));
        QCOMPARE(match->name, example["meaning"_L1].toString());
        QVERIFY(!match->evidence.isEmpty());
        QCOMPARE(match->lockDefinition, &definition);
        // If the tables of the others do not exist either, a plain number belongs to no framework.
        if (definition.ofPlainNumber) {
            QVERIFY(!match->certain);
            recogniser.setFacts({facts.database, facts.schemas, {}});
            snapshot.resources[0] = resource;
            recogniser.recognise(snapshot);
            QVERIFY(!snapshot.resources[0].framework);
        }
    }
};

LOCKSCOPE_TEST(tst_Frameworks)

} // namespace tst_Frameworks
#include "tst_Frameworks.moc"
