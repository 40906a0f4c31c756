// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/notify/DesktopNotifier.h"

#include "core/alert/Incident.h"
#include "core/base/ShownText.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"

#include <QApplication>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusServiceWatcher>
#include <QEvent>
#include <QIcon>
#include <QMenu>
#include <QPainter>
#include <QSystemTrayIcon>

#include <algorithm>
#include <vector>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using alert::Notice;
using alert::Severity;

namespace {

const auto notificationService = u"org.freedesktop.Notifications"_s;
const auto notificationPath = u"/org/freedesktop/Notifications"_s;
constexpr qsizetype severalFrom = 5;
constexpr qsizetype maxWaiting = 100;
constexpr qsizetype maxLines = 5;
constexpr qsizetype maxLine = 100; // of several
constexpr qsizetype maxBody = 600;
constexpr qint64 severalKey = 0; // no incident has it

QString headingOf(const Notice& notice)
{
    if (notice.kind == Notice::Kind::Test)
        return u"Lockscope: a test"_s;
    return notice.incident.severity == Severity::Critical
        ? u"Critical: %1"_s.arg(inOneLine(notice.incident.cause.server))
        : u"Warning: %1"_s.arg(inOneLine(notice.incident.cause.server));
}

} // namespace

DesktopNotifier::DesktopNotifier(Connect connect, QObject* parent)
    : QObject(parent)
{
    if (!connect)
        connect = [] { return QDBusConnection::sessionBus(); };
    m_worker.ask(
        this, [connect = std::move(connect)](const std::stop_token&) { return connect(); },
        [this](const QDBusConnection& bus) { begin(bus); });
}

DesktopNotifier::~DesktopNotifier()
{
    // Nobody would hear their buttons.
    for (const Bubble& each : std::as_const(m_bubbles))
        sendClose(each.id);
}

void DesktopNotifier::begin(const QDBusConnection& bus)
{
    if (!bus.isConnected()) {
        m_hasNoBus = true;
        beepFor(std::exchange(m_waiting, {}));
        Q_EMIT busAnswered();
        return;
    }
    m_bus = bus;
    // Of any sender, because to ask for the owner of a name would wait.
    m_bus->connect({}, notificationPath, notificationService, u"ActionInvoked"_s, this,
        SLOT(noteAction(uint, QString, QDBusMessage)));
    m_bus->connect({}, notificationPath, notificationService, u"NotificationClosed"_s, this,
        SLOT(noteClosed(uint, uint, QDBusMessage)));
    auto* const watcher =
        new QDBusServiceWatcher(notificationService, bus, QDBusServiceWatcher::WatchForOwnerChange, this);
    connect(watcher, &QDBusServiceWatcher::serviceOwnerChanged, this,
        [this](const QString&, const QString&, const QString& owner) { noteDaemon(owner); });
    if (!m_waiting.isEmpty())
        askCapabilities();
    Q_EMIT busAnswered();
}

/// Another program may show them from now on, and knows nothing of the bubbles of the last one.
void DesktopNotifier::noteDaemon(const QString& owner)
{
    if (owner == m_daemon)
        return;
    ++m_generation;
    m_daemon = owner;
    m_capabilities.reset();
    m_isAsking = false;
    m_bubbles.clear();
    m_several.clear();
    if (!m_waiting.isEmpty() && !owner.isEmpty())
        askCapabilities();
}

void DesktopNotifier::askCapabilities()
{
    if (m_isAsking)
        return;
    m_isAsking = true;
    call(u"GetCapabilities"_s, {}, [this](const QDBusMessage& reply) {
        m_isAsking = false;
        const QList<Notice> waiting = std::exchange(m_waiting, {});
        if (reply.type() != QDBusMessage::ReplyMessage)
            return beepFor(waiting); // nobody shows them; the next notice asks again
        m_daemon = reply.service();
        m_capabilities = reply.arguments().value(0).toStringList();
        present(waiting);
    });
}

/// `reply` is dropped if the program that shows them has changed by then.
void DesktopNotifier::call(
    const QString& method, const QVariantList& arguments, std::function<void(const QDBusMessage&)> reply)
{
    QDBusMessage message =
        QDBusMessage::createMethodCall(notificationService, notificationPath, notificationService, method);
    message.setArguments(arguments);
    auto* const watcher = new QDBusPendingCallWatcher(m_bus->asyncCall(message), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this,
        [this, watcher, generation = m_generation, reply = std::move(reply)] {
            watcher->deleteLater();
            // A program that is started by this call is the one that answers.
            const QDBusMessage answer = watcher->reply();
            if (generation == m_generation || answer.service() == m_daemon)
                reply(answer);
        });
}

void DesktopNotifier::show(const QList<Notice>& notices)
{
    if (m_capabilities) {
        present(notices);
        return;
    }
    if (m_hasNoBus)
        return beepFor(notices);
    m_waiting << notices;
    if (m_waiting.size() > maxWaiting)
        m_waiting.remove(0, m_waiting.size() - maxWaiting);
    if (m_bus && !m_waiting.isEmpty())
        askCapabilities();
}

