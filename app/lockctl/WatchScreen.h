// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/Console.h"
#include "app/lockctl/SnapshotText.h"
#include "app/lockctl/TerminalMode.h"
#include "core/base/Mutex.h"
#include "core/domain/DangerText.h"

namespace lockscope::ctl {

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
