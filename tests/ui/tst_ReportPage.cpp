// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The report of real runs in a real browser: it has nothing to complain about, and its timelines are zoomed
// and read with the mouse.

#include "tests/support/Chromium.h"
#include "tests/support/ScenarioRig.h"
#include "tests/support/TestProgram.h"
#include "ui/views/scenarios/ScenarioExport.h"

namespace tst_ReportPage {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

const QString canvas = u"document.querySelector('canvas')"_s;

static void keep(Chromium& browser, const QString& name)
{
    const QString directory = qEnvironmentVariable("LOCKSCOPE_TEST_PICTURES");
    if (!directory.isEmpty())
        test::makeFile(directory + u'/' + name + u".png"_s, browser.picture());
}

class tst_ReportPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (Chromium::program().isEmpty())
            QSKIP("Chromium is not installed.");
        m_rig = std::make_unique<test::ScenarioRig>();
        std::vector<ScenarioRunner::Ran> runs;
        for (const QString& variant : {u"unsafe"_s, u"row-lock"_s}) {
            scenario::RunOrder order;
            order.scenario = test::ScenarioRig::shipped(u"lost-update"_s);
            order.variant = variant;
            order.duration = milliseconds(1'000);
            auto report = scenario::runFreely(m_rig->server(), order);
            VERIFY_DONE(report);
            ScenarioRunner::Ran ran;
            ran.report = std::make_shared<const scenario::RunReport>(std::move(*report));
            ran.timeline = std::make_shared<const Timeline>(timelineOf(*ran.report));
            runs.push_back(ran);
        }
        m_losses = runs[0].timeline->losses.size();
        m_path = m_rig->file(u"report.html"_s);
        test::makeFile(m_path, htmlReport(runs));
        QVERIFY(QFileInfo(m_path).size() < 1'000'000);
        m_browser = std::make_unique<Chromium>();
        m_browser->setView(1280, 900, false);
        QVERIFY2(m_browser->open(m_path, u"document.documentElement?.dataset.ready === 'yes'"_s),
            qPrintable(m_browser->faults().join(u'\n')));
    }
    void cleanupTestCase()
    {
        m_browser.reset();
        m_rig.reset();
    }
    void cleanup()
    {
        if (m_browser)
            QCOMPARE(m_browser->faults().join(u'\n'), QString());
    }

    void itSaysWhatCameOut()
    {
        const QString words = m_browser->text(u"document.body.innerText"_s);
        VERIFY_CONTAINS(words, QRegularExpression(u"1 of 2 variants lost \\d+ payments?"_s));
        QVERIFY(words.contains(u"Read, then write"_s));
        QCOMPARE(m_browser->number(u"document.querySelectorAll('canvas').length"_s), 2.0);
        keep(*m_browser, u"report-light"_s);
    }

    /// Red where something was lost, and in the safe run nowhere.
    void redIsWhatWasLost()
    {
        QVERIFY(m_losses > 0);
        const auto redPixels = [this](int index) {
            return m_browser->number(
                u"(() => { const c = document.querySelectorAll('canvas')[%1], d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 0; i < d.length; i += 4) if (d[i] === 0xb3 && d[i + 1] === 0x26 && d[i + 2] === 0x1e) ++n; return n; })()"_s
                    .arg(index));
        };
        QVERIFY(redPixels(0) > 100);
        QCOMPARE(redPixels(1), 0.0);
    }

    void itIsZoomed()
    {
        const auto from = [this] { return m_browser->number(canvas + u".dataset.from"_s + u" * 1"_s); };
        const auto to = [this] { return m_browser->number(canvas + u".dataset.to * 1"_s); };
        m_browser->evaluate(canvas + u".scrollIntoView({block: 'center'})"_s);
        const double x = m_browser->number(canvas + u".getBoundingClientRect().x"_s) + 600;
        const double y = m_browser->number(canvas + u".getBoundingClientRect().y"_s) + 60;
        const double whole = to();
        QCOMPARE(from(), 0.0);
        // The wheel scrolls past the picture; after a click it zooms.
        m_browser->mouse(u"mousePressed"_s, x, y, {{u"button"_s, u"left"_s}, {u"clickCount"_s, 1}});
        m_browser->mouse(u"mouseReleased"_s, x, y, {{u"button"_s, u"left"_s}, {u"clickCount"_s, 1}});
        m_browser->mouse(u"mouseWheel"_s, x, y, {{u"deltaX"_s, 0}, {u"deltaY"_s, -400}});
        QVERIFY(waitUntil([&] { return to() - from() < whole / 2; }));
        QVERIFY(from() > 0);
        // No two marks of the axis read alike, even close to each other.
        for (int i = 0; i < 30; ++i) {
            const QStringList labels = m_browser->text(canvas + u".dataset.labels"_s).split(u'|');
            QVERIFY2(labels.size() > 1, qPrintable(labels.join(u' ')));
            QCOMPARE(QSet<QString>(labels.begin(), labels.end()).size(), labels.size());
            m_browser->evaluate(u"document.querySelector('[data-act=closer]').click()"_s);
        }
        m_browser->evaluate(u"document.querySelector('[data-act=all]').click()"_s);
        QCOMPARE(to() - from(), whole);
    }