/// Once, however many there are.
void DesktopNotifier::beepFor(const QList<Notice>& notices)
{
    const bool isNews = std::any_of(notices.begin(), notices.end(),
        [](const Notice& each) { return each.kind != Notice::Kind::Resolved; });
    if (!m_sounds || !isNews)
        return;
    QApplication::beep();
    Q_EMIT beeped();
}

QVariantMap DesktopNotifier::hintsFor(Severity severity) const
{
    const bool isCritical = severity == Severity::Critical;
    QVariantMap hints{{u"urgency"_s, QVariant::fromValue<uchar>(isCritical ? 2 : 1)},
        {u"desktop-entry"_s, u"org.lockscope.Lockscope"_s}};
    if (m_capabilities->contains(u"sound"_s) && m_sounds)
        hints.insert(u"sound-name"_s, isCritical ? u"dialog-error"_s : u"dialog-warning"_s);
    else
        hints.insert(u"suppress-sound"_s, true); // none is configured, or we beep ourselves
    return hints;
}

void DesktopNotifier::present(const QList<Notice>& notices)
{
    if (!m_capabilities->contains(u"sound"_s))
        beepFor(notices);
    QList<Notice> fresh; // of incidents that have no bubble yet
    for (const Notice& each : notices) {
        const qint64 incident = each.incident.id;
        if (each.kind == Notice::Kind::Resolved) {
            close(incident);
            fresh.removeIf([incident](const Notice& earlier) { return earlier.incident.id == incident; });
        } else if (m_bubbles.contains(incident)) {
            notify(incident, contentOf(each));
        } else {
            fresh << each;
        }
    }
    if (fresh.size() >= severalFrom) {
        presentSeveral(fresh);
        return;
    }
    for (const Notice& each : fresh)
        notify(each.incident.id, contentOf(each));
}

DesktopNotifier::Content DesktopNotifier::contentOf(const Notice& notice)
{
    const alert::IncidentHead& head = notice.incident.head;
    return {
        headingOf(notice), {notice.incident.title, head.elsewhere, head.remedy}, notice.incident.severity};
}

void DesktopNotifier::presentSeveral(const QList<Notice>& notices)
{
    const std::vector<Notice> all(notices.begin(), notices.end());
    alert::NoticeText text = alert::noticeText(all, false);
    const qsizetype more = text.lines.size() - maxLines;
    text.lines = text.lines.mid(0, maxLines);
    for (QString& line : text.lines)
        line = alert::cutTo(line, maxLine);
    if (more > 0)
        text.lines << u"and %1 more"_s.arg(more);
    const bool isCritical = std::any_of(all.begin(), all.end(),
        [](const Notice& each) { return each.incident.severity == Severity::Critical; });
    for (const Notice& each : all)
        m_several << each.incident.id;
    notify(severalKey, {text.subject, text.lines, isCritical ? Severity::Critical : Severity::Warning});
}

QString DesktopNotifier::bodyText(const QStringList& lines) const
{
    QStringList shown;
    for (const QString& line : lines)
        if (!line.isEmpty())
            shown << inOneLine(line);
    QString text = alert::cutTo(shown.join(u'\n'), maxBody);
    if (m_capabilities->contains(u"body-markup"_s))
        return htmlText(text);
    // Programs without markup may still drop what looks like it.
    return text.replace(u'<', u'‹').replace(u'>', u'›');
}

void DesktopNotifier::notify(qint64 key, const Content& content)
{
    Bubble& bubble = m_bubbles[key];
    bubble.closes = false;
    if (bubble.isPending) {
        bubble.next = content;
        return;
    }
    bubble.isPending = true;
    QStringList actions;
    if (m_capabilities->contains(u"actions"_s)) {
        actions << u"default"_s << u"Show"_s << u"show"_s << u"Show"_s;
        if (key != severalKey)
            actions << u"mute"_s << u"Mute 1 h"_s;
    }
    const bool isCritical = content.severity == Severity::Critical;
    const QString body = m_capabilities->contains(u"body"_s) ? bodyText(content.lines) : QString();
    // Some desktops know of urgency by the time only: 0 stays, -1 is theirs to decide.
    call(u"Notify"_s,
        {u"Lockscope"_s, bubble.id, u"org.lockscope.Lockscope"_s, content.summary, body, actions,
            hintsFor(content.severity), isCritical ? 0 : -1},
        [this, key](const QDBusMessage& reply) { noteId(key, reply); });
}

void DesktopNotifier::noteId(qint64 key, const QDBusMessage& reply)
{
    const auto found = m_bubbles.find(key);
    if (found == m_bubbles.end())
        return;
    found->isPending = false;
    found->id = reply.arguments().value(0).toUInt();
    if (found->closes || reply.type() != QDBusMessage::ReplyMessage) {
        sendClose(found->id);
        m_bubbles.erase(found);
    } else if (const auto next = std::exchange(found->next, {})) {
        notify(key, *next);
    }
}

