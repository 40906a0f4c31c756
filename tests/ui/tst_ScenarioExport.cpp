// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Text of a scenario's file or a server stays text in exported reports; a report is one page, whose own
// script is the only one, and stays small for any run.

#include "core/scenario/format/ScenarioFile.h"
#include "tests/support/TestProgram.h"
#include "ui/kit/theme/Theme.h"
#include "ui/views/scenarios/ScenarioExport.h"

#include <QRandomGenerator>
#include <QXmlStreamReader>

namespace tst_ScenarioExport {

using namespace lockscope;
using namespace lockscope::ui;
using scenario::EventKind;

const QString hostile = u"</title></p></td><script>alert(1)</script><img src=x onerror=alert(2)>&amp;\"'"_s;

static scenario::ScenarioPtr hostileScenario()
{
    const QString text =
        uR"json({"id": "s", "title": "%1", "story": "%1", "engines": ["postgres"], "setup": [],
        "invariant": {"sql": "SELECT 0", "meaning": "%1", "violation": "%1"},
        "rules": {"processed_once": true},
        "variants": [{"id": "u", "title": "%1", "strategy": "%1", "unsafe": true, "meaning": "%1",
        "roles": [{"name": "clerk", "steps": [
            {"sql": "SELECT id FROM job FOR UPDATE", "label": "lock", "takes_lock": true},
            {"acquire": {"kind": "app", "name": "till"}}]}]}]})json"_s;
    return test::orDie(scenario::readScenario(
        QString(text).replace(u"%1"_s, QString(hostile).replace(u'"', u"\\\""_s)).toUtf8(), u"f"_s));
}

static std::shared_ptr<scenario::RunReport> hostileReport()
{
    auto report = std::make_shared<scenario::RunReport>();
    report->scenario = hostileScenario();
    report->variant = u"u"_s;
    report->runId = u"run_1"_s;
    report->verdict = hostile;
    report->duration = milliseconds(1);
    scenario::SessionReport session;
    session.number = 1;
    session.role = hostile;
    session.log.subjects = {QString(), hostile};
    session.log.events = {{0, EventKind::RoundBegin, 0}, {100, EventKind::WaitBegin, 1}};
    report->sessions = {session};
    return report;
}

/// The elements of a page, in their order; or what is wrong with it.
static QStringList elementsOf(const QByteArray& page, QString& words)
{
    QXmlStreamReader xml(page);
    QStringList elements;
    while (!xml.atEnd()) {
        const auto token = xml.readNext();
        if (token == QXmlStreamReader::StartElement)
            elements << xml.name().toString();
        else if (token == QXmlStreamReader::Characters)
            words += xml.text();
    }
    return xml.hasError() ? QStringList{u"error: "_s + xml.errorString()} : elements;
}

static ScenarioRunner::Ran hostileRun()
{
    ScenarioRunner::Ran ran;
    const auto report = hostileReport();
    ran.report = report;
    ran.timeline = std::make_shared<const Timeline>(timelineOf(*report));
    return ran;
}

static QByteArray between(const QByteArray& page, const QByteArray& begin, const QByteArray& end)
{
    const qsizetype from = page.indexOf(begin) + begin.size();
    return page.mid(from, page.indexOf(end, from) - from);
}

static QByteArray hashOf(const QByteArray& content)
{
    return "'sha256-" + QCryptographicHash::hash(content, QCryptographicHash::Sha256).toBase64() + "'";
}

