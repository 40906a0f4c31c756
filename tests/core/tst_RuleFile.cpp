// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/rules/RuleFile.h"
#include "tests/support/TestProgram.h"

namespace tst_RuleFile {

using namespace lockscope;
using namespace lockscope::alert;

/// Returns the text in apostrophes, for quotes.
static QByteArray quoted(const char* text)
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
    "      'only': {'servers': ['shop*'], 'times': [{'days': ['mon', 'fri'], 'from': '22:00', 'to': '06:00'}]}\n"
    "    },\n"
    "    {'name': 'ours', 'when': 'long wait', 'levels': [{'severity': 'warning', 'from': '5s'}], 'on': false}\n"
    "  ],\n"
    "  'channels': [{'name': 'pager', 'kind': 'webhook', 'url': 'https://pager/x', 'secret': 'env:PAGER'}]\n"
    "}\n");

static QStringList faultsOf(const QByteArray& text)
{
    const auto checked = checkRuleFile(u"alerts.json"_s, text);
    QStringList lines;
    if (!checked)
        for (const json::FileFault& fault : checked.error())
            lines << fault.toString();
    return lines;
}

static QByteArray ruleWith(const QByteArray& part)
{
    return quoted(
               "{'rules': [{'name': 'a', 'when': 'long wait', 'levels': [{'severity': 'warning', 'from': '5s'}], ")
        + part + "}]}";
}

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
        const QJsonObject schema =
            QJsonDocument::fromJson(test::readFile(test::sourcePath(u"resources/alerts/rules.schema.json"_s)))
                .object();
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

    /// A window of the nights with a first day does not last from that day on.
    void aWindowHasBothItsDatesAndItsTimes()
    {
        const auto read = checkRuleFile(u"alerts.json"_s,
            quoted(
                "{'maintenance': [{'why': 'nightly', 'from': '2026-11-01T00:00:00Z', 'only': {'times': [{'from': '02:00', 'to': '03:00'}]}}]}"));
        QVERIFY(read.has_value());
        const auto isIn = [&read](const char* time) {
            return read->maintenance.front().contains(
                QDateTime::fromString(QString::fromLatin1(time), Qt::ISODate));
        };
        QVERIFY(isIn("2026-11-27T02:30:00"));
        QVERIFY(!isIn("2026-11-27T19:00:00"));
        QVERIFY(!isIn("2026-10-01T02:30:00"));
        QVERIFY(!checkRuleFile(u"alerts.json"_s,
            quoted(
                "{'maintenance': [{'why': 'x', 'from': '2026-11-02T00:00:00Z', 'to': '2026-11-01T00:00:00Z'}]}")));
        // One that never ends would keep everything quiet.
        for (const char* times : {"{}", "{'from': '08:00', 'to': '08:00'}"})
            QVERIFY(!checkRuleFile(u"alerts.json"_s,
                quoted("{'maintenance': [{'why': 'x', 'only': {'times': [") + quoted(times) + "]}}]}"));
        QVERIFY(checkRuleFile(u"alerts.json"_s,
            quoted("{'maintenance': [{'why': 'x', 'only': {'times': [{'days': ['sun']}]}}]}")));
    }

    void patternsStandForWholeNames_data()
    {
        test::addColumns<QString, QString, bool>("pattern", "text", "matches");
        test::row("the name itself", "Shop", "shop", true);
        test::row("no part of a name", "shop", "shop2", false);
        test::row("a beginning", "shop*", "shop2", true);
        test::row("both ends", "shop*:5432", "shop-db:5432", true);
        test::row("ends that overlap", "ab*ba", "aba", false);
        test::row("in the middle", "*db*1*", "mydb-x1y", true);
        test::row("parts in their order", "*1*db*", "mydb-x1y", false);
        test::row("anything", "*", QString(), true);
    }
    void patternsStandForWholeNames()
    {
        FETCH(QString, pattern, QString, text);
        QTEST(matchesAny({pattern}, text), "matches");
    }

    void faultsAreReportedWhereTheyStand_data()
    {
        test::addColumns<QByteArray, QString, QString>("file", "place", "part");
        const auto row = [](const char* name, const QByteArray& file, const char* place, const char* part) {
            test::row(name, file, place, QString::fromUtf8(part));
        };
        row("no JSON", "{\n \"rules\": [}\n", "alerts.json:2:", "value");
        row("an unknown condition", quoted("{'rules': [{'name': 'a', 'when': 'rain', 'levels': []}]}"),
            "alerts.json:1:34:", "blocked sessions");
        row("a number for a time",
            quoted(
                "{'rules': [{'name': 'a', 'when': 'long wait', 'levels': [{'severity': 'warning', 'from': 5}]}]}"),
            "alerts.json:1:90:", "a duration");
        row("an unknown key", ruleWith(quoted("'fro': 1")),
            "alerts.json:1:", "The key \"fro\" is unknown here.");
        row("a channel that is not there", ruleWith(quoted("'channels': ['pager']")),
            "alerts.json:1:12:", "There is no channel \"pager\".");
        row("a secret in the file",
            quoted(
                "{'channels': [{'name': 'a', 'kind': 'webhook', 'url': 'https://x/y', 'secret': 'hunter2'}]}"),
            "alerts.json:1:", "A secret does not stand in this file.");
        row("a password in an address",
            quoted("{'channels': [{'name': 'a', 'kind': 'webhook', 'url': 'https://u:p@x/y'}]}"),
            "alerts.json:1:", "without user and password");
        row("a secret in clear text",
            quoted(
                "{'channels': [{'name': 'a', 'kind': 'webhook', 'url': 'http://hooks.example.net/', 'secret': 'env:TOKEN'}]}"),
            "alerts.json:1:15:", "by https only");
        row("an address of mail with a name",
            quoted(
                "{'channels': [{'name': 'a', 'kind': 'mail', 'from': 'Ann <ann@example.net>', 'to': ['dba@example.net']}]}"),
            "alerts.json:1:15:", "plain address");
        row("a program by its name alone",
            quoted("{'channels': [{'name': 'a', 'kind': 'program', 'command': ['tell']}]}"),
            "alerts.json:1:", "whole path");
        row("a time on no day", ruleWith(quoted("'only': {'times': [{'days': []}]}")),
            "alerts.json:1:", "a list of days");
        row("a window that never ends", quoted("{'maintenance': [{'why': 'move'}]}"),
            "alerts.json:1:18:", "no end");
        const auto levels = [](const QByteArray& text, const QByteArray& more = {}) {
            return quoted("{'rules': [{'name': 'a', 'when': 'blocked sessions', 'levels': [") + quoted(text)
                + ']' + quoted(more) + "}]}";
        };
        row("a warning that a critical level hides",
            levels("{'severity': 'warning', 'from': 5, 'for': '10s'}, {'severity': 'critical', 'from': 3}"),
            "alerts.json:1:65:", "This warning never shows");
        row("an end before the start", levels("{'severity': 'warning', 'from': 5}", ", 'clear_below': 8"),
            "alerts.json:1:", "over from 8 sessions on");
        row("two of one name",
            quoted("{'channels': [{'name': 'a', 'kind': 'journal'}, {'name': 'a', 'kind': 'journal'}]}"),
            "alerts.json:1:", "There are two of the name \"a\".");
    }
    void faultsAreReportedWhereTheyStand()
    {
        FETCH(QByteArray, file, QString, place, QString, part);
        const QStringList faults = faultsOf(file);
        QVERIFY2(!faults.isEmpty() && faults.join(u'\n').contains(place), qPrintable(faults.join(u'\n')));
        VERIFY_CONTAINS(faults.join(u'\n'), part);
    }

    /// A few sessions that wait for long are worse than many that wait briefly.
    void aLowerLevelMayBeCritical()
    {
        const QStringList faults = faultsOf(quoted(
            "{'rules': [{'name': 'a', 'when': 'blocked sessions', 'levels': [{'severity': 'warning', 'from': 5, 'for': '1s'}, {'severity': 'critical', 'from': 3, 'for': '5m'}], 'clear_below': 3}]}"));
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join(u'\n')));
    }

    void savingARuleLeavesAllElseAsItIs()
    {
        const QString path = test::makeFile(test::freshPath(u"alerts.json"_s), ownFile);
        const Rule before = *withDefaultRules(*checkRuleFile(path, ownFile)).rule(u"blocked sessions"_s);
        Rule rule = before;
        rule.levels = {{Severity::Warning, 7, 20s}};
        rule.text = u"Call \"ann\"."_s;
        QVERIFY(changeRuleFile({.before = before, .after = rule}, path).has_value());
        Rule other = *defaultRules().rule(u"long wait"_s);
        other.isOn = false;
        QVERIFY(changeRuleFile({.before = other, .after = other}, path).has_value());

        const QByteArray text = test::readFile(path);
        QVERIFY2(text.startsWith("{\n  \"comment\": \"Ours.\","), text.constData());
        QVERIFY2(text.contains("\"comment\": \"The night is busy.\""), text.constData());
        QVERIFY2(
            text.contains(quoted(
                "{'name': 'ours', 'when': 'long wait', 'levels': [{'severity': 'warning', 'from': '5s'}], 'on': false}")),
            text.constData());
        const auto read = loadRules(path);
        QVERIFY(read.has_value());
        QCOMPARE(*read->rule(rule.name), rule);
        QCOMPARE(*read->rule(other.name), other);
        QCOMPARE(read->channels.size(), size_t(1));
    }

    /// Added, changed and removed again: the user's comments around them stay, letter for letter.
    void eachKindIsAddedChangedAndRemoved()
    {
        ChannelSettings team;
        team.name = u"team"_s;
        team.form = ChannelSettings::Form::Slack;
        team.secret = u"file:/home/ann/slack"_s;
        team.minSeverity = Severity::Critical;
        ChannelSettings mail;
        mail.name = u"team"_s;
        mail.kind = ChannelSettings::Kind::Mail;
        mail.url = u"smtp://mail.example.net:587"_s;
        mail.from = u"lockscope@example.net"_s;
        mail.to = QStringList{u"dba@example.net"_s};
        mail.sendsResolved = false;
        MaintenanceWindow backup;
        backup.why = u"backup"_s;
        backup.scope.servers = QStringList{u"shop*"_s};
        backup.scope.times = *parseTimes(u"Sat 02:00–04:00"_s);
        MaintenanceWindow move;
        move.why = u"new disks"_s;
        move.from = QDateTime::fromString(u"2026-12-01T20:00:00Z"_s, Qt::ISODate);
        move.to = move.from->addSecs(3 * 3'600);
        Rule night = *defaultRules().rule(u"long wait"_s);
        night.name = u"long wait at night"_s;
        night.channels = QStringList{u"pager"_s};
        Rule day = night;
        day.name = u"long wait by day"_s;
        const std::pair<RuleFileItem, RuleFileItem> steps[] = {{team, mail}, {backup, move}, {night, day}};
        for (const QByteArray& before :
            {ownFile, QByteArray("{}"), QByteArray("{\n  \"maintenance\": []\n}\n")}) {
            for (const auto& [first, second] : steps) {
                if (std::holds_alternative<Rule>(first) && before != ownFile)
                    continue; // its channel would not be there
                const auto added = withChange(before, {.after = first});
                VERIFY_DONE(added);
                const auto changed = withChange(*added, {.before = first, .after = second});
                VERIFY_DONE(changed);
                const auto again = test::orDie(withChange(*changed, {.before = second, .after = first}));
                QCOMPARE(again, *added);
                QVERIFY(
                    !withChange(*changed, {.before = first, .after = second})); // somebody else was faster
                const auto removed = withChange(*changed, {.before = second});
                VERIFY_DONE(removed);
                QVERIFY(*checkRuleFile(u"a"_s, *removed) == *checkRuleFile(u"a"_s, before));
                for (const QByteArray& part : before == "{}" ? QByteArrayList() : before.split('\n'))
                    QVERIFY2(removed->contains(part.trimmed()), part.constData());
            }
        }
        const auto all = withChange(*withChange(ownFile, {.after = team}), {.after = backup});
        RuleSet expected = *checkRuleFile(u"a"_s, ownFile);
        expected.channels.push_back(team);
        expected.maintenance.push_back(backup);
        QVERIFY(*checkRuleFile(u"a"_s, *all) == expected);
    }

    void changesThatMakeNoSenseAreRefused()
    {
        const RuleSet own = *checkRuleFile(u"a"_s, ownFile);
        const auto refusal = [](const RuleFileChange& change) {
            const auto changed = withChange(ownFile, change);
            return changed ? u"done"_s : changed.error().toString();
        };
        const Rule builtIn = *defaultRules().rule(u"long wait"_s);
        VERIFY_CONTAINS(refusal({.before = builtIn}), u"comes with Lockscope"_s);
        QVERIFY(refusal({.after = builtIn}).contains(u"already"_s));
        QVERIFY(refusal({.after = own.channels.front()}).contains(u"already"_s));
        Rule renamed = own.rules.back();
        renamed.name = own.rules.front().name;
        QVERIFY(refusal({.before = own.rules.back(), .after = renamed}).contains(u"already"_s));
        Rule older = own.rules.front();
        older.text = u"as it was"_s;
        QVERIFY(refusal({.before = older, .after = own.rules.front()})
                    .contains(u"was changed in the rules file meanwhile"_s));
        QVERIFY(refusal({.before = older}).contains(u"meanwhile"_s));
        Rule lost = builtIn;
        lost.channels = QStringList{u"nobody"_s};
        QVERIFY(refusal({.before = lost, .after = lost}).contains(u"There is no channel \"nobody\"."_s));
        QCOMPARE(refusal({.before = own.rules.front()}), u"done"_s); // back to the built-in rule
    }

    /// A comment of several lines is a list, which stays one.
    void aCommentOfSeveralLinesStays()
    {
        const QByteArray file =
            quoted("{'channels': [{'kind': 'journal', 'comment': ['a \\'b\\'',  '}'], 'name': 'log'}]}");
        ChannelSettings log = checkRuleFile(u"a"_s, file)->channels.front();
        const ChannelSettings before = log;
        log.sendsStatements = true;
        const auto changed = test::orDie(withChange(file, {.before = before, .after = log}));
        QVERIFY2(changed.contains(quoted("'comment': ['a \\'b\\'',  '}']")), changed.constData());
    }

    void timesAreWrittenAsPeopleDo_data()
    {
        test::addColumns<QString, QString>("text", "shown");
        const auto row = [](const char* text, const char* shown) {
            test::row(text, QString::fromUtf8(text), shown);
        };
        row("", "");
        row("mon-fri 22:00-06:00", "Mon–Fri 22:00–06:00");
        row("Sat, Sun; Wed 8 - 17", "Sat, Sun; Wed 08:00–17:00");
        row("Monday, friday 00:00–24:00", "Mon, Fri");
        row("sat – mon", "Mon, Sat, Sun");
        row("02:00-04:30", "02:00–04:30");
        row("mon-sun", "00:00–24:00");
        row("sometimes", "error");
        row("25:00-26:00", "error");
        row("02:00", "error");
        row("mon 02:00-03:00 04:00-05:00", "error");
    }
    void timesAreWrittenAsPeopleDo()
    {
        FETCH(QString, text, QString, shown);
        const auto read = parseTimes(text);
        QCOMPARE(read ? timesText(*read) : u"error"_s, shown);
        if (read)
            QVERIFY(*parseTimes(shown) == *read);
    }

    void theNextTimesOfAWindow()
    {
        const auto local = [](const char* time) {
            return QDateTime::fromString(QString::fromLatin1(time), Qt::ISODate);
        };
        MaintenanceWindow window;
        window.why = u"backup"_s;
        window.scope.times = *parseTimes(u"Sat 02:00-04:00; Fri 22:00-01:00"_s);
        const auto found = nextTimes(window, local("2026-11-28T00:30:00"), 3); // a Saturday
        QCOMPARE(found.size(), 3);
        QCOMPARE(found[0].first, local("2026-11-27T22:00:00"));
        QCOMPARE(found[0].second, local("2026-11-28T01:00:00"));
        QCOMPARE(found[1].first, local("2026-11-28T02:00:00"));
        QCOMPARE(found[2].first, local("2026-12-04T22:00:00"));
        for (const auto& [from, to] : found) {
            QVERIFY(window.contains(from) && window.contains(to.addSecs(-60)));
            QVERIFY(!window.contains(from.addSecs(-60)) && !window.contains(to));
        }
        window.from = local("2026-12-01T00:00:00");
        window.to = local("2026-12-05T03:00:00");
        const auto between = nextTimes(window, local("2026-11-28T00:30:00"), 3);
        QCOMPARE(between.size(), 2);
        QCOMPARE(between[1].second, *window.to);
        window.scope.times.clear();
        QCOMPARE(nextTimes(window, local("2026-11-28T00:30:00"), 3).size(), 1);
        QVERIFY(nextTimes(window, local("2026-12-06T00:30:00"), 3).isEmpty());
    }

    /// The rules name programs that are started.
    void aFileThatOthersMayWriteIsNotUsed()
    {
        const QString path = test::freshPath(u"alerts.json"_s);
        QFile file(test::makeFile(path));
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
