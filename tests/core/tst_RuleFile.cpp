// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/rules/RuleFile.h"
#include "tests/support/TestProgram.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

namespace tst_RuleFile {

using namespace lockscope;
using namespace lockscope::alert;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

/// With apostrophes for quotes.
QByteArray quoted(const char* text)
{
    return QByteArray(text).replace('\'', '"');
}

const QByteArray ownFile = quoted(
    "{\n"
    "  'comment': 'Ours.',\n"
    "  'rules': [\n"
    "    {\n"
    "      'name': 'blocked sessions', 'comment': 'The night is busy.',\n"
    "      'when': 'blocked sessions',\n"
    "      'levels': [{'severity': 'critical', 'from': 40, 'for': '90s'}],\n"
    "      'only': {'servers': ['shop*'], 'times': [{'days': ['mon', 'fri'], 'from': '22:00', 'to': "
    "'06:00'}]}\n"
    "    },\n"
    "    {'name': 'ours', 'when': 'long wait', 'levels': [{'severity': 'warning', 'from': '5s'}], 'on': "
    "false}\n"
    "  ],\n"
    "  'channels': [{'name': 'pager', 'kind': 'webhook', 'url': 'https://pager/x', 'secret': 'env:PAGER'}]\n"
    "}\n");

QStringList faultsOf(const QByteArray& text)
{
    const auto checked = checkRuleFile(u"alerts.json"_s, text);
    QStringList lines;
    if (!checked)
        for (const json::FileFault& fault : checked.error())
            lines << fault.toString();
    return lines;
}

QByteArray ruleWith(const QByteArray& part)
{
    return quoted("{'rules': [{'name': 'a', 'when': 'long wait', 'levels': [{'severity': 'warning', 'from': "
                  "'5s'}], ")
        + part + "}]}";
}

} // namespace

