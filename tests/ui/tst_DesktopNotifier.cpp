// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/MadeIncidents.h"
#include "tests/support/TestProgram.h"
#include "ui/shell/notify/DesktopNotifier.h"

#include <QDBusConnection>
#include <QDBusConnectionInterface>
#include <QDBusInterface>
#include <QDBusMessage>
#include <QDBusReply>

namespace tst_DesktopNotifier {

using namespace lockscope;
using namespace lockscope::alert;
using namespace lockscope::test;

using Kind = Notice::Kind;

const auto service = u"org.freedesktop.Notifications"_s;
const auto path = u"/org/freedesktop/Notifications"_s;

/// A bus of the test's own, to which only those connect that get its address.
class PrivateBus {
public:
    PrivateBus()
    {
        const QString settings = makeFile(m_folder.filePath(u"bus.conf"_s),
            "<busconfig><type>session</type><listen>unix:dir=" + m_folder.path().toUtf8()
                + "</listen><auth>EXTERNAL</auth><policy context='default'><allow send_destination='*' eavesdrop='true'/><allow eavesdrop='true'/><allow own='*'/></policy></busconfig>");
        m_process.start(
            u"dbus-daemon"_s, {u"--config-file="_s + settings, u"--nofork"_s, u"--print-address"_s});
        while (!m_process.canReadLine()) {
            if (!m_process.waitForReadyRead(int(patience.count())))
                qFatal("no dbus-daemon");
        }
        m_address = QString::fromUtf8(m_process.readLine()).trimmed();
    }
    ~PrivateBus()
    {
        for (const QString& name : m_names)
            QDBusConnection::disconnectFromBus(name);
        m_process.kill();
        m_process.waitForFinished();
    }
    Q_DISABLE_COPY_MOVE(PrivateBus)

    QString address() const { return m_address; }
    QDBusConnection connection(const QString& name)
    {
        m_names << name;
        return QDBusConnection::connectToBus(m_address, name);
    }

private:
    const QTemporaryDir m_folder;
    QProcess m_process;
    QString m_address;
    QStringList m_names;
};

/// dunst on a display without a screen. It writes down what it shows.
class Dunst {
public:
    explicit Dunst(PrivateBus& bus, const QByteArray& markup = "full")
        : m_commands(service, path, u"org.dunstproject.cmd0"_s, bus.connection(u"commands"_s))
    {
        m_display.start(u"Xvfb"_s,
            {u"-displayfd"_s, u"1"_s, u"-screen"_s, u"0"_s, u"800x600x24"_s, u"-nolisten"_s, u"tcp"_s});
        while (!m_display.canReadLine()) {
            if (!m_display.waitForReadyRead(int(patience.count())))
                qFatal("no Xvfb");
        }
        m_environment = QProcessEnvironment::systemEnvironment();
        m_environment.insert(u"DISPLAY"_s, u':' + QString::fromUtf8(m_display.readLine()).trimmed());
        m_environment.insert(u"DBUS_SESSION_BUS_ADDRESS"_s, bus.address());
        m_environment.remove(u"WAYLAND_DISPLAY"_s);
        const QByteArray folder = m_folder.path().toUtf8();
        write(u"menu"_s, "#!/bin/sh\ngrep Mute\n");
        // Each in a file of its own, because nothing orders the scripts that run at the same time.
        write(u"log"_s,
            "#!/bin/sh\necho \"$DUNST_URGENCY|$DUNST_SUMMARY|$DUNST_BODY\" | tr '\\n' ' ' > " + folder
                + "/new.$$ && mv " + folder + "/new.$$ " + folder + "/shown.$DUNST_ID.$$\n");
        write(u"dunstrc"_s,
            "[global]\nstack_duplicates = false\nmarkup = " + markup + "\ndmenu = " + folder
                + "/menu\n[urgency_normal]\ntimeout = 0\n[log]\nsummary = \"*\"\nscript = " + folder
                + "/log\n");
        start();
    }
    ~Dunst()
    {
        stop();
        m_display.kill();
        m_display.waitForFinished();
    }
    Q_DISABLE_COPY_MOVE(Dunst)