    /// The keys go to each loss also from the whole run, where the view can't be moved.
    void eachLossIsGoneTo()
    {
        const auto go = [this](const QString& act) {
            m_browser->evaluate(u"document.querySelector('[data-act=%1]').click()"_s.arg(act));
            return m_browser->text(canvas + u".dataset.loss"_s).toLongLong();
        };
        m_browser->evaluate(u"document.querySelector('[data-act=all]').click()"_s);
        const double whole = m_browser->number(canvas + u".dataset.to * 1"_s);
        qint64 before = -1;
        for (int i = 0; i < 20; ++i) {
            const qint64 at = go(u"next"_s);
            if (at == before)
                break; // the last one
            QVERIFY(at > before);
            QVERIFY(m_browser->number(canvas + u".dataset.from * 1"_s) <= double(at));
            QVERIFY(m_browser->number(canvas + u".dataset.to * 1"_s) >= double(at));
            before = at;
        }
        QVERIFY(m_browser->number(canvas + u".dataset.to - "_s + canvas + u".dataset.from"_s) < whole);
        if (m_losses > 1)
            QVERIFY(go(u"previous"_s) < before);
        m_browser->evaluate(u"document.querySelector('[data-act=all]').click()"_s);
    }

    void itTellsWhatIsUnderTheMouse()
    {
        m_browser->evaluate(canvas + u".scrollIntoView({block: 'center'})"_s);
        const double left = m_browser->number(canvas + u".getBoundingClientRect().x"_s);
        const double y = m_browser->number(canvas + u".getBoundingClientRect().y"_s) + 40;
        const auto tip = [this] {
            return m_browser->text(u"(t => t.hidden ? '' : t.textContent)(document.querySelector('.tip'))"_s);
        };
        m_browser->mouse(u"mouseMoved"_s, left + 400, y);
        QVERIFY(waitUntil([&] { return tip().startsWith(u"1 cashier"_s); }));
        keep(*m_browser, u"report-hover"_s);
        // To a time at which something was lost: the words say whose.
        QString words;
        for (double x = left + 160; x < left + 1'000 && !words.contains(u"change is lost"_s); x += 3) {
            m_browser->mouse(u"mouseMoved"_s, x, y);
            words = tip();
        }
        VERIFY_CONTAINS(words, u"another one's change is lost, that of session "_s);
        m_browser->mouse(u"mouseMoved"_s, left + 20, y);
        QVERIFY(waitUntil([&] { return tip().isEmpty(); }));
    }

    void itIsDarkForWhoLikesIt()
    {
        m_browser->setView(1024, 700, true);
        const QString ground = m_browser->text(u"getComputedStyle(document.body).backgroundColor"_s);
        QCOMPARE(ground, u"rgb(31, 35, 41)"_s);
        keep(*m_browser, u"report-dark"_s);
        m_browser->setView(1280, 900, false);
    }

    /// A page that requests something from elsewhere, or runs foreign code, does not get it.
    void itsPolicyHolds()
    {
        Chromium other; // whose complaints are compared
        QVERIFY(other.open(m_path, u"document.documentElement?.dataset.ready === 'yes'"_s));
        QCOMPARE(
            other.number(
                u"(() => { const s = document.createElement('script'); s.textContent = 'window.intruder = 1'; document.body.append(s); return window.intruder || 0; })()"_s),
            0.0);
        other.evaluate(
            u"document.body.append(Object.assign(document.createElement('img'), {src: 'https://example.org/x.png'}))"_s);
        QVERIFY(waitUntil([&] {
            other.evaluate(u"0"_s);
            return other.faults().join(u' ').contains(u"Content Security Policy"_s);
        }));
    }

private:
    std::unique_ptr<test::ScenarioRig> m_rig;
    std::unique_ptr<Chromium> m_browser;
    QString m_path;
    std::size_t m_losses = 0;
};

LOCKSCOPE_TEST(tst_ReportPage)

} // namespace tst_ReportPage
#include "tst_ReportPage.moc"
