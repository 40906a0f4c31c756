// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/Console.h"
#include "app/lockctl/SnapshotText.h"
#include "core/base/Mutex.h"
#include "core/domain/DangerText.h"

#include <QList>
#include <QString>

namespace lockscope::ctl {

/// A terminal for a picture that is drawn in place: without cursor and, if standard input is the same
/// terminal, with keys that arrive one by one and are not echoed. It is as before when this is destroyed,
/// when a signal ends the process (a crash too), and while the process is stopped (Ctrl+Z). Ctrl+C stays a
/// signal. One at a time.
class TerminalMode {
public:
    /// `inPlace` false: nothing is changed, and there are no keys.
    explicit TerminalMode(bool inPlace);
    ~TerminalMode();
    Q_DISABLE_COPY_MOVE(TerminalMode)

    /// Standard input is a terminal: keys can be read from it.
    bool hasKeys() const { return m_hasKeys; }
    /// Becomes readable when the process was continued after a stop, or the terminal has another size: the
    /// picture is to be drawn again. -1: never.
    int redrawDescriptor() const;

    /// Restores the former mode. Only what may be done in a signal handler; any number of times.
    static void restore();

private:
    bool m_isOn;
    bool m_hasKeys = false;
};

struct Key {
    enum class Name : quint8 { Character, Enter, Escape, Backspace, PageUp, PageDown, Up, Down, Home, End };
    Name name = Name::Character;
    char32_t character = 0; ///< of Character

    bool operator==(const Key&) const = default;
};

/// Makes keys of the bytes that a terminal sends: UTF-8 and the sequences of xterm, of the Linux console and
/// of vt100. Sequences it does not know are swallowed whole.
class TerminalKeyReader {
public:
    /// Returns the keys that the bytes complete. An incomplete UTF-8 character or escape sequence is kept
    /// until the rest arrives.
    QList<Key> keysOf(const QByteArray& bytes);
    /// Returns the kept Escape key once nothing has followed.
    QList<Key> keysAtRest();
    bool isWithin() const { return !m_kept.isEmpty(); }

private:
    QByteArray m_kept;
};

/// The picture of `watch`: the newest snapshot, with what the keys have chosen of it. Drawn over its own
/// former picture, as top does: only what changed flickers. Without a terminal it is one picture below the
/// other, and has no keys. Any thread.
class WatchScreen {
public:
    WatchScreen(bool inPlace, bool hasKeys);

    void show(const SnapshotPtr& snapshot); ///< dropped while paused
    void showError(const QString& error);
    void draw(); ///< again, for a terminal of another size

    enum class KeyRequest : quint8 {
        Nothing, ///< it was drawn again, or the key means nothing
        Quit,
        PauseOrGoOn,
        Act, ///< confirmed(): the facts were shown, a reason given and the question answered with yes
    };
    KeyRequest press(const Key& key);
    bool isPaused() const;

    /// An act on a head, exactly as it was shown.
    struct ConfirmedAct {
        Session session;
        bool isCancel = false; ///< of its statement; else the session is ended
        QString reason{};
        QStringList afterwards; ///< sessions that go on and those that stay blocked
    };
    ConfirmedAct confirmed() const;
    void showOutcome(const QString& text);
    /// Acts are refused with this.
    void refuseActs(const QString& reason);

private:
    KeyRequest pressWhileTyping(const Key& key) LOCKSCOPE_REQUIRES(m_mutex);
    void turn(const Key& key) LOCKSCOPE_REQUIRES(m_mutex);
    void drawLocked() LOCKSCOPE_REQUIRES(m_mutex);
    SnapshotText text(int columns) const LOCKSCOPE_REQUIRES(m_mutex);
    QStringList head(int columns) const LOCKSCOPE_REQUIRES(m_mutex);
    QStringList body(int columns) LOCKSCOPE_REQUIRES(m_mutex);
    KeyRequest pressInQuestion(const Key& key) LOCKSCOPE_REQUIRES(m_mutex);
    void moveSelection(int by) LOCKSCOPE_REQUIRES(m_mutex);
    void ask(bool isCancel) LOCKSCOPE_REQUIRES(m_mutex);
    QString reasonAgainst(bool isCancel, const Session* session) const LOCKSCOPE_REQUIRES(m_mutex);
    QString keyLine(int columns) const LOCKSCOPE_REQUIRES(m_mutex);

    const bool m_inPlace;
    const bool m_hasKeys;
    mutable Mutex m_mutex;
    SnapshotPtr m_snapshot LOCKSCOPE_GUARDED_BY(m_mutex);
    SnapshotPtr m_counted LOCKSCOPE_GUARDED_BY(m_mutex); ///< the latest whose locks were read
    QString m_error LOCKSCOPE_GUARDED_BY(m_mutex); ///< of the latest poll; empty: it went well
    SnapshotText::Choice m_choice LOCKSCOPE_GUARDED_BY(m_mutex);
    bool m_isPaused LOCKSCOPE_GUARDED_BY(m_mutex) = false;
    bool m_isTyping LOCKSCOPE_GUARDED_BY(m_mutex) = false; ///< a filter; each letter is one of it
    QString m_filterBefore LOCKSCOPE_GUARDED_BY(m_mutex);
    std::vector<SessionKey> m_heads LOCKSCOPE_GUARDED_BY(m_mutex); ///< as they were last drawn
    std::optional<SessionKey> m_selected LOCKSCOPE_GUARDED_BY(m_mutex); ///< one of them
    struct Question {
        ConfirmedAct act;
        DangerText text;
        bool hasReason = false; ///< it is typed; yes or no comes next
    };
    std::optional<Question> m_question LOCKSCOPE_GUARDED_BY(m_mutex); ///< on view instead of the snapshot
    ConfirmedAct m_confirmed LOCKSCOPE_GUARDED_BY(m_mutex);
    QString m_notice LOCKSCOPE_GUARDED_BY(m_mutex); ///< of the last act, until a key is pressed
    QString m_whyNoActs LOCKSCOPE_GUARDED_BY(m_mutex);
    qsizetype m_top LOCKSCOPE_GUARDED_BY(m_mutex) = 0; ///< first line on view
    qsizetype m_lines LOCKSCOPE_GUARDED_BY(m_mutex) = 0; ///< of the body when it was last drawn
    qsizetype m_page LOCKSCOPE_GUARDED_BY(m_mutex) = 1; ///< the number of lines on the screen
};

} // namespace lockscope::ctl