    void start()
    {
        m_process = std::make_unique<QProcess>();
        m_process->setProcessEnvironment(m_environment);
        m_process->start(u"dunst"_s, {u"-config"_s, m_folder.filePath(u"dunstrc"_s)});
        if (!waitUntil([&] { return m_commands.connection().interface()->isServiceRegistered(service); }))
            qFatal("no dunst");
    }
    void stop()
    {
        m_process->kill();
        m_process->waitForFinished();
        static_cast<void>(
            waitUntil([&] { return !m_commands.connection().interface()->isServiceRegistered(service); }));
    }
    int count()
    {
        QDBusInterface properties(
            service, path, u"org.freedesktop.DBus.Properties"_s, m_commands.connection());
        const QDBusReply<QVariant> read =
            properties.call(u"Get"_s, u"org.dunstproject.cmd0"_s, u"displayedLength"_s);
        return read.isValid() ? read.value().toInt() : -1;
    }
    bool waitForCount(int expected)
    {
        return waitUntil([&] { return count() == expected; });
    }
    /// "CRITICAL|summary|body" of each that was ever shown.
    QByteArray shown() const
    {
        QByteArray all;
        for (const QString& name : QDir(m_folder.path()).entryList({u"shown.*"_s}, QDir::Files))
            all += readFile(m_folder.filePath(name)) + '\n';
        return all;
    }
    bool waitForText(const QByteArray& part)
    {
        return waitUntil([&] { return shown().contains(part); });
    }
    void click() { m_commands.call(u"NotificationAction"_s, 0u); }
    void chooseMute() { m_commands.call(QDBus::NoBlock, u"ContextMenuCall"_s); }

private:
    void write(const QString& name, const QByteArray& content)
    {
        makeFile(m_folder.filePath(name), content, ownProgram);
    }

