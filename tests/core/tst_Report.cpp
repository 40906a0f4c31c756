// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Every report has the same numbers in every form.

#include "core/admin/LocalAudit.h"
#include "core/order/OrderTable.h"
#include "core/record/LockBiography.h"
#include "core/record/RangeReport.h"
#include "core/record/RecordingSearch.h"
#include "core/report/Report.h"
#include "core/report/SnapshotTables.h"
#include "core/report/Writer.h"
#include "core/scenario/explore/StepTable.h"
#include "core/scenario/run/FreeRun.h"
#include "core/watch/ServerStanding.h"
#include "tests/support/HostileNames.h"
#include "tests/support/RecordedPolls.h"
#include "tests/support/TestProgram.h"

namespace tst_Report {

using namespace lockscope;
using namespace lockscope::report;
using test::RecordedPolls;

static ServerTime at(int second)
{
    return test::SnapshotBuilder::at(second);
}

static Report audited()
{
    return admin::toReport({{.id = 7,
        .at = at(3),
        .who = u"ann"_s,
        .from = u"desk4, lockctl"_s,
        .act = u"end session"_s,
        .target = u"session 63 (shop)"_s,
        .reason = u"=1+1 | <b>OPS-17</b>"_s,
        .before = u"{}"_s,
        .outcome = u"done"_s}});
}

static Report locksOf(const Snapshot& snapshot)
{
    Report all{.title = {}, .sections = {locksSection(snapshot), entriesSection(snapshot)}};
    for (const LockRequest* request : lockRequests(snapshot, true))
        all.sections.front().rows.push_back(lockRow(snapshot, *request));
    return all;
}

/// Returns the report of that name about a recorded minute.
static Report reportOf(const QString& name, RecordedPolls& recording)
{
    record::RecordingReader& reader = recording.reader();
    if (name == u"range"_s)
        return record::answerOf(reader, at(0), at(59))->report;
    if (name == u"comparison"_s)
        return record::toReport(record::compared(
            *record::rangeReport(reader, at(0), at(29)), *record::rangeReport(reader, at(30), at(59))));
    if (name == u"history of a lock"_s)
        return record::toReport(
            *record::biography(reader, test::lockNamed(reader, u"public.orders"_s), at(0), at(59)));
    if (name == u"history of a session"_s)
        return record::toReport(
            *record::biography(reader, *record::theSession(reader, SessionId{63}, at(59)), at(0), at(59)));
    if (name == u"two snapshots"_s)
        return report::toReport(**reader.at(at(2)), **reader.at(at(12)),
            differencesBetween(**reader.at(at(2)), **reader.at(at(12))));
    if (name == u"sessions of a run"_s) {
        scenario::RunReport run;
        for (const int number : {1, 2})
            run.sessions.push_back({.number = number, .role = u"clerk"_s, .log = {}});
        run.sessions.back().log.counts = {.rounds = 7, .whole = 6, .victims = 1};
        run.sessions.back().log.waits.add(microseconds(41'000));
        return {.title = {}, .sections = {scenario::sessionsSection(run)}};
    }
    if (name == u"steps"_s) {
        scenario::Interleaving interleaving;
        scenario::StepRecord step;
        step.session = step.step = 1;
        step.label = u"read | all"_s;
        step.text = u"SELECT 1"_s;
        interleaving.steps.push_back(step);
        step.session = 2;
        step.blockers = {1};
        step.on = u"row 5"_s;
        step.isBlocked = true;
        step.isEnded = false;
        interleaving.steps.push_back(step);
        return {.title = {}, .sections = {scenario::stepsSection(interleaving)}};
    }
    if (name == u"servers"_s) {
        Report report{.title = {}, .sections = {watch::standingsSection()}};
        watch::ServerStanding standing;
        report.sections.front().rows.push_back(watch::standingRow({}, standing, {}));
        standing.state = watch::ServerStanding::State::Warning;
        standing.reason = u"63 waits | for 51"_s;
        standing.waiting = 2;
        standing.longestWait = Age{milliseconds(41'000), false};
        standing.isReplica = true;
        standing.known = std::chrono::steady_clock::now() - std::chrono::seconds(3);
        standing.pollTook = milliseconds(12);
        standing.interval = milliseconds(2'000);
        report.sections.front().rows.push_back(watch::standingRow({}, standing, {}));
        return report;
    }
    if (name == u"blocking"_s) {
        const SnapshotPtr snapshot = *reader.at(at(12));
        return report::toReport(*snapshot, blockingForest(*snapshot, LockThresholds().hold.amber));
    }
    if (name == u"locks"_s)
        return locksOf(**reader.at(at(12)));
    if (name == u"lock order"_s) {
        order::OrderWatch watch;
        for (int second = 0; second < 12; ++second) {
            test::SnapshotBuilder snapshot(second);
            test::takeInOppositeOrders(snapshot, second);
            watch.note(snapshot.take());
        }
        return order::toReport(watch.state()->found.all, {.state = watch.state()});
    }
    if (name == u"search"_s) {
        Report report{.title = {}, .sections = {record::foundSection(true)}};
        const auto found = record::searchRecording(reader, u"e"_s, 100);
        for (const record::FoundText& each : found->all)
            report.sections.front().rows.push_back(foundRow(each, u"shop.lockscope"_s));
        return report;
    }
    return audited();
}

static QJsonValue at(const QJsonValue& object, const QString& name)
{
    QJsonValue value = object;
    for (const QString& part : name.split(u'.'))
        value = value[part];
    return value;
}

/// The lines of CSV, which has no line ends within cells here.
static QList<QStringList> csvLines(const QString& csv)
{
    QList<QStringList> lines;
    static const QRegularExpression cell(u"(?:^|,)(?:\"((?:[^\"]|\"\")*)\"|([^,\"]*))"_s);
    for (const QString& line : csv.split(u"\r\n"_s)) {
        QStringList cells;
        for (auto it = cell.globalMatch(line); it.hasNext();) {
            const auto match = it.next();
            cells << QString(match.captured(1) + match.captured(2)).replace(u"\"\""_s, u"\""_s);
        }
        lines << cells;
    }
    return lines;
}

/// Returns the value as programs get it, written without the code under test.
static QString expected(const Column& column, const Value& value)
{
    if (const auto* text = std::get_if<QString>(&value.data))
        return *text;
    if (const auto* flag = std::get_if<bool>(&value.data))
        return *flag ? u"true"_s : u"false"_s;
    if (const auto* number = std::get_if<double>(&value.data))
        return QVariant(*number).toString();
    const auto* number = std::get_if<qint64>(&value.data);
    if (!number)
        return {};
    return column.type == Type::Time  ? ServerTime{*number}.toIsoString()
        : column.type == Type::Length ? QString::number(*number / 1'000)
                                      : QString::number(*number);
}

class tst_Report : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { recordMinute(m_recording); }

    void everyFormHasTheSameNumbers_data()
    {
        test::addTexts("name",
            {"range", "comparison", "history of a lock", "history of a session", "two snapshots", "search",
                "lock order", "audit", "locks", "blocking", "sessions of a run", "steps", "servers"});
    }
    void everyFormHasTheSameNumbers()
    {
        QFETCH(const QString, name);
        const Report report = reportOf(name, m_recording);
        const QJsonDocument document = QJsonDocument::fromJson(rendered(report, Form::Json).toUtf8());
        qsizetype compared = 0;
        for (const Section& section : report.sections) {
            const QJsonArray json =
                section.key.isEmpty() ? document.array() : at(document.object(), section.key).toArray();
            QCOMPARE(json.size(), qsizetype(section.rows.size()));
            Report alone{.title = {}, .sections = {section}};
            const QList<QStringList> csv = csvLines(rendered(alone, Form::Csv));
            const QStringList markdown = rendered(alone, Form::Markdown).split(u'\n').filter(u"| "_s);
            const QStringList html = rendered(alone, Form::Html).split(u'\n').filter(u"<tr><td"_s);
            const QStringList text = rendered(alone, Form::Text).trimmed().split(u'\n');
            const bool isForPeople = section.shown == Shown::Always;
            const qsizetype firstText = section.title.isEmpty() ? 1 : 2; // below titles
            for (qsizetype i = 0; i < qsizetype(section.rows.size()); ++i) {
                const ReportRow& row = section.rows[std::size_t(i)];
                QCOMPARE(row.cells.size(), section.columns.size());
                for (std::size_t c = 0; c < row.cells.size(); ++c) {
                    const Column& column = section.columns[c];
                    const QString value = expected(column, row.cells[c]);
                    const QJsonValue shownJson = at(json[i], column.name());
                    QCOMPARE(shownJson.isNull() || shownJson.isUndefined(), row.cells[c].isNothing());
                    QCOMPARE(shownJson.toVariant().toString(), value);
                    const auto place = csv[0].indexOf(column.name());
                    QVERIFY2(place >= 0, qPrintable(column.name()));
                    QCOMPARE(csv[i + 1].value(place), spreadsheetSafe(value));
                    if (column.shown != Shown::Always || !isForPeople)
                        continue;
                    const QString shown = shownText(column, row.cells[c]);
                    QVERIFY2(text[firstText + i].contains(shown),
                        qPrintable(text[firstText + i] + u": "_s + shown));
                    QVERIFY2(markdown[i + 2].contains(u"| "_s + markdownCell(shown) + u" |"_s),
                        qPrintable(markdown[i + 2] + u": "_s + shown));
                    VERIFY_CONTAINS(html[i], u'>' + htmlText(shown) + u"</td>"_s);
                    ++compared;
                }
            }
        }
        QVERIFY(compared >= 5);
    }

    void nothingOfOthersIsMarkup()
    {
        const Report report = audited();
        QVERIFY(rendered(report, Form::Html).contains(u"=1+1 | &lt;b&gt;OPS-17&lt;/b&gt;"_s));
        QVERIFY(rendered(report, Form::Csv).contains(u"'=1+1 | <b>"_s));
        QVERIFY(rendered(report, Form::Markdown).contains(u"=1+1 \\| \\<b\\>OPS-17"_s));
        Report steering = audited();
        steering.sections.front().rows.front().cells[4] = u"a\x1b[31mb\u202e\nc"_s;
        steering.title = u"\x1b[2J"_s;
        steering.notes = QStringList{u"\u202e"_s};
        for (const Form form : {Form::Text, Form::Json, Form::Csv, Form::Markdown, Form::Html}) {
            const QString text = rendered(steering, form);
            QVERIFY2(!text.contains(u'\x1b') && !text.contains(u'\u202e'), qPrintable(text));
        }
    }

    void namesOfOthersDeceiveNobody()
    {
        test::SnapshotBuilder builder;
        builder.sessions({{51, "billing"}, {63, "import"}});
        builder.holds(51, "public.orders", "AccessExclusiveLock", 10);
        builder.waits(63, "public.orders", "ShareLock", 4);
        builder.entry("nightly", "ann").lease(600, 700).queue("bob", 20);
        Snapshot evil = *builder.take();
        const QString name = test::shortHostileName + u"=1+1</td><b>x|`*"_s;
        for (Session& each : evil.sessions)
            each.user = each.program = each.host = each.statement = name;
        for (Resource& each : evil.resources)
            each.name = name;
        for (LockTableEntry& each : evil.entries)
            each.name = each.table = each.party.owner = each.token = each.badRow = name;
        for (const Form form : {Form::Text, Form::Json, Form::Csv, Form::Markdown, Form::Html}) {
            const QString text = rendered(locksOf(evil), form).replace(u"\r\n"_s, u"\n"_s);
            QCOMPARE(test::deceitIn(text, true), QString());
            QVERIFY(text.contains(u"FORGED"_s));
            QVERIFY(form != Form::Html || !text.contains(u"<b>x"_s));
            QVERIFY(form != Form::Markdown || !text.contains(u"x|"_s));
        }
    }

    void unitsAndBoundsAreInTheNames()
    {
        const Section section{.key = u"rows"_s,
            .columns = {{Type::Length, u"a.waited"_s}, {Type::Time, u"a.never"_s},
                Column(Type::Time, u"from"_s).atMost().withExact(), {Type::Number, u"rate"_s}},
            .rows = {{.cells = {Value::atLeast(microseconds(12'345'678)), Value(), Value(at(0), false),
                          std::optional(2.5)}}}};
        const Report report{.title = {}, .sections = {section}};
        QCOMPARE(rendered(report, Form::Json),
            u"{\"notes\":[],\"rows\":[{\"a\":{\"never\":null,\"waited_ms\":12345},\"from\":\"%1\",\"from_exact\":false,\"rate\":2.5}]}\n"_s
                .arg(at(0).toIsoString()));
        QCOMPARE(rendered(report, Form::Csv),
            u"a.waited_ms,a.never,from,from_exact,rate\r\n12345,,%1,false,2.5\r\n"_s.arg(
                at(0).toIsoString()));
        const ReportRow& row = section.rows.front();
        QCOMPARE(shownText(section.columns[0], row.cells[0]), u"≥ 12.3 s"_s);
        QCOMPARE(shownText(section.columns[1], row.cells[1]), u"–"_s);
        QCOMPARE(shownText(section.columns[0], Value::atLeast(microseconds(0))), u"–"_s); // nothing is proven
        QCOMPARE(shownText(section.columns[2], row.cells[2]), u"≤ %1Z"_s.arg(at(0).toIsoString().left(19)));
    }

    void aLimitIsForPeople()
    {
        const Report report = reportOf(u"range"_s, m_recording);
        const auto rowsIn = [&report](Form form) {
            Report alone{.title = {}, .sections = {*report.section(u"programs"_s)}};
            return rendered(alone, form, {.maxRows = 1}).count(form == Form::Csv ? u"\r\n"_s : u"\n"_s);
        };
        QCOMPARE(report.section(u"programs"_s)->rows.size(), std::size_t(3));
        QCOMPARE(rowsIn(Form::Csv), 4); // and titles
        QCOMPARE(rowsIn(Form::Text), 4); // and a blank line, the title, the columns' titles
    }

    void rowsComeOneByOne()
    {
        const Report whole = reportOf(u"history of a lock"_s, m_recording);
        Report empty = whole;
        empty.sections.front().rows.clear();
        for (const Form form : {Form::Text, Form::Json, Form::Csv, Form::Markdown, Form::Html}) {
            QString written;
            Writer writer(form, {}, [&written](const QString& text) { written += text; });
            writer.begin(empty);
            writer.begin(empty.sections.front());
            for (const ReportRow& row : whole.sections.front().rows)
                writer.add(row);
            writer.endSection();
            writer.end();
            QCOMPARE(written, rendered(whole, form));
        }
    }

private:
    RecordedPolls m_recording;
};

LOCKSCOPE_TEST(tst_Report)

} // namespace tst_Report
#include "tst_Report.moc"
