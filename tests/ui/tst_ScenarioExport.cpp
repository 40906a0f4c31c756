// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// What a scenario's file or a server says stays text in the reports that are given away.

#include "core/scenario/format/ScenarioFile.h"
#include "tests/support/TestProgram.h"
#include "ui/scenario/ScenarioExport.h"
#include "ui/theme/PicturePalette.h"

#include <QXmlStreamReader>
#include <QtTest>

using namespace lockscope;
using namespace lockscope::ui;
using namespace Qt::StringLiterals;
using scenario::EventKind;

namespace {

const QString hostile = u"</title></p></td><script>alert(1)</script><img src=x onerror=alert(2)>&amp;\"'"_s;

scenario::ScenarioPtr hostileScenario()
{
    const QString text =
        uR"json({"id": "s", "title": "%1", "story": "%1", "engines": ["postgres"], "setup": [],
        "invariant": {"sql": "SELECT 0", "meaning": "%1", "violation": "%1"},
        "rules": {"processed_once": true},
        "variants": [{"id": "u", "title": "%1", "strategy": "%1", "unsafe": true, "meaning": "%1",
        "roles": [{"name": "clerk", "steps": [
            {"sql": "SELECT id FROM job FOR UPDATE", "label": "lock", "takes_lock": true},
            {"acquire": {"kind": "app", "name": "till"}}]}]}]})json"_s;
    const auto read = scenario::readScenario(
        QString(text).replace(u"%1"_s, QString(hostile).replace(u'"', u"\\\""_s)).toUtf8(), u"f"_s);
    if (!read)
        qFatal("the scenario can't be read: %s", qPrintable(read.error().front().what));
    return *read;
}

std::shared_ptr<scenario::RunReport> hostileReport()
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
QStringList elementsOf(const QByteArray& page, QString& words)
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

} // namespace

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
        ScenarioRunner::Ran ran;
        const auto report = hostileReport();
        ran.report = report;
        ran.timeline = std::make_shared<const Timeline>(timelineOf(*report));
        QString words;
        const QStringList elements = elementsOf(htmlReport({ran}), words);
        QVERIFY2(elements.startsWith(u"html"_s), qPrintable(elements.value(0)));
        QVERIFY(!elements.contains(u"script"_s) && !elements.contains(u"img"_s));
        QVERIFY(words.contains(hostile));
    }
};

LOCKSCOPE_TEST(tst_ScenarioExport)
#include "tst_ScenarioExport.moc"