    const QTemporaryDir m_folder;
    QProcess m_display;
    QProcessEnvironment m_environment;
    std::unique_ptr<QProcess> m_process;
    QDBusInterface m_commands;
};

static Notice noticeWithMarkup()
{
    Notice notice = madeNotice();
    notice.incident.title = u"<b>x</b> & <a href=\"http://evil\">lock</a>\u202e"_s;
    return notice;
}

static QList<Notice> manyNotices(int count)
{
    QList<Notice> notices;
    for (int id = 1; id <= count; ++id)
        notices << madeNotice(Kind::Fired, id);
    return notices;
}

/// A program that shows notifications as the specification has it, with the capabilities that a test needs.
class PlainDesktop : public QObject {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")

public:
    QStringList capabilities;
    bool answers = true;
    QStringList bodies;
    QList<QStringList> actions;
    QList<QVariantMap> hints;
    QList<uint> replaced;
    QList<uint> closed;

public Q_SLOTS:
    QStringList GetCapabilities(const QDBusMessage& message)
    {
        message.setDelayedReply(!answers);
        return capabilities;
    }
    uint Notify(const QString&, uint replaces, const QString&, const QString&, const QString& body,
        const QStringList& names, const QVariantMap& given, int)
    {
        hints << given;
        bodies << body;
        actions << names;
        replaced << replaces;
        return replaces != 0 ? replaces : ++m_last;
    }
    void CloseNotification(uint id) { closed << id; }

private:
    uint m_last = 40;
};

class tst_DesktopNotifier : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_bus = std::make_unique<PrivateBus>();
        m_notifier = std::make_unique<ui::DesktopNotifier>([this] { return m_bus->connection(u"window"_s); });
    }
    void cleanup()
    {
        m_notifier.reset();
        m_bus.reset();
    }

    void anIncidentIsOneBubbleUntilItIsResolved()
    {
        Dunst dunst(*m_bus);
        m_notifier->show({madeNotice(Kind::Fired)});
        QVERIFY(dunst.waitForText("NORMAL|Warning: db1:5432|25 sessions wait"));
        QVERIFY(dunst.shown().contains("End session 990."));
        QVERIFY(!dunst.shown().contains("4929"));
        m_notifier->show({madeNotice(Kind::Escalated)});
        QVERIFY(dunst.waitForText("CRITICAL|Critical: db1:5432|"));
        QVERIFY(dunst.waitForCount(1));
        m_notifier->show({madeNotice(Kind::Resolved)});
        QVERIFY(dunst.waitForCount(0));
    }

    void resolvedBeforeItsIdIsKnownIsClosedToo()
    {
        Dunst dunst(*m_bus);
        m_notifier->show({madeNotice(Kind::Fired, 1)});
        QVERIFY(dunst.waitForCount(1));
        m_notifier->show({madeNotice(Kind::Fired, 2)});
        m_notifier->show({madeNotice(Kind::Escalated, 2)});
        m_notifier->show({madeNotice(Kind::Resolved, 2)});
        m_notifier->show({madeNotice(Kind::Escalated, 1)});
        QVERIFY(dunst.waitForText("CRITICAL"));
        QVERIFY(dunst.waitForCount(1));
    }

    void buttonsAreHeard()
    {
        Dunst dunst(*m_bus);
        const QSignalSpy shows(m_notifier.get(), &ui::DesktopNotifier::showRequested);
        const QSignalSpy mutes(m_notifier.get(), &ui::DesktopNotifier::muteRequested);
        m_notifier->show({madeNotice(Kind::Fired, 7)});
        QVERIFY(dunst.waitForCount(1));
        dunst.chooseMute();
        QVERIFY(waitUntil([&] { return mutes.count() == 1; }));
        QCOMPARE(mutes.first().first().toLongLong(), 7);
        QVERIFY(dunst.waitForCount(0));
        m_notifier->show({madeNotice(Kind::Escalated, 7)});
        QVERIFY(dunst.waitForCount(1));
        // A click at what is not drawn yet is lost.
        QVERIFY(waitUntil([&] {
            dunst.click();
            return shows.count() > 0;
        }));
        QCOMPARE(shows.first().first().toLongLong(), 7);
    }

    void namesAreNoMarkup()
    {
        Dunst dunst(*m_bus, "full");
        m_notifier->show({noticeWithMarkup()});
        QVERIFY(dunst.waitForText("&lt;b&gt;x&lt;/b&gt; &amp; &lt;a"));
        QVERIFY(!dunst.shown().contains("\u202e"));
    }

    void withoutMarkupNothingLooksLikeIt()
    {
        PlainDesktop plain;
        plain.capabilities = QStringList{u"body"_s};
        attach(plain);
        m_notifier->show({noticeWithMarkup()});
        QVERIFY(waitUntil([&] { return !plain.bodies.isEmpty(); }));
        VERIFY_STARTS(plain.bodies.first(), u"‹b›x‹/b› & ‹a"_s);
    }

    void fiveAreOneBubble()
    {
        Dunst dunst(*m_bus);
        m_notifier->show(manyNotices(4));
        QVERIFY(dunst.waitForCount(4));
        for (int id = 1; id <= 4; ++id)
            m_notifier->show({madeNotice(Kind::Resolved, id)});
        QVERIFY(dunst.waitForCount(0));
        m_notifier->show(manyNotices(12));
        QVERIFY(dunst.waitForText("12 notices from Lockscope: 12 warnings"));
        QVERIFY(dunst.shown().contains("and 7 more"));
        QVERIFY(dunst.waitForCount(1));
        for (int id = 1; id <= 12; ++id) {
            QCOMPARE(dunst.count(), 1);
            m_notifier->show({madeNotice(Kind::Resolved, id)});
        }
        QVERIFY(dunst.waitForCount(0));
    }

    void onlyCapabilitiesAreUsed()
    {
        PlainDesktop plain;
        attach(plain);
        m_notifier->show({madeNotice()});
        QVERIFY(waitUntil([&] { return plain.bodies.size() == 1; }));
        QVERIFY(plain.bodies.first().isEmpty());
        QVERIFY(plain.actions.first().isEmpty());
        m_notifier->show({madeNotice(Kind::Escalated)});
        QVERIFY(waitUntil([&] { return plain.replaced.size() == 2; }));
        QCOMPARE(plain.replaced, QList<uint>({0, 41}));
        m_notifier.reset();
        QVERIFY(waitUntil([&] { return plain.closed == QList<uint>({41}); }));
    }

    /// Off until somebody turns it on; then by the desktop, which knows how loud it may be, else by a beep.
    void aSoundIfItIsConfigured()
    {
        PlainDesktop plain;
        plain.capabilities = QStringList{u"sound"_s};
        attach(plain);
        const QSignalSpy beeps(m_notifier.get(), &ui::DesktopNotifier::beeped);
        m_notifier->show({madeNotice(Kind::Fired, 1)});
        QVERIFY(waitUntil([&] { return plain.hints.size() == 1; }));
        QVERIFY(plain.hints.first().value(u"suppress-sound"_s).toBool());
        QVERIFY(!plain.hints.first().contains(u"sound-name"_s));
        m_notifier->setSounds(true);
        m_notifier->show({madeNotice(Kind::Escalated, 1)});
        QVERIFY(waitUntil([&] { return plain.hints.size() == 2; }));
        QCOMPARE(plain.hints.last().value(u"sound-name"_s).toString(), u"dialog-error"_s);
        QVERIFY(!plain.hints.last().contains(u"suppress-sound"_s));
        QCOMPARE(beeps.count(), 0);
    }

    void whereTheDesktopHasNoSoundItBeeps()
    {
        PlainDesktop plain;
        attach(plain);
        const QSignalSpy beeps(m_notifier.get(), &ui::DesktopNotifier::beeped);
        m_notifier->setSounds(true);
        m_notifier->show(manyNotices(7));
        QVERIFY(waitUntil([&] { return plain.hints.size() == 1; }));
        QCOMPARE(beeps.count(), 1); // not seven times
        m_notifier->show({madeNotice(Kind::Resolved, 1)});
        QCOMPARE(beeps.count(), 1);
        QVERIFY(plain.hints.first().value(u"suppress-sound"_s).toBool());
    }

    void withoutADesktopItBeeps()
    {
        const QSignalSpy beeps(m_notifier.get(), &ui::DesktopNotifier::beeped);
        m_notifier->setSounds(true);
        m_notifier->show({madeNotice()});
        QVERIFY(waitUntil([&] { return beeps.count() == 1; }));
    }

    void anotherProgramCantPressButtons()
    {
        PlainDesktop plain;
        plain.capabilities = QStringList{u"actions"_s};
        QDBusConnection other = attach(plain);
        const QSignalSpy mutes(m_notifier.get(), &ui::DesktopNotifier::muteRequested);
        m_notifier->show({madeNotice()});
        m_notifier->show({madeNotice(Kind::Escalated)}); // behind the answer
        QVERIFY(waitUntil([&] { return plain.replaced.size() == 2; }));
        COMPARE_TEXTS(plain.actions.last(), "default", "Show", "show", "Show", "mute", "Mute 1 h");
        QDBusMessage press = QDBusMessage::createSignal(path, service, u"ActionInvoked"_s);
        press.setArguments({41u, u"mute"_s});
        QVERIFY(m_bus->connection(u"stranger"_s).send(press));
        // Its own comes later, so that the stranger's was heard before.
        QTest::qWait(50);
        QCOMPARE(mutes.count(), 0);
        QVERIFY(waitUntil([&] { return other.send(press) && mutes.count() > 0; }));
    }

    void absentAndRestartedAreMetQuietly()
    {
        m_notifier->show({madeNotice(Kind::Fired, 1)});
        QTest::qWait(50);
        Dunst dunst(*m_bus);
        m_notifier->show({madeNotice(Kind::Fired, 2)});
        QVERIFY(dunst.waitForCount(1));
        dunst.stop();
        m_notifier->show({madeNotice(Kind::Fired, 3)});
        dunst.start();
        m_notifier->show({madeNotice(Kind::Escalated, 2)});
        QVERIFY(dunst.waitForText("CRITICAL"));
        m_notifier->show({madeNotice(Kind::Resolved, 2), madeNotice(Kind::Resolved, 3)});
        QVERIFY(dunst.waitForCount(0));
    }

    void aDesktopThatHangsHoldsUpNothing()
    {
        PlainDesktop plain;
        plain.answers = false;
        attach(plain);
        QVERIFY(isOncePrompt(std::chrono::milliseconds(20), [&]() -> Taken {
            const auto start = std::chrono::steady_clock::now();
            m_notifier->show(manyNotices(200));
            return std::chrono::steady_clock::now() - start;
        }));
    }

    void aBusThatDoesNotAnswerHoldsUpNothing()
    {
        QSemaphore answers;
        {
            ui::DesktopNotifier notifier([&answers] {
                answers.acquire();
                return QDBusConnection::connectToBus(u"unix:path=/nonexistent"_s, u"none"_s);
            });
            const QSignalSpy answered(&notifier, &ui::DesktopNotifier::busAnswered);
            notifier.show(manyNotices(3)); // returns, although the bus has not answered
            answers.release();
            QVERIFY(waitUntil([&] { return answered.count() == 1; }));
            notifier.show(manyNotices(3));
        }
    }

private:
    QDBusConnection attach(PlainDesktop& plain) const
    {
        QDBusConnection other = m_bus->connection(u"plain"_s);
        if (!other.registerObject(path, &plain, QDBusConnection::ExportAllSlots)
            || !other.registerService(service))
            qFatal("the plain desktop has no place on the bus");
        return other;
    }

    std::unique_ptr<PrivateBus> m_bus;
    std::unique_ptr<ui::DesktopNotifier> m_notifier;
};

LOCKSCOPE_TEST(tst_DesktopNotifier)

} // namespace tst_DesktopNotifier
#include "tst_DesktopNotifier.moc"
