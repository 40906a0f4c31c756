// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The incidents in a recording, in the window: of an agent on this machine, and of another one by the team's
// history. The account's own are as they were.

#include "core/record/RecordingClient.h"
#include "core/record/postgres/HistorySchema.h"
#include "tests/support/AgentBench.h"
#include "tests/support/FakeKeychain.h"
#include "tests/support/MadeIncidents.h"
#include "tests/support/MadeRecording.h"
#include "tests/support/RecordedPolls.h"
#include "tests/support/Recordings.h"
#include "tests/ui/Widgets.h"
#include "tests/ui/WindowTest.h"
#include "ui/shell/servers/Servers.h"
#include "ui/views/incidents/IncidentView.h"
#include "ui/views/incidents/IncidentsPage.h"

namespace tst_RecordedIncidents {

using namespace lockscope;
using namespace lockscope::ui;
using record::Event;

/// Returns a recorder's event; `state` is "begins", "worse" or "ends".
static Event alertAt(int second, const QString& cause, const QString& state, const QString& what,
    const QString& severity = u"warning"_s)
{
    return {test::SnapshotBuilder::at(second), Event::Kind::Alert, what,
        u"{\"state\": \"%1\", \"severity\": \"%2\", \"head\": \"51 billing\", \"waiting\": 3, \"longest_ms\": 4000, \"incident\": \"%3\"}"_s
            .arg(state, severity, cause),
        cause + state};
}

static QStringList titlesOf(const RecordedIncidentsView& view)
{
    const TableModel& model = view.tableModel();
    return test::column(model, model.columnOf(u"title"_s));
}

class tst_RecordedIncidents : public test::WindowTest, test::AgentBench {
    Q_OBJECT

    using AgentBench::m_folder;

private Q_SLOTS:
    void initTestCase() { qputenv("LOCKSCOPE_PASSWORD", m_server->password().toUtf8()); }
    void cleanupTestCase() { qunsetenv("LOCKSCOPE_PASSWORD"); }
    void init() { setUp(); }
    void cleanup()
    {
        dropAll();
        tearDown();
    }

    void ofTheAgentOfThisMachine()
    {
        const auto agent = start({m_url.toString()});
        const auto answer = [this] {
            return ctl()({u"alerts"_s, u"history"_s, u"--recording"_s, recordingOf(m_url)}).out;
        };
        makeIncident(answer);
        agent->terminate();
        test::Lockctl::finish(*agent);
        checkRecording(recordingOf(m_url), u"agent"_s);
    }

    void ofAnotherMachineByTheTeamsHistory()
    {
        const db::ServerUrl history = m_server->freshDatabase(test::TestServer::Schema::None);
        QVERIFY(record::installHistory(*m_server->connect(history)));
        const db::ServerUrl writer = m_server->asRole(history, u"GRANT lockscope_history_writer TO {role}"_s);
        const db::ServerUrl reader = m_server->asRole(history, u"GRANT lockscope_history_reader TO {role}"_s);
        const auto agent = start({m_url.toString()},
            ", 'history': {'server': '" + writer.toString().toUtf8()
                + "', 'password': 'env:LOCKSCOPE_PASSWORD'}");
        const auto place = [&] {
            return reader.toString() + u'#'
                + test::ask(
                    *m_server->connect(history), u"SELECT max(id::text) FROM lockscope_history.recording"_s);
        };
        makeIncident([&] { return ctl()({u"alerts"_s, u"history"_s, u"--recording"_s, place()}).out; });
        agent->terminate();
        test::Lockctl::finish(*agent);
        m_keychain->write(reader.toString(), m_server->password());
        checkRecording(place(), u"history"_s);
        VERIFY_CONTAINS(text("incidentAnswer"), u"wrote it to the history as "_s + writer.user);
    }

    /// Those that go on first, the worst of them on top; then the others, the newest first.
    void theWorstAndNewestStandFirst()
    {
        const QString path = recordingWith({alertAt(1, u"a"_s, u"begins"_s, u"A."_s, u"critical"_s),
            alertAt(2, u"b"_s, u"begins"_s, u"B."_s), alertAt(3, u"c"_s, u"begins"_s, u"C."_s),
            alertAt(4, u"c"_s, u"ends"_s, u"Resolved after 1 s."_s), alertAt(5, u"d"_s, u"begins"_s, u"D."_s),
            alertAt(6, u"d"_s, u"ends"_s, u"Resolved after 1 s."_s),
            alertAt(7, u"e"_s, u"begins"_s, u"E."_s)});
        record::RecordingClient client(path);
        RecordedIncidentsView view;
        view.setRecording(&client);
        view.show();
        QTRY_COMPARE(titlesOf(view), (QStringList{u"A."_s, u"E."_s, u"B."_s, u"D."_s, u"C."_s}));
        QVERIFY(view.missing().isEmpty());
        view.selectRow(0);
        QVERIFY(recordedFacts(*view.chosen<FoundIncident>()).contains(u"no end is recorded"_s));
        QCOMPARE(view.chosen<FoundIncident>()->at(), test::SnapshotBuilder::at(1));
    }