void DesktopNotifier::close(qint64 incident)
{
    m_waiting.removeIf([incident](const Notice& each) { return each.incident.id == incident; });
    if (m_several.remove(incident) && m_several.isEmpty())
        close(severalKey);
    const auto found = m_bubbles.find(incident);
    if (found == m_bubbles.end())
        return;
    found->closes = true;
    found->next.reset();
    if (found->isPending)
        return;
    sendClose(found->id);
    m_bubbles.erase(found);
}

void DesktopNotifier::sendClose(uint id)
{
    if (id == 0)
        return;
    QDBusMessage message = QDBusMessage::createMethodCall(
        notificationService, notificationPath, notificationService, u"CloseNotification"_s);
    message.setArguments({id});
    message.setAutoStartService(false);
    m_bus->send(message);
}

qint64 DesktopNotifier::keyOf(uint id) const
{
    for (auto each = m_bubbles.begin(); each != m_bubbles.end(); ++each)
        if (id != 0 && each->id == id)
            return each.key();
    return -1;
}

void DesktopNotifier::noteAction(uint id, const QString& action, const QDBusMessage& message)
{
    const qint64 incident = keyOf(id);
    if (incident < 0 || message.service() != m_daemon)
        return;
    if (action != u"mute") {
        Q_EMIT showRequested(incident);
        return;
    }
    close(incident); // not every desktop takes the bubble away by itself
    Q_EMIT muteRequested(incident);
}

void DesktopNotifier::noteClosed(uint id, uint /*reason*/, const QDBusMessage& message)
{
    const qint64 key = keyOf(id);
    if (key < 0 || message.service() != m_daemon)
        return;
    if (m_bubbles[key].isPending)
        m_bubbles[key].id = 0;
    else
        m_bubbles.remove(key);
    if (key == severalKey)
        m_several.clear();
}

namespace {

constexpr int traySize = 64; ///< the desktop scales it

QIcon markedIcon(std::optional<alert::Severity> worst)
{
    QPixmap picture = QIcon(u":/icons/lockscope-app.svg"_s).pixmap(traySize, traySize);
    if (worst && !picture.isNull()) {
        QPainter painter(&picture);
        painter.setRenderHint(QPainter::Antialiasing);
        const bool isCritical = *worst == alert::Severity::Critical;
        painter.setBrush(isCritical ? theme::colors().red : theme::colors().amber);
        painter.setPen(QPen(Qt::white, 4));
        const QRectF dot(traySize * 0.5, traySize * 0.5, traySize * 0.46, traySize * 0.46);
        // Not by colour alone: a square is critical, as everywhere.
        if (isCritical)
            painter.drawRect(dot);
        else
            painter.drawEllipse(dot);
    }
    return picture;
}

} // namespace

TrayIcon::TrayIcon(QWidget& window)
    : QObject(&window)
    , m_window(window)
    , m_menu(std::make_unique<QMenu>())
    , m_icon(new QSystemTrayIcon(this))
{
    connect(m_menu->addAction(u"&Show Lockscope"_s), &QAction::triggered, this, &TrayIcon::showWindow);
    connect(m_menu->addAction(u"&Mute all for 1 h…"_s), &QAction::triggered, this, &TrayIcon::muteRequested);
    m_menu->addSeparator();
    connect(m_menu->addAction(u"&Quit"_s), &QAction::triggered, this, &TrayIcon::quit);
    m_icon->setContextMenu(m_menu.get());
    connect(m_icon, &QSystemTrayIcon::activated, this, [this](QSystemTrayIcon::ActivationReason reason) {
        if (reason == QSystemTrayIcon::Trigger)
            showWindow();
    });
    show(0, std::nullopt);
    m_icon->show();
    window.installEventFilter(this);
}

TrayIcon::~TrayIcon() = default;

void TrayIcon::showWindow()
{
    m_quits = false;
    QApplication::setQuitOnLastWindowClosed(true);
    m_window.show();
    m_window.setWindowState(m_window.windowState() & ~Qt::WindowMinimized);
    m_window.raise();
    m_window.activateWindow();
}

/// As the window is closed without a tray: it may ask first, or end what it runs.
void TrayIcon::quit()
{
    showWindow();
    m_quits = true;
    m_window.close();
}

bool TrayIcon::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != &m_window || event->type() != QEvent::Close || !m_keepsWindow || m_quits)
        return QObject::eventFilter(watched, event);
    event->ignore();
    QApplication::setQuitOnLastWindowClosed(false); // others that are closed meanwhile
    m_window.hide();
    return true;
}

void TrayIcon::show(std::optional<int> count, std::optional<alert::Severity> worst)
{
    m_icon->setIcon(markedIcon(worst));
    m_icon->setToolTip(!count ? u"Lockscope: the incidents can't be read"_s
            : *count == 0     ? u"Lockscope: no incident needs attention"_s
            : *count == 1     ? u"Lockscope: 1 incident needs attention (%1)"_s.arg(severityName(*worst))
                              : u"Lockscope: %L1 incidents need attention, the worst is %2"_s.arg(*count).arg(
                                  severityName(*worst)));
}

QString TrayIcon::toolTip() const
{
    return m_icon->toolTip();
}

} // namespace lockscope::ui
