// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/channels/Channel.h"
#include "tests/support/HttpServer.h"
#include "tests/support/MadeIncidents.h"
#include "tests/support/TestProgram.h"

#include <sys/stat.h>

namespace tst_Channels {

using namespace lockscope;
using namespace lockscope::alert;
using namespace lockscope::test;

using Form = ChannelSettings::Form;
using Kind = Notice::Kind;

static ChannelSettings webhookTo(const QString& url, Form form = Form::Own)
{
    ChannelSettings settings;
    settings.name = u"hook"_s;
    settings.url = url;
    settings.form = form;
    return settings;
}

static Result<void> sendBy(const ChannelSettings& settings, const std::vector<Notice>& notices,
    const ChannelOptions& options = {}, const std::stop_token& stop = {})
{
    const auto channel = Channel::make(settings, options);
    if (!channel)
        return Failure(channel.error());
    return (*channel)->send(notices, stop);
}

static QJsonDocument sentOf(const HttpServer& server)
{
    return QJsonDocument::fromJson(server.requests().value(0).body);
}

static QJsonDocument published(const QString& name)
{
    return QJsonDocument::fromJson(
        test::contentOf(test::sourcePath(u"resources/alerts/%1.schema.json"_s).arg(name)));
}

/// The sent JSON has the keys of the schema: all required ones, and no others.
static void comparePublished(const QJsonValue& sent, const QJsonValue& schema)
{
    const QStringList keys = sent.toObject().keys();
    const QJsonArray required = schema[u"required"_s].toArray();
    QVERIFY(!required.isEmpty());
    for (const auto& key : required)
        QVERIFY2(keys.contains(key.toString()), qPrintable(key.toString()));
    for (const QString& key : keys)
        QVERIFY2(schema[u"properties"_s].toObject().contains(key), qPrintable(key));
}

class tst_Channels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ownFormHasTheKeyAndNoStatement()
    {
        const HttpServer server;
        VERIFY_DONE(sendBy(webhookTo(server.url()), {madeNotice()}));
        const HttpServer::Request request = server.requests().value(0);
        QCOMPARE(request.line, "POST /hook HTTP/1.1");
        QCOMPARE(request.headers.value("content-type"), "application/json");
        QCOMPARE(request.headers.value("idempotency-key"), "7/0");
        QVERIFY(!request.headers.contains("authorization"));
        const QJsonArray notices = sentOf(server).object().value(u"notices"_s).toArray();
        QCOMPARE(notices.size(), 1);
        QCOMPARE(notices.at(0)[u"kind"_s].toString(), u"fired"_s);
        QVERIFY(notices.at(0)[u"lines"_s].toArray().contains(madeIncident().title));
        QVERIFY(!request.body.contains("4929"));
        QVERIFY(request.body.contains("lockctl tree --server"));
    }

    void ownFormIsAsPublished()
    {
        const HttpServer server;
        ChannelSettings settings = webhookTo(server.url());
        settings.sendsStatements = true;
        Notice notice = madeNotice(Kind::Resolved);
        notice.incident.symptoms << Symptom();
        QVERIFY(sendBy(settings, {notice}));
        const QJsonValue sent = sentOf(server)[u"notices"_s][0];
        const QJsonDocument schema = published(u"notice"_s);
        const QJsonDocument incident = published(u"incident"_s);
        const QJsonValue properties = incident[u"properties"_s];
        comparePublished(sent, schema[u"$defs"_s][u"notice"_s]);
        comparePublished(sent[u"incident"_s], incident.object());
        comparePublished(sent[u"incident"_s][u"head"_s], properties[u"head"_s]);
        comparePublished(sent[u"incident"_s][u"symptoms"_s][0], properties[u"symptoms"_s][u"items"_s]);
    }

    void statementsLeaveOnlyIfSwitchedOn()
    {
        for (const Form form : {Form::Own, Form::Alertmanager, Form::Slack, Form::Teams}) {
            for (const bool isOn : {false, true}) {
                const HttpServer server;
                ChannelSettings settings = webhookTo(server.url(), form);
                settings.sendsStatements = isOn;
                QVERIFY(sendBy(settings, {madeNotice()}));
                QCOMPARE(server.requests().value(0).body.contains("4929-1234"), isOn);
            }
        }
    }

