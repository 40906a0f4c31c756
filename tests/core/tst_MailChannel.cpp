// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/channels/Channel.h"
#include "tests/support/MadeIncidents.h"
#include "tests/support/TestProgram.h"
#include "tests/support/tds/Tls.h"

namespace tst_MailChannel {

using namespace lockscope;
using namespace lockscope::alert;
using namespace lockscope::test;

using Kind = Notice::Kind;

/// aiosmtpd in a process of its own.
class MailServer {
public:
    explicit MailServer(const QString& mode)
        : m_identity("mail.test")
    {
        QStringList arguments{test::sourcePath(u"tests/support/smtp_server.py"_s), mode};
        if (mode != u"plain")
            arguments << saved(u"certificate"_s, m_identity.certificate())
                      << saved(u"key"_s, m_identity.key());
        m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        m_process.start(u"/usr/bin/python3"_s, arguments); // the one that Debian's package is for
        m_port = nextLine().trimmed().toInt();
        if (m_port == 0)
            qFatal("no mail server: is python3-aiosmtpd installed?");
    }
    ~MailServer()
    {
        m_process.kill();
        m_process.waitForFinished();
    }
    Q_DISABLE_COPY_MOVE(MailServer)

    QString url(const QString& scheme, const QString& host) const
    {
        return u"%1://%2:%3"_s.arg(scheme, host).arg(m_port);
    }
    ChannelOptions options(bool isTrusted = true)
    {
        ChannelOptions options;
        options.addresses = {u"mail.test:%1:127.0.0.1"_s.arg(m_port)};
        if (isTrusted)
            options.authorities = saved(u"authority"_s, m_identity.authority());
        return options;
    }
    QJsonObject nextMail() { return QJsonDocument::fromJson(nextLine()).object(); }

private:
    QByteArray nextLine()
    {
        while (!m_process.canReadLine()) {
            if (!m_process.waitForReadyRead(int(patience.count())))
                return {};
        }
        return m_process.readLine();
    }
    QString saved(const QString& name, const QByteArray& content)
    {
        return makeFile(m_folder.filePath(name), content);
    }

    const QTemporaryDir m_folder;
    const tds::TlsIdentity m_identity;
    QProcess m_process;
    int m_port = 0;
};

static ChannelSettings mailTo(const QString& url, const QStringList& to = {u"dba@example.net"_s})
{
    ChannelSettings settings;
    settings.name = u"mail"_s;
    settings.kind = ChannelSettings::Kind::Mail;
    settings.url = url;
    settings.from = u"lockscope@example.net"_s;
    settings.to = to;
    return settings;
}

static Result<void> mail(const ChannelSettings& settings, const ChannelOptions& options,
    const std::vector<Notice>& notices = {madeNotice()})
{
    const auto channel = Channel::make(settings, options);
    if (!channel)
        return Failure(channel.error());
    return (*channel)->send(notices, {});
}

static QByteArray header(const QByteArray& message, const QByteArray& name)
{
    const QByteArray head = message.left(message.indexOf("\r\n\r\n") + 2).replace("\r\n ", " ");
    for (const QByteArray& line : head.split('\n')) {
        if (line.startsWith(name + ": "))
            return line.mid(name.size() + 2).trimmed();
    }
    return {};
}

static QByteArray messageOf(const std::vector<Notice>& notices)
{
    return mailMessage(mailTo({}), notices, QDateTime(QDate(2026, 11, 3), QTime(7, 5), Qt::UTC));
}

class tst_MailChannel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void messageIsRight()
    {
        Notice notice = madeNotice();
        notice.incident.title = u"Zwölf Sitzungen warten – "_s + QString(300, u'ü');
        const QByteArray message = messageOf({notice});
        QCOMPARE(header(message, "Date"), "Tue, 3 Nov 2026 07:05:00 +0000");
        QCOMPARE(header(message, "To"), "dba@example.net");
        QVERIFY(header(message, "Subject").startsWith("=?UTF-8?B?"));
        for (const QByteArray& word : header(message, "Subject").split(' '))
            QVERIFY(word.size() <= 75 && word.startsWith("=?UTF-8?B?") && word.endsWith("?="));
        for (const QByteArray& line : message.split('\n')) {
            QVERIFY(line.size() <= 79);
            QVERIFY(line.isEmpty() || line.endsWith('\r'));
            for (const char each : line)
                QVERIFY(static_cast<unsigned char>(each) < 0x80);
        }
        QVERIFY(message.contains("Zw=C3=B6lf Sitzungen"));
        QVERIFY(!message.contains("4929"));
    }

    void incidentIsOneThread()
    {
        const QByteArray fired = messageOf({madeNotice(Kind::Fired)});
        const QByteArray worse = messageOf({madeNotice(Kind::Escalated)});
        const QByteArray over = messageOf({madeNotice(Kind::Resolved)});
        const QByteArray root = header(fired, "References");
        QVERIFY(root.startsWith('<') && root.endsWith("@example.net>"));
        QSet<QByteArray> ids;
        for (const QByteArray& each : {fired, worse, over}) {
            QCOMPARE(header(each, "In-Reply-To"), root);
            QCOMPARE(header(each, "References"), root);
            ids << header(each, "Message-ID");
        }
        QCOMPARE(ids.size(), 3);
        // Sent again it is the same message; fired again after a mute it is another one.
        QCOMPARE(header(messageOf({madeNotice(Kind::Fired)}), "Message-ID"), header(fired, "Message-ID"));
        const QByteArray again = messageOf({madeNotice(Kind::Fired, 7, u"another key"_s)});
        QVERIFY(header(again, "Message-ID") != header(fired, "Message-ID"));
        QCOMPARE(header(again, "References"), root);
        QVERIFY(header(messageOf({madeNotice(Kind::Fired, 8)}), "References") != root);
    }