class tst_RuleFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachConditionHasARuleThatComesWithTheProgram()
    {
        for (int i = 0; i < conditionCount; ++i) {
            const QString key = QString::fromUtf16(conditionInfo(Condition(i)).key);
            const Rule* const rule = defaultRules().rule(key);
            QVERIFY2(rule, qPrintable(key));
            QVERIFY2(rule->isOn, qPrintable(key));
            const auto has = [rule](Severity severity) {
                return std::ranges::any_of(
                    rule->levels, [severity](const RuleLevel& level) { return level.severity == severity; });
            };
            QVERIFY2(has(Severity::Warning) && has(Severity::Critical), qPrintable(key));
        }
    }

    void theSchemaKnowsTheSameConditions()
    {
        QFile file(QStringLiteral(LOCKSCOPE_SOURCE_DIR "/resources/alerts/rules.schema.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject schema = QJsonDocument::fromJson(file.readAll()).object();
        QStringList keys;
        for (const auto& key : schema[u"$defs"][u"rule"][u"properties"][u"when"][u"enum"].toArray())
            keys << key.toString();
        QCOMPARE(keys, conditionKeys());
    }

    void aRuleOfOnesOwnTakesThePlaceOfTheOneOfItsName()
    {
        const auto own = checkRuleFile(u"alerts.json"_s, ownFile);
        QVERIFY(own.has_value());
        const RuleSet all = withDefaultRules(*own);
        QCOMPARE(all.rules.size(), defaultRules().rules.size() + 1);
        QCOMPARE(all.rule(u"blocked sessions"_s)->levels.front().from, 40.0);
        QCOMPARE(all.rule(u"blocked sessions"_s)->levels.front().hold, milliseconds(90s));
        QCOMPARE(all.rule(u"ours"_s)->levels.front().from, 5'000.0);
        QVERIFY(!all.rule(u"ours"_s)->isOn);
        QVERIFY(all.rule(u"stale entries"_s));
    }

    void nightsGoOnAfterMidnight()
    {
        const auto own = checkRuleFile(u"alerts.json"_s, ownFile);
        const Scope& scope = own->rule(u"blocked sessions"_s)->scope;
        const auto isIn = [&scope](const char* time) {
            return scope.isInTime(QDateTime::fromString(QString::fromLatin1(time), Qt::ISODate));
        };
        QVERIFY(isIn("2026-11-27T23:00:00")); // a Friday
        QVERIFY(isIn("2026-11-28T05:59:00"));
        QVERIFY(!isIn("2026-11-28T06:00:00"));
        QVERIFY(!isIn("2026-11-28T23:00:00"));
        QVERIFY(!isIn("2026-11-27T05:00:00"));
    }

    /// A night's window with a first day is not a window from that day on.
    void aWindowHasBothItsDatesAndItsTimes()
    {
        const auto read = checkRuleFile(u"alerts.json"_s,
            quoted("{'maintenance': [{'why': 'nightly', 'from': '2026-11-01T00:00:00Z', "
                   "'only': {'times': [{'from': '02:00', 'to': '03:00'}]}}]}"));
        QVERIFY(read.has_value());
        const auto isIn = [&read](const char* time) {
            return read->maintenance.front().contains(
                QDateTime::fromString(QString::fromLatin1(time), Qt::ISODate));
        };
        QVERIFY(isIn("2026-11-27T02:30:00"));
        QVERIFY(!isIn("2026-11-27T19:00:00"));
        QVERIFY(!isIn("2026-10-01T02:30:00"));
        QVERIFY(!checkRuleFile(u"alerts.json"_s,
            quoted("{'maintenance': [{'why': 'x', 'from': '2026-11-02T00:00:00Z', 'to': "
                   "'2026-11-01T00:00:00Z'}]}")));
    }

    void patternsStandForWholeNames_data()
    {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("matches");
        QTest::newRow("the name itself") << u"Shop"_s << u"shop"_s << true;
        QTest::newRow("no part of a name") << u"shop"_s << u"shop2"_s << false;
        QTest::newRow("a beginning") << u"shop*"_s << u"shop2"_s << true;
        QTest::newRow("both ends") << u"shop*:5432"_s << u"shop-db:5432"_s << true;
        QTest::newRow("ends that overlap") << u"ab*ba"_s << u"aba"_s << false;
        QTest::newRow("in the middle") << u"*db*1*"_s << u"mydb-x1y"_s << true;
        QTest::newRow("parts in their order") << u"*1*db*"_s << u"mydb-x1y"_s << false;
        QTest::newRow("anything") << u"*"_s << QString() << true;
    }
    void patternsStandForWholeNames()
    {
        QFETCH(QString, pattern);
        QFETCH(QString, text);
        QFETCH(bool, matches);
        QCOMPARE(matchesAny({pattern}, text), matches);
    }

    void faultsAreToldWhereTheyStand_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("part");
        const auto row = [](const char* name, const QByteArray& file, const char* place, const char* part) {
            QTest::newRow(name) << file << QString::fromLatin1(place) << QString::fromUtf8(part);
        };
        row("no JSON", "{\n \"rules\": [}\n", "alerts.json:2:", "value");
        row("an unknown condition", quoted("{'rules': [{'name': 'a', 'when': 'rain', 'levels': []}]}"),
            "alerts.json:1:34:", "blocked sessions");
        row("a number for a time",
            quoted("{'rules': [{'name': 'a', 'when': 'long wait', 'levels': [{'severity': 'warning', 'from': "
                   "5}]}]}"),
            "alerts.json:1:90:", "a duration");
        row("an unknown key", ruleWith(quoted("'fro': 1")),
            "alerts.json:1:", "The key \"fro\" is unknown here.");
        row("a channel that is not there", ruleWith(quoted("'channels': ['pager']")),
            "alerts.json:1:12:", "There is no channel \"pager\".");
        row("a secret in the file",
            quoted("{'channels': [{'name': 'a', 'kind': 'webhook', 'url': 'https://x/y', 'secret': "
                   "'hunter2'}]}"),
            "alerts.json:1:", "A secret does not stand in this file.");
        row("a password in an address",
            quoted("{'channels': [{'name': 'a', 'kind': 'webhook', 'url': 'https://u:p@x/y'}]}"),
            "alerts.json:1:", "without user and password");
        row("a secret in clear text",
            quoted("{'channels': [{'name': 'a', 'kind': 'webhook', 'url': 'http://hooks.example.net/', "
                   "'secret': "
                   "'env:TOKEN'}]}"),
            "alerts.json:1:15:", "by https only");
        row("an address of mail with a name",
            quoted("{'channels': [{'name': 'a', 'kind': 'mail', 'from': 'Ann <ann@example.net>', 'to': "
                   "['dba@example.net']}]}"),
            "alerts.json:1:15:", "plain address");
        row("a program by its name alone",
            quoted("{'channels': [{'name': 'a', 'kind': 'program', 'command': ['tell']}]}"),
            "alerts.json:1:", "whole path");
        row("a window that never ends", quoted("{'maintenance': [{'why': 'move'}]}"),
            "alerts.json:1:18:", "no end");
        row("two of one name",
            quoted("{'channels': [{'name': 'a', 'kind': 'journal'}, {'name': 'a', 'kind': 'journal'}]}"),
            "alerts.json:1:", "There are two of the name \"a\".");
    }
    void faultsAreToldWhereTheyStand()
    {
        QFETCH(QByteArray, file);
        QFETCH(QString, place);
        QFETCH(QString, part);
        const QStringList faults = faultsOf(file);
        QVERIFY2(!faults.isEmpty() && faults.join(u'\n').contains(place), qPrintable(faults.join(u'\n')));
        QVERIFY2(faults.join(u'\n').contains(part), qPrintable(faults.join(u'\n')));
    }

    void savingARuleLeavesAllElseAsItIs()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(u"alerts.json"_s);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(ownFile);
        file.close();
        Rule rule = *withDefaultRules(*checkRuleFile(path, ownFile)).rule(u"blocked sessions"_s);
        rule.levels = {{Severity::Warning, 7, 20s}};
        rule.text = u"Call \"ann\"."_s;
        QVERIFY(saveRule(rule, path).has_value());
        Rule other = *defaultRules().rule(u"long wait"_s);
        other.isOn = false;
        QVERIFY(saveRule(other, path).has_value());

        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        QVERIFY2(text.startsWith("{\n  \"comment\": \"Ours.\","), text.constData());
        QVERIFY2(text.contains("\"comment\": \"The night is busy.\""), text.constData());
        QVERIFY2(text.contains(quoted("{'name': 'ours', 'when': 'long wait', 'levels': [{'severity': "
                                      "'warning', 'from': '5s'}], 'on': false}")),
            text.constData());
        const auto read = loadRules(path);
        QVERIFY(read.has_value());
        QCOMPARE(*read->rule(rule.name), rule);
        QCOMPARE(*read->rule(other.name), other);
        QCOMPARE(read->channels.size(), size_t(1));
    }

    /// The rules name programs that are started.
    void aFileThatOthersMayWriteIsNotUsed()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(u"alerts.json"_s);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.close();
        QVERIFY(loadRules(path).has_value());
        file.setPermissions(file.permissions() | QFile::WriteOther);
        const auto read = loadRules(path);
        QVERIFY(!read.has_value());
        QCOMPARE(read.error().kind, ErrorKind::Permission);
    }
};

LOCKSCOPE_TEST(tst_RuleFile)

} // namespace tst_RuleFile
#include "tst_RuleFile.moc"
