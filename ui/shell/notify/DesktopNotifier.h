// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/alert/Incident.h"
#include "core/alert/Rule.h"
#include "core/base/Worker.h"

#include <QDBusConnection>
#include <QHash>
#include <QList>
#include <QObject>
#include <QSet>

#include <functional>
#include <memory>
#include <optional>

class QDBusMessage;
class QMenu;
class QSystemTrayIcon;
class QWidget;

namespace lockscope::ui {

/// Shows notices as notifications of the desktop, by D-Bus: one bubble for each incident, changed in place
/// and closed once it is resolved; five or more at once are one bubble. Without a bus, or a program that
/// shows them, nothing happens. Never waits.
class DesktopNotifier : public QObject {
    Q_OBJECT

public:
    using Connect = std::function<QDBusConnection()>;

    /// `connect` may wait: it is called on another thread. By default it gives the session's bus.
    explicit DesktopNotifier(Connect connect = {}, QObject* parent = nullptr);
    ~DesktopNotifier() override;

    void show(const QList<alert::Notice>& notices);
    /// With a sound for each that fires or becomes worse: the desktop's, or a beep where it has none. By
    /// default there is none.
    void setSounds(bool sounds) { m_sounds = sounds; }
    /// Closes the bubble of an incident that is muted, or was seen elsewhere.
    void close(qint64 incident);

Q_SIGNALS:
    void showRequested(qint64 incident); ///< 0: several
    void muteRequested(qint64 incident); ///< for an hour
    void beeped(); ///< nobody else makes a sound
    void busAnswered(); ///< or there is none: a call to it does not wait for long now

private Q_SLOTS:
    void noteAction(uint id, const QString& action, const QDBusMessage& message);
    void noteClosed(uint id, uint reason, const QDBusMessage& message);

private:
    struct Content {
        QString summary;
        QStringList lines;
        alert::Severity severity = alert::Severity::Warning;
    };
    struct Bubble {
        uint id = 0; ///< of the desktop; 0: not known yet
        bool isPending = false; ///< its id is on the way
        bool closes = false; ///< once it is known
        std::optional<Content> next;
    };

    static Content contentOf(const alert::Notice& notice);
    void begin(const QDBusConnection& bus);
    void noteDaemon(const QString& owner);
    void askCapabilities();
    void present(const QList<alert::Notice>& notices);
    void beepFor(const QList<alert::Notice>& notices);
    QVariantMap hintsFor(alert::Severity severity) const;
    void presentSeveral(const QList<alert::Notice>& notices);
    void notify(qint64 key, const Content& content);
    void noteId(qint64 key, const QDBusMessage& reply);
    void sendClose(uint id);
    void call(
        const QString& method, const QVariantList& arguments, std::function<void(const QDBusMessage&)> reply);
    QString bodyText(const QStringList& lines) const;
    qint64 keyOf(uint id) const; ///< -1: none

    Worker m_worker;
    std::optional<QDBusConnection> m_bus;
    std::optional<QStringList> m_capabilities;
    bool m_sounds = false;
    bool m_hasNoBus = false;
    bool m_isAsking = false;
    int m_generation = 0; ///< of the program that shows them
    QString m_daemon; ///< its name on the bus: others may not act for it
    QList<alert::Notice> m_waiting; ///< until its capabilities are known
    QHash<qint64, Bubble> m_bubbles; ///< by incident
    QSet<qint64> m_several; ///< incidents that share a bubble
};

/// The program's icon in the desktop's tray, with a dot in the colour of the worst incident that needs
/// somebody, and a menu. To be made only where there is a tray. A window that is closed can go on there.
class TrayIcon : public QObject {
    Q_OBJECT

public:
    explicit TrayIcon(QWidget& window);
    ~TrayIcon() override;

    /// True: to close the window hides it, and only Quit of the menu ends the program.
    void setKeepsWindow(bool keeps) { m_keepsWindow = keeps; }
    void showWindow();

    /// `count` incidents need somebody; nothing: they can't be read.
    void show(std::optional<int> count, std::optional<alert::Severity> worst);
    QMenu& menu() const { return *m_menu; }
    QString toolTip() const;

Q_SIGNALS:
    void muteRequested(); ///< of all, for an hour

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void quit();

    QWidget& m_window;
    bool m_keepsWindow = false;
    bool m_quits = false;
    std::unique_ptr<QMenu> m_menu;
    QSystemTrayIcon* m_icon;
};

} // namespace lockscope::ui