    void namesOfOthersAreNoHeaders()
    {
        Notice notice = madeNotice();
        notice.incident.title = u"x\r\nBcc: all@example.net\r\n\r\nHello"_s;
        notice.incident.cause.server = u"db\nX-Evil: 1"_s;
        notice.key = u"k>\r\nX-Evil: 2"_s;
        for (const Kind kind : {Kind::Fired, Kind::Resolved}) {
            notice.kind = kind;
            const QByteArray message = messageOf({notice});
            QVERIFY(header(message, "Bcc").isEmpty());
            QVERIFY(header(message, "X-Evil").isEmpty());
            QCOMPARE(message.count("\r\n\r\n"), 1);
        }
        ChannelSettings settings = mailTo({}, {u"a@example.net\r\nBcc: b@example.net"_s});
        QVERIFY(!Channel::make(settings));
    }

    void addressesArePlain()
    {
        for (const QString& good : {u"ann@example.net"_s, u"a.b+locks@db-1.example"_s, u"root@localhost"_s})
            QVERIFY2(isMailAddress(good), qPrintable(good));
        for (const QString& bad : {u""_s, u"ann"_s, u"ann@"_s, u"Ann <ann@example.net>"_s, u"a@b, c@d"_s,
                 u"a@b\n"_s, u"a b@c"_s, u"a@-"_s})
            QVERIFY2(!isMailAddress(bad), qPrintable(bad));
    }

    void loopbackNeedsNoTls()
    {
        MailServer server(u"plain"_s);
        VERIFY_DONE(
            mail(mailTo(server.url(u"smtp"_s, u"localhost"_s), {u"dba@example.net"_s, u"ann@example.net"_s}),
                server.options()));
        const QJsonObject got = server.nextMail();
        QCOMPARE(got.value(u"from"_s).toString(), u"lockscope@example.net"_s);
        QCOMPARE(got.value(u"to"_s).toArray().size(), 2);
        QVERIFY(got.value(u"text"_s).toString().contains(u"Subject: "_s));
    }

    void otherMachinesNeedTls()
    {
        MailServer server(u"plain"_s);
        const Result<void> sent = mail(mailTo(server.url(u"smtp"_s, u"mail.test"_s)), server.options());
        QVERIFY(!sent);
        VERIFY_CONTAINS(sent.error().toString(), u"no TLS"_s);
        QVERIFY(sent.error().kind != ErrorKind::BadInput);
    }

    void startTlsIsVerified()
    {
        MailServer server(u"starttls"_s);
        const ChannelSettings settings = mailTo(server.url(u"smtp"_s, u"mail.test"_s));
        QVERIFY(!mail(settings, server.options(false)));
        VERIFY_DONE(mail(settings, server.options()));
        QCOMPARE(server.nextMail().value(u"tls"_s).toBool(), true);
    }

    void implicitTls()
    {
        MailServer server(u"tls"_s);
        const ChannelSettings settings = mailTo(server.url(u"smtps"_s, u"mail.test"_s));
        QVERIFY(!mail(settings, server.options(false)));
        VERIFY_DONE(mail(settings, server.options()));
        QVERIFY(!server.nextMail().isEmpty());
    }

    void loginByPassword()
    {
        MailServer server(u"login"_s);
        ChannelSettings settings = mailTo(server.url(u"smtp"_s, u"mail.test"_s));
        settings.user = u"ann"_s;
        settings.secret = u"env:LOCKSCOPE_TEST_MAIL"_s;
        {
            const Variable wrong("LOCKSCOPE_TEST_MAIL", u"WR0NG"_s);
            const Result<void> sent = mail(settings, server.options());
            VERIFY_FAILS(ErrorKind::Login, sent);
            QVERIFY(!sent.error().toString().contains(u"WR0NG"_s));
        }
        const Variable right("LOCKSCOPE_TEST_MAIL", u"T0KEN"_s);
        VERIFY_DONE(mail(settings, server.options()));
        QVERIFY(!server.nextMail().isEmpty());
    }

    void oneGoneColleagueHoldsUpNobody()
    {
        MailServer server(u"plain"_s);
        const QString url = server.url(u"smtp"_s, u"localhost"_s);
        QVERIFY(mail(mailTo(url, {u"gone@example.net"_s, u"ann@example.net"_s}), server.options()));
        QCOMPARE(server.nextMail().value(u"to"_s).toArray(), QJsonArray{u"ann@example.net"_s});
        VERIFY_FAILS(ErrorKind::BadInput, mail(mailTo(url, {u"gone@example.net"_s}), server.options()));
    }

    void busyServerIsTriedAgain()
    {
        MailServer server(u"plain"_s);
        Notice notice = madeNotice();
        notice.incident.title = u"busy"_s;
        VERIFY_FAILS(ErrorKind::Connection,
            mail(mailTo(server.url(u"smtp"_s, u"localhost"_s)), server.options(), {notice}));
    }

    void localProgram()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"sendmail"_s);
        makeFile(path,
            "#!/bin/sh\necho \"$@\" > '" + folder.path().toUtf8() + "/arguments'\ncat > '"
                + folder.path().toUtf8() + "/mail'\n",
            ownProgram);
        VERIFY_DONE(mail(mailTo({}), {.sendmail = path}));
        QCOMPARE(readFile(folder.filePath(u"arguments"_s)), "-i -t\n");
        const QByteArray message = readFile(folder.filePath(u"mail"_s));
        QVERIFY(message.contains("\nTo: dba@example.net\n"));
        QVERIFY(!message.contains('\r'));
    }
};

LOCKSCOPE_TEST(tst_MailChannel)

} // namespace tst_MailChannel
#include "tst_MailChannel.moc"
