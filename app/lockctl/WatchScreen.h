// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/Console.h"
#include "app/lockctl/KeyReader.h"
#include "app/lockctl/SnapshotText.h"
#include "core/base/Mutex.h"

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
    };
    KeyRequest press(const Key& key);
    bool isPaused() const;

private:
    KeyRequest pressWhileTyping(const Key& key) LOCKSCOPE_REQUIRES(m_mutex);
    void turn(const Key& key) LOCKSCOPE_REQUIRES(m_mutex);
    void drawLocked() LOCKSCOPE_REQUIRES(m_mutex);
    SnapshotText text(int columns) const LOCKSCOPE_REQUIRES(m_mutex);
    QStringList head(int columns) const LOCKSCOPE_REQUIRES(m_mutex);
    QStringList body(int columns) const LOCKSCOPE_REQUIRES(m_mutex);
    QString keyLine(int columns) const LOCKSCOPE_REQUIRES(m_mutex);

    const bool m_inPlace;
    const bool m_hasKeys;
    mutable Mutex m_mutex;
    SnapshotPtr m_snapshot LOCKSCOPE_GUARDED_BY(m_mutex);
    SnapshotPtr m_counted LOCKSCOPE_GUARDED_BY(m_mutex); ///< the latest whose locks were read
    QString m_error LOCKSCOPE_GUARDED_BY(m_mutex); ///< of the newest look; empty: it went well
    SnapshotText::Choice m_choice LOCKSCOPE_GUARDED_BY(m_mutex);
    bool m_isPaused LOCKSCOPE_GUARDED_BY(m_mutex) = false;
    bool m_isTyping LOCKSCOPE_GUARDED_BY(m_mutex) = false; ///< a filter; each letter is one of it
    QString m_filterBefore LOCKSCOPE_GUARDED_BY(m_mutex);
    qsizetype m_top LOCKSCOPE_GUARDED_BY(m_mutex) = 0; ///< first line on view
    qsizetype m_lines LOCKSCOPE_GUARDED_BY(m_mutex) = 0; ///< of the body when it was last drawn
    qsizetype m_page LOCKSCOPE_GUARDED_BY(m_mutex) = 1; ///< the number of lines on the screen
};

} // namespace lockscope::ctl