    /// An incident that began before the recording, and whose sessions were not counted.
    void whatIsNotKeptIsNotZero()
    {
        Event end = alertAt(4, u"a"_s, u"ends"_s, u"Resolved after 2 min."_s);
        end.detail.replace(u"\"waiting\": 3, \"longest_ms\": 4000"_s, u"\"waiting\": 0, \"longest_ms\": 0"_s);
        record::RecordingClient client(recordingWith({end}));
        RecordedIncidentsView view;
        view.setRecording(&client);
        view.show();
        QTRY_COMPARE(titlesOf(view).size(), 1);
        const TableModel& model = view.tableModel();
        for (const QString& column : {u"fired"_s, u"waiting"_s, u"longest"_s}) {
            const QString cell = model.index(0, model.columnOf(column)).data().toString();
            QVERIFY2(cell.isEmpty() || cell == u"–"_s, qPrintable(column + u": "_s + cell));
        }
        const QString facts = recordedFacts(*view.chosen<FoundIncident>());
        QVERIFY2(facts.contains(u"fired before "_s) && !facts.contains(u"waited"_s), qPrintable(facts));
        QVERIFY(recordedStory(*view.chosen<FoundIncident>()).contains(u"Not kept in a recording"_s));
    }

    void aRecordingThatCannotBeReadIsNoEmptyList()
    {
        const QString path = m_folder->filePath(u"made.lockscope"_s);
        record::RecordingClient client(path);
        RecordedIncidentsView view;
        view.setRecording(&client);
        view.show();
        QTRY_COMPARE(view.emptyTitle(), u"The incidents of the recording can't be read"_s);
        // It is there at the next reading; it has none, and says what would be there.
        QVERIFY(test::MadeRecording::write(path, u"shop@db1"_s));
        view.hide();
        view.show();
        QTRY_COMPARE(view.emptyTitle(), u"No incident in this recording"_s);
        view.resize(854, 300);
        test::keepPicture(view, u"recorded-none"_s);
    }

    void anEventThatIsDamagedIsSaid()
    {
        const QString path = recordingWith({alertAt(1, u"a"_s, u"begins"_s, u"Billing blocks the till."_s),
            alertAt(2, u"b"_s, u"begins"_s, u"B."_s)});
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadWrite));
        const QByteArray bytes =
            file.readAll().replace("Billing blocks the till.", "Billing blocks the bill.");
        file.seek(0);
        file.write(bytes);
        file.close();
        record::RecordingClient client(path);
        RecordedIncidentsView view;
        view.setRecording(&client);
        view.show();
        QTRY_COMPARE(titlesOf(view), QStringList(u"B."_s));
        COMPARE_TEXTS(view.missing(), "1 event is damaged.");
    }