class tst_ScenarioExport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingInAPictureIsMarkup()
    {
        const auto timeline = timelineOf(*hostileReport());
        QString words;
        const QStringList elements =
            elementsOf(timelineSvg(timeline, theme::paletteOf(ThemeMode::Light), 800), words);
        QVERIFY2(elements.startsWith(u"svg"_s), qPrintable(elements.value(0)));
        QVERIFY(!elements.contains(u"script"_s) && !elements.contains(u"img"_s));
        QVERIFY(words.contains(u"<script>alert(1)</script>"_s));
    }

    void nothingInAReportIsMarkup()
    {
        QString words;
        const QByteArray page = htmlReport({hostileRun()});
        const QStringList elements = elementsOf(page, words);
        QVERIFY2(elements.startsWith(u"html"_s), qPrintable(elements.value(0)));
        QVERIFY(!elements.contains(u"img"_s));
        QVERIFY(words.contains(hostile));
        // Its data and its own script; neither has words of others.
        QCOMPARE(elements.count(u"script"_s), 2);
        QVERIFY(!page.contains("<script>alert"));
        const QByteArray script = between(page, "<script>", "</script>");
        QVERIFY(!script.contains("alert"));
        // Only these two are allowed.
        const QByteArray policy = between(page, "Content-Security-Policy\" content=\"", "\"");
        QVERIFY2(policy.startsWith("default-src 'none'"), policy.constData());
        QVERIFY(policy.contains("script-src " + hashOf(script)));
        QVERIFY(policy.contains("style-src " + hashOf(between(page, "<style>", "</style>"))));
        QVERIFY(!policy.contains("unsafe"));
        QVERIFY(!page.contains(" style=\"")); // which the policy refuses
    }

    void theDataIsTheTimeline()
    {
        const QByteArray page = htmlReport({hostileRun()});
        const QByteArray packed =
            QByteArray::fromBase64(between(page, "<script type=\"text/plain\" id=\"data\">", "</script>"));
        // Qt needs the length before it.
        const QByteArray json = qUncompress(QByteArray::fromHex("00010000") + packed);
        const QJsonObject run = QJsonDocument::fromJson(json).object()[u"runs"_s].toArray()[0].toObject();
        QCOMPARE(run[u"end"_s].toInt(), 1'000);
        const QJsonObject lane = run[u"lanes"_s].toArray()[0].toObject();
        QCOMPARE(lane[u"name"_s].toString(), u"1 "_s + hostile);
        QCOMPARE(lane[u"subjects"_s].toArray()[1].toString(), hostile);
        // 100 µs of work, then 900 of waiting for subject 1.
        const QJsonArray spans{0, 100, int(LaneState::Working), 0, 0, 900, int(LaneState::Waiting), 1};
        QCOMPARE(lane[u"spans"_s].toArray(), spans);
    }

    void aReportOfManyEventsStaysSmall()
    {
        // The steps are as many as a log takes, in no order that a compression could guess.
        QRandomGenerator random(1);
        Timeline timeline = timelineOf(*hostileReport());
        timeline.lanes.resize(20, timeline.lanes[0]);
        timeline.end = 60'000'000;
        for (TimelineLane& lane : timeline.lanes) {
            lane.spans.clear();
            for (qint64 at = 0; at < timeline.end - 8'000;) {
                const qint64 from = at + random.bounded(3'000);
                at = from + 1 + random.bounded(3'000);
                lane.spans.push_back({from, at, static_cast<LaneState>(1 + random.bounded(3)), 1, 1});
                if (random.bounded(3) == 0)
                    lane.marks.push_back({at, MarkKind::Overwrote, 1, 1});
            }
        }
        ScenarioRunner::Ran run = hostileRun();
        run.timeline = std::make_shared<const Timeline>(timeline);
        const QByteArray page = htmlReport({run, run, run, run, run});
        QVERIFY2(page.size() < 1'000'000, QByteArray::number(page.size()).constData());
        QVERIFY2(page.size() > 100'000, QByteArray::number(page.size()).constData());
        QVERIFY(page.contains("too long to be shown whole")); // and that is said
        QVERIFY(!htmlReport({hostileRun()}).contains("too long"));
    }

    /// An item for each round: names that no message is about don't fill the page.
    void aReportOfManySubjectsStaysSmall()
    {
        QRandomGenerator random(1);
        Timeline timeline = timelineOf(*hostileReport());
        timeline.end = 60'000'000;
        TimelineLane& lane = timeline.lanes[0];
        lane.spans.clear();
        for (qint64 at = 0; at < timeline.end - 200; at += 200) {
            lane.subjects << QString::number(random.generate64(), 36);
            lane.spans.push_back(
                {at, at + 100, LaneState::Holding, static_cast<quint32>(lane.subjects.size() - 1), 1});
        }
        ScenarioRunner::Ran run = hostileRun();
        run.timeline = std::make_shared<const Timeline>(timeline);
        const QByteArray page = htmlReport({run});
        QVERIFY2(page.size() < 1'000'000, QByteArray::number(page.size()).constData());
        QVERIFY(page.contains("too long to be shown whole"));
        const PackedTimelines packed = packedTimelines({run.timeline}, 1'000);
        QVERIFY2(packed.data.size() <= 1'000, QByteArray::number(packed.data.size()).constData());
    }
};

LOCKSCOPE_TEST(tst_ScenarioExport)

} // namespace tst_ScenarioExport
#include "tst_ScenarioExport.moc"