    void alertmanagerKeepsLabelsUntilResolved()
    {
        const HttpServer server;
        const ChannelSettings settings = webhookTo(server.url({}), Form::Alertmanager);
        for (const Kind kind : {Kind::Fired, Kind::Escalated, Kind::Resolved})
            QVERIFY(sendBy(settings, {madeNotice(kind)}));
        const QList<HttpServer::Request> requests = server.requests();
        QCOMPARE(requests.value(0).line, "POST /api/v2/alerts HTTP/1.1");
        // Severity and labels → whether it fires, as its receiver keeps it.
        QMap<QByteArray, bool> firing;
        const QDateTime now = QDateTime::currentDateTimeUtc();
        for (const HttpServer::Request& request : requests) {
            for (const auto& alert : QJsonDocument::fromJson(request.body).array()) {
                const QDateTime starts =
                    QDateTime::fromString(alert[u"startsAt"_s].toString(), Qt::ISODateWithMs);
                const QDateTime ends =
                    QDateTime::fromString(alert[u"endsAt"_s].toString(), Qt::ISODateWithMs);
                QVERIFY(starts.isValid() && ends.isValid() && starts <= ends);
                QVERIFY(!alert.toObject().contains(u"generatorURL"_s));
                const QJsonObject labels = alert[u"labels"_s].toObject();
                QCOMPARE(labels.value(u"alertname"_s).toString(), u"Lockscope"_s);
                QCOMPARE(labels.value(u"database"_s).toString(), u"shop"_s);
                QVERIFY(!alert[u"annotations"_s][u"summary"_s].toString().isEmpty());
                // As long as nothing is sent it must go on there: the default is five minutes.
                firing[QJsonDocument(labels).toJson()] = ends > now.addSecs(3'600);
            }
            QCOMPARE(firing.values().count(true), (&request == &requests.last() ? 0 : 1));
        }
        QCOMPARE(firing.size(), 2); // a warning and a critical one, and no third identity
    }

    void slackIsPlainText()
    {
        const HttpServer server;
        Notice notice = madeNotice();
        notice.incident.title = u"<!channel> & <http://evil|lock>\u202e waits"_s + QString(5'000, u'x');
        QVERIFY(sendBy(webhookTo(server.url(), Form::Slack), {notice}));
        const QJsonDocument body = sentOf(server);
        QVERIFY(!body[u"text"_s].toString().contains(u'<'));
        const QJsonValue block = body[u"blocks"_s][0];
        QCOMPARE(block[u"type"_s].toString(), u"section"_s);
        QCOMPARE(block[u"text"_s][u"type"_s].toString(), u"plain_text"_s);
        const QString text = block[u"text"_s][u"text"_s].toString();
        QVERIFY(text.size() > 100 && text.size() < 3'000);
        QVERIFY(!text.contains(QChar(0x202e)));
    }

    void teamsIsAnAdaptiveCard()
    {
        const HttpServer server;
        QVERIFY(sendBy(webhookTo(server.url(), Form::Teams), {madeNotice()}));
        const QJsonDocument body = sentOf(server);
        QCOMPARE(body[u"type"_s].toString(), u"message"_s);
        const QJsonValue attachment = body[u"attachments"_s][0];
        QCOMPARE(attachment[u"contentType"_s].toString(), u"application/vnd.microsoft.card.adaptive"_s);
        const QJsonValue card = attachment[u"content"_s];
        QCOMPARE(card[u"type"_s].toString(), u"AdaptiveCard"_s);
        QVERIFY(!card[u"version"_s].toString().isEmpty());
        for (const auto& each : card[u"body"_s].toArray()) {
            QCOMPARE(each[u"type"_s].toString(), u"RichTextBlock"_s); // no Markdown in it
            QCOMPARE(each[u"inlines"_s][0][u"type"_s].toString(), u"TextRun"_s);
        }
        QVERIFY(card[u"body"_s].toArray().size() > 2);
    }

    void pagerDutyTriggersAndResolves()
    {
        const Variable key("LOCKSCOPE_TEST_KEY", u"R0UTING"_s);
        const HttpServer server([](const HttpServer::Request&) { return HttpServer::status(202); });
        ChannelSettings settings = webhookTo(server.url(), Form::PagerDuty);
        settings.secret = u"env:LOCKSCOPE_TEST_KEY"_s;
        QVERIFY(sendBy(settings, {madeNotice(Kind::Escalated)}));
        QVERIFY(sendBy(settings, {madeNotice(Kind::Resolved)}));
        const QJsonDocument first = sentOf(server);
        const QJsonDocument second = QJsonDocument::fromJson(server.requests().value(1).body);
        QCOMPARE(first[u"routing_key"_s].toString(), u"R0UTING"_s);
        QCOMPARE(first[u"event_action"_s].toString(), u"trigger"_s);
        QCOMPARE(first[u"payload"_s][u"severity"_s].toString(), u"critical"_s);
        QCOMPARE(first[u"payload"_s][u"source"_s].toString(), u"db1:5432"_s);
        QVERIFY(!first[u"payload"_s][u"summary"_s].toString().isEmpty());
        QCOMPARE(second[u"event_action"_s].toString(), u"resolve"_s);
        QCOMPARE(second[u"dedup_key"_s], first[u"dedup_key"_s]);
        QVERIFY(first[u"dedup_key"_s].toString().endsWith(u"/7"_s));
        QVERIFY(!server.requests().value(0).headers.contains("authorization"));
    }

    void fromFiveOnItIsOneMessage()
    {
        const HttpServer server;
        std::vector<Notice> notices;
        for (int id = 1; id <= 6; ++id)
            notices.push_back(madeNotice(id == 6 ? Kind::Resolved
                    : id == 5                    ? Kind::Escalated
                                                 : Kind::Fired,
                id));
        const auto slack = *Channel::make(webhookTo(server.url(), Form::Slack));
        QCOMPARE(slack->messageSize(4), 1);
        QCOMPARE(slack->messageSize(6), 6);
        QVERIFY(slack->send(notices, {}));
        QCOMPARE(server.requests().size(), 1);
        const QString text = sentOf(server)[u"blocks"_s][0][u"text"_s][u"text"_s].toString();
        VERIFY_STARTS(text, u"6 notices from Lockscope: 1 critical, 4 warnings, 1 resolved\n"_s);
        QCOMPARE(text.count(u'\n'), 6);
        // The same notices have the same key again.
        QVERIFY(slack->send(notices, {}));
        QCOMPARE(server.requests().at(1).headers, server.requests().at(0).headers);
        QVERIFY(!server.requests().at(0).headers.value("idempotency-key").isEmpty());
        QCOMPARE((*Channel::make(webhookTo(server.url(), Form::Alertmanager)))->messageSize(3), 3);
    }

    void answersAreJudged_data()
    {
        addColumns<int, std::optional<ErrorKind>>("status", "kind");
        test::row("ok", 200, std::optional<ErrorKind>());
        test::row("accepted", 202, std::optional<ErrorKind>());
        test::row("refused", 400, std::optional(ErrorKind::BadInput));
        test::row("too large", 413, std::optional(ErrorKind::BadInput));
        test::row("not allowed", 401, std::optional(ErrorKind::Login));
        test::row("too many", 429, std::optional(ErrorKind::Timeout));
        test::row("broken", 500, std::optional(ErrorKind::Server));
        test::row("away", 503, std::optional(ErrorKind::Server));
    }
    void answersAreJudged()
    {
        FETCH(int, status, std::optional<ErrorKind>, kind);
        const HttpServer server([status = status](const HttpServer::Request&) {
            return HttpServer::status(status, "no such\nteam\x1b[2J");
        });
        const Result<void> sent = sendBy(webhookTo(server.url()), {madeNotice()});
        QCOMPARE(sent.has_value(), !kind.has_value());
        if (sent)
            return;
        QCOMPARE(sent.error().kind, *kind);
        QVERIFY(sent.error().what.contains(QString::number(status)));
        QVERIFY(sent.error().detail.startsWith(u"no such team"_s));
        QVERIFY(!sent.error().detail.contains(QChar(0x1b)));
    }

    void aReceiverMayAskForTime_data()
    {
        addColumns<int, QByteArray, int, int>("status", "header", "least", "most");
        const QByteArray date =
            QLocale::c()
                .toString(QDateTime::currentDateTimeUtc().addSecs(600), u"ddd, dd MMM yyyy hh:mm:ss"_s)
                .toLatin1()
            + " GMT";
        test::row("seconds", 429, QByteArray("120"), 120, 120);
        test::row("a time", 503, date, 500, 600);
        test::row("for ever", 503, QByteArray("99999999"), 1'800, 1'800);
        test::row("a time that is over", 503, QByteArray("Wed, 21 Oct 2015 07:28:00 GMT"), 0, 0);
        test::row("nonsense", 429, QByteArray("soon"), 0, 0);
        test::row("of a refusal", 400, QByteArray("120"), 0, 0);
    }
    void aReceiverMayAskForTime()
    {
        FETCH(int, status, QByteArray, header, int, least, int, most);
        const HttpServer server([&](const HttpServer::Request&) {
            return HttpServer::status(status, {}, "Retry-After: " + header + "\r\n");
        });
        const auto channel = orDie(Channel::make(webhookTo(server.url())));
        const std::vector notices{madeNotice()};
        QVERIFY(!channel->send(notices, {}));
        const auto asked = std::chrono::floor<std::chrono::seconds>(channel->retryAfter()).count();
        QVERIFY2(asked >= least && asked <= most, qPrintable(QString::number(asked)));
    }

    void hangingServerIsGivenUp()
    {
        const HttpServer server(
            [](const HttpServer::Request&) { return HttpServer::Answer{.bytes = {}, .closes = false}; });
        VERIFY_FAILS(ErrorKind::Timeout,
            sendBy(webhookTo(server.url()), {madeNotice()}, {.timeout = milliseconds(200)}));
    }

    void stopEndsAtOnce()
    {
        const HttpServer server(
            [](const HttpServer::Request&) { return HttpServer::Answer{.bytes = {}, .closes = false}; });
        QVERIFY(isOncePrompt(milliseconds(100), [&]() -> Taken {
            std::stop_source stop;
            const auto before = server.requests().size();
            std::chrono::steady_clock::time_point asked;
            const std::jthread asker([&] {
                static_cast<void>(waitUntil([&] { return server.requests().size() > before; }));
                asked = std::chrono::steady_clock::now();
                stop.request_stop();
            });
            const Result<void> sent = sendBy(webhookTo(server.url()), {madeNotice()}, {}, stop.get_token());
            if (sent || sent.error().kind != ErrorKind::Cancelled)
                return failed("not stopped");
            return std::chrono::steady_clock::now() - asked;
        }));
    }

    void redirectsAreNotFollowed()
    {
        const Variable token("LOCKSCOPE_TEST_TOKEN", u"T0KEN"_s);
        const HttpServer other;
        const HttpServer server([&](const HttpServer::Request&) {
            return HttpServer::status(307, {}, "Location: " + other.url().toUtf8() + "\r\n");
        });
        ChannelSettings settings = webhookTo(server.url());
        settings.secret = u"env:LOCKSCOPE_TEST_TOKEN"_s;
        const Result<void> sent = sendBy(settings, {madeNotice()});
        QVERIFY(!sent);
        QVERIFY(sent.error().what.contains(u"307"_s));
        QCOMPARE(server.requests().value(0).headers.value("authorization"), "Bearer T0KEN");
        QVERIFY(other.requests().isEmpty());
    }

    void tenMegabytesAreCut()
    {
        for (const int status : {200, 500}) {
            const HttpServer server([status](const HttpServer::Request&) {
                return HttpServer::Answer{.bytes = "HTTP/1.1 " + QByteArray::number(status) + " Text\r\n\r\n",
                    .closes = true,
                    .flood = 10'000'000};
            });
            const Result<void> sent = sendBy(webhookTo(server.url()), {madeNotice()});
            QCOMPARE(sent.has_value(), status == 200);
            QVERIFY(sent || sent.error().detail.size() <= 200);
        }
    }

    void liesAfterTheStatusDontMatter()
    {
        const HttpServer server([](const HttpServer::Request&) {
            return HttpServer::Answer{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nshort"};
        });
        QVERIFY(sendBy(webhookTo(server.url()), {madeNotice()}));
    }

    void garbageIsNoAnswer()
    {
        for (const QByteArray& bytes :
            {QByteArray("\x16\x03\x01 garbage\r\n\r\n"), QByteArray("SSH-2.0-OpenSSH\r\n"), QByteArray()}) {
            const HttpServer server(
                [bytes](const HttpServer::Request&) { return HttpServer::Answer{.bytes = bytes}; });
            VERIFY_FAILS(ErrorKind::Connection, sendBy(webhookTo(server.url()), {madeNotice()}));
        }
    }

    void tlsIsVerified()
    {
        const tds::TlsIdentity identity("localhost");
        const HttpServer server({}, &identity);
        VERIFY_FAILS(ErrorKind::Connection, sendBy(webhookTo(server.url()), {madeNotice()}));
        QVERIFY(server.requests().isEmpty());

        const QString authorities =
            test::makeFile(freshPath(u"ca.pem"_s), identity.authority(), test::onlyOwn);
        VERIFY_DONE(sendBy(webhookTo(server.url()), {madeNotice()}, {.authorities = authorities}));
        // The same certificate for another name.
        ChannelSettings other = webhookTo(u"https://other.test:%1/"_s.arg(server.port()));
        const Result<void> wrongName = sendBy(other, {madeNotice()},
            {.authorities = authorities, .addresses = {u"other.test:%1:127.0.0.1"_s.arg(server.port())}});
        QVERIFY(!wrongName);
        QCOMPARE(server.requests().size(), 1);
    }

    void secretsDontTravelInClear()
    {
        ChannelSettings settings = webhookTo(u"http://hooks.example.net/x"_s);
        settings.secret = u"env:LOCKSCOPE_TEST_TOKEN"_s;
        VERIFY_FAILS(ErrorKind::BadInput, Channel::make(settings));
        settings.secret.clear();
        QVERIFY(Channel::make(settings));
        // An address that is the secret is known when it is sent only.
        const Variable address("LOCKSCOPE_TEST_TOKEN", u"http://hooks.example.net/T0KEN"_s);
        settings.secret = u"env:LOCKSCOPE_TEST_TOKEN"_s;
        settings.url.clear();
        const Result<void> sent = sendBy(settings, {madeNotice()});
        QVERIFY(!sent);
        QVERIFY(sent.error().what.contains(u"https"_s));
    }

    void ownMachineIsReachedWithoutProxy()
    {
        const HttpServer server;
        const HttpServer proxy;
        const Variable variable("http_proxy", proxy.url({}));
        QVERIFY(sendBy(webhookTo(server.url()), {madeNotice()}));
        QCOMPARE(server.requests().size(), 1);
        QVERIFY(proxy.requests().isEmpty());
        QVERIFY(sendBy(webhookTo(u"http://hooks.example.net/x"_s), {madeNotice()}));
        QCOMPARE(proxy.requests().size(), 1); // it is meant for others
    }

    void secretIsInNoError()
    {
        const Variable token("LOCKSCOPE_TEST_TOKEN", u"T0KEN"_s);
        // It sends back what it got.
        const HttpServer server([](const HttpServer::Request& request) {
            return HttpServer::status(400, request.headers.value("authorization") + request.body);
        });
        for (const Form form : {Form::Own, Form::PagerDuty}) {
            ChannelSettings settings = webhookTo(server.url(), form);
            settings.secret = u"env:LOCKSCOPE_TEST_TOKEN"_s;
            const Result<void> sent = sendBy(settings, {madeNotice()});
            QVERIFY(!sent);
            VERIFY_LACKS(sent.error().toString(), u"T0KEN"_s);
        }
    }

    void secretAddressIsInNoError()
    {
        const HttpServer server(
            [](const HttpServer::Request& request) { return HttpServer::status(403, request.line); });
        ChannelSettings settings = webhookTo({}, Form::Slack);
        settings.secret = u"env:LOCKSCOPE_TEST_TOKEN"_s;
        for (const QString& address : {server.url(u"/services/T0KEN"_s), u"http://localhost:1/T0KEN"_s,
                 u"T0KEN no address"_s, u"https://ann:T0KEN@localhost/"_s, u"ftp://localhost/T0KEN"_s}) {
            const Variable variable("LOCKSCOPE_TEST_TOKEN", address);
            const Result<void> sent = sendBy(settings, {madeNotice()});
            QVERIFY(!sent);
            VERIFY_LACKS(sent.error().toString(), u"T0KEN"_s);
            QVERIFY(
                sent.error().kind != ErrorKind::BadInput); // the next message may succeed once it is mended
        }
        QCOMPARE(server.requests().size(), 1);
        QVERIFY(!server.requests().value(0).headers.contains("authorization"));
    }

    void badSettingsAreRefused_data()
    {
        QTest::addColumn<ChannelSettings>("settings");
        test::row("no address", webhookTo({}));
        test::row("file", webhookTo(u"file:///etc/passwd"_s));
        test::row("no scheme", webhookTo(u"hooks.example.net"_s));
        test::row("password in it", webhookTo(u"https://ann:pw@example.net/"_s));
        test::row("line end", webhookTo(u"https://example.net/\r\nX: y"_s));
        ChannelSettings settings = webhookTo(u"https://example.net/"_s);
        settings.secret = u"hunter2"_s;
        test::row("secret itself", settings);
        test::row("PagerDuty without key", webhookTo({}, Form::PagerDuty));
    }
    void badSettingsAreRefused()
    {
        QFETCH(ChannelSettings, settings);
        const auto made = Channel::make(settings);
        VERIFY_FAILS(ErrorKind::BadInput, made);
        QVERIFY(!made.error().toString().contains(u"hunter2"_s));
    }

    void secretFilesMustBePrivate()
    {
        const QTemporaryDir folder;
        const QString path = test::makeFile(folder.filePath(u"key"_s), "T0KEN\n", test::onlyOwn);
        const QString reference = u"file:"_s + path;
        QCOMPARE(readSecret(reference).value_or(QString()), u"T0KEN"_s);

        QFile(path).setPermissions(test::onlyOwn | QFileDevice::ReadGroup);
        QCOMPARE(readSecret(reference).error().kind, ErrorKind::Permission);
        QFile(path).setPermissions(test::onlyOwn);
        QVERIFY(QFile::link(path, folder.filePath(u"link"_s)));
        QVERIFY(!readSecret(u"file:"_s + folder.filePath(u"link"_s)));
        QVERIFY(!readSecret(u"file:"_s + folder.path()));
        QCOMPARE(::mkfifo(QFile::encodeName(folder.filePath(u"pipe"_s)).constData(), 0600), 0);
        QVERIFY(!readSecret(u"file:"_s + folder.filePath(u"pipe"_s)));
        QVERIFY(!readSecret(u"file:"_s + folder.filePath(u"none"_s)));
        QVERIFY(!readSecret(u"env:LOCKSCOPE_TEST_NONE"_s));
        test::makeFile(path, "one\ntwo\n", test::onlyOwn);
        const Result<QString> two = readSecret(reference);
        QVERIFY(!two);
        QVERIFY(!two.error().toString().contains(u"two"_s));
    }

    void secretsAreWrittenForThisAccountAlone()
    {
        const QString path = freshPath(u"new/key"_s);
        const QString reference = u"file:"_s + path;
        QVERIFY(writeSecret(reference, u"T0KEN"_s));
        QCOMPARE(readSecret(reference).value_or(QString()), u"T0KEN"_s);
        QFile(path).setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ReadOther);
        QVERIFY(!readSecret(reference));
        QVERIFY(writeSecret(reference, u"0THER"_s));
        QCOMPARE(readSecret(reference).value_or(QString()), u"0THER"_s);
        QVERIFY(!writeSecret(u"env:LOCKSCOPE_TEST_TOKEN"_s, u"T0KEN"_s));
    }

    void aTestSaysWhatTheReceiverSaid()
    {
        const HttpServer server(
            [](const HttpServer::Request&) { return HttpServer::status(202, "thank you"); });
        const auto sent = testChannel(webhookTo(server.url()), u"ann on db-admin1"_s, {});
        VERIFY_DONE(sent);
        QCOMPARE(sent->answer, u"localhost answers with status 202: thank you"_s);
        QVERIFY(sent->toString().startsWith(u"It has arrived after "_s));
        const QJsonObject notice = sentOf(server)[u"notices"_s][0].toObject();
        QCOMPARE(notice[u"kind"_s].toString(), u"test"_s);
        QVERIFY(notice[u"lines"_s].toArray().contains(u"Why: ann on db-admin1 has asked for it."_s));
        QVERIFY(!server.requests().value(0).body.contains("lockctl tree"));
        const HttpServer closed(
            [](const HttpServer::Request&) { return HttpServer::status(403, "no such team"); });
        const auto refused = testChannel(webhookTo(closed.url()), u"ann"_s, {});
        QVERIFY(!refused);
        QVERIFY2(refused.error().toString().contains(u"status 403"_s)
                && refused.error().toString().contains(u"no such team"_s),
            qPrintable(refused.error().toString()));
    }

    /// No message says that it is over.
    void aTestEndsByItselfInAlertmanager()
    {
        const HttpServer server;
        QVERIFY(testChannel(webhookTo(server.url(), Form::Alertmanager), u"ann"_s, {}));
        const QDateTime ends = QDateTime::fromString(sentOf(server)[0][u"endsAt"_s].toString(), Qt::ISODate);
        QVERIFY(ends.isValid() && ends < QDateTime::currentDateTimeUtc().addSecs(300));
    }
};

LOCKSCOPE_TEST(tst_Channels)

} // namespace tst_Channels
#include "tst_Channels.moc"