private:
    /// An incident that fires and is resolved, as `output` shows each time.
    template <class Output> void makeIncident(const Output& output)
    {
        QVERIFY(test::waitUntil([&] { return QFile::exists(recordingOf(m_url)); }));
        block(3);
        QVERIFY2(
            test::waitUntil([&] { return output().contains(u"3 sessions wait"_s); }), qPrintable(output()));
        QVERIFY(unblock());
        QVERIFY2(
            test::waitUntil([&] { return output().contains(u"Resolved after"_s); }), qPrintable(output()));
    }

    /// Opens the recording in the window of an account that has an incident of its own.
    void checkRecording(const QString& place, const QString& picture)
    {
        makeFolder();
        keepState();
        test::MadeIncidents own(watch::IncidentStore::ownPath());
        const QString ownTitle = own.fire(test::MadeIncidents::unreachable(ownClock() - 2min)).title;
        showWindow({.passwords = m_server->passwords(), .keychain = m_keychain}, QSize(1'024, 700));
        m_window->showPage(u"incidents"_s);
        TRY_COMPARE(text("incidentTitle"), ownTitle);
        QVERIFY(!button(u"Recorded"_s)->isVisible());

        m_window->openRecording(place);
        auto* list = page().findChild<RecordedIncidentsView*>();
        TRY_VERIFY(list->isVisible() && list->tableModel().rowCount() > 0);
        const QString title = titlesOf(*list).value(0);
        VERIFY_STARTS(title, u"3 sessions wait for "_s);
        QCOMPARE(text("incidentTitle"), title);
        QVERIFY(button(u"Recorded"_s)->isChecked());
        const QString finder =
            u"Found by the program that recorded it on %1"_s.arg(QSysInfo::machineHostName());
        QVERIFY2(text("incidentAnswer").startsWith(finder)
                && text("incidentAnswer").endsWith(u": acknowledge and mute it there."_s),
            qPrintable(text("incidentAnswer")));
        for (const QString& act : {u"Acknowledge…"_s, u"Mute…"_s}) {
            QVERIFY2(!button(act)->isEnabled() && button(act)->isVisible(), qPrintable(act));
            QCOMPARE(button(act)->toolTip(), text("incidentAnswer"));
        }
        const auto words = [this](const char* name) {
            return page().findChild<QTextBrowser*>(QLatin1String(name))->toPlainText();
        };
        VERIFY_CONTAINS(words("incidentStory"), u"Head blocker"_s);
        VERIFY_CONTAINS(words("incidentStory"), u"Resolved after"_s);
        QCOMPARE(words("incidentHistory").count(u" UTC: "_s), 2);
        keepPictures(picture);

        // The own ones are there, too.
        button(u"Incidents"_s)->click();
        QCOMPARE(text("incidentTitle"), ownTitle);
        TRY_VERIFY(!words("incidentHistory").isEmpty());
        QVERIFY(button(u"Mute…"_s)->isEnabled());
        button(u"Recorded"_s)->click();
        QCOMPARE(text("incidentTitle"), title);
        const ServerTime fired = list->chosen<FoundIncident>()->at();
        button(u"Show in past"_s)->click();
        QCOMPARE(m_window->currentPage()->id(), u"blocking"_s);
        TRY_VERIFY(m_window->snapshot()->takenAt == fired);

        m_window->showPage(u"incidents"_s);
        auto* servers = m_window->findChild<Servers*>();
        servers->remove(servers->rowOfRecording(place));
        QTRY_COMPARE(text("incidentTitle"), ownTitle);
        QVERIFY(!button(u"Recorded"_s)->isVisible());
        m_window->openRecording(place);
        TRY_COMPARE(text("incidentTitle"), title);
    }
    void keepPictures(const QString& name)
    {
        for (const ThemeMode mode : {ThemeMode::Dark, ThemeMode::Light}) {
            theme::apply(*qApp, mode);
            for (const QSize& size : {QSize(1'920, 1'080), QSize(1'280, 800), QSize(1'024, 700)}) {
                m_window->resize(size);
                QCoreApplication::processEvents();
                test::keepPicture(
                    *m_window, u"recorded-%1-%2-%3"_s.arg(name, themeModeName(mode)).arg(size.width()));
            }
        }
    }
    QString recordingWith(const QList<Event>& events)
    {
        const QString path = m_folder->filePath(u"%1.lockscope"_s.arg(++m_made));
        const auto writer = test::writeRecording(path);
        for (int second = 0; second < 10; ++second) {
            test::SnapshotBuilder s(second);
            s.session(51, "billing");
            test::orDie(writer->append(test::toRecord(*s.take()), test::SnapshotBuilder::at(second)));
        }
        for (const Event& event : events)
            test::orDie(writer->add(event, event.at));
        test::orDie(writer->end(u"stopped"_s));
        return path;
    }
    IncidentsPage& page() const { return test::pageOf<IncidentsPage>(*m_window); }
    QString text(const char* label) const { return page().findChild<QLabel*>(QLatin1String(label))->text(); }
    QAbstractButton* button(const QString& text) const
    {
        for (auto* each : page().findChildren<QAbstractButton*>())
            if (each->text().remove(u'&') == text)
                return each;
        return nullptr;
    }

    std::shared_ptr<test::FakeKeychain> m_keychain = std::make_shared<test::FakeKeychain>();
    int m_made = 0; ///< recordings
};

LOCKSCOPE_TEST(tst_RecordedIncidents)

} // namespace tst_RecordedIncidents
#include "tst_RecordedIncidents.moc"
