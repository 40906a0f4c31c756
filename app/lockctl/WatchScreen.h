// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/Console.h"
#include "app/lockctl/KeyReader.h"
#include "app/lockctl/SnapshotText.h"

#include <mutex>

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

    enum class Wish : quint8 {
        Nothing, ///< it was drawn anew, or the key means nothing
        Quit,
        PauseOrGoOn,
    };
    Wish press(const Key& key);
    bool isPaused() const;

private:
    Wish pressWhileTyping(const Key& key);
    void turn(const Key& key);
    void drawLocked();
    QStringList head(int columns) const;
    QStringList body(int columns) const;
    QString keyLine(int columns) const;

    const bool m_inPlace;
    const bool m_hasKeys;
    mutable std::mutex m_mutex;
    // Below it:
    SnapshotPtr m_snapshot;
    QString m_error; ///< of the newest look; empty: it went well
    SnapshotText::Choice m_choice;
    bool m_isPaused = false;
    bool m_isTyping = false; ///< a filter; each letter is one of it
    QString m_filterBefore;
    qsizetype m_top = 0; ///< first line on view
    qsizetype m_lines = 0; ///< of the body when it was last drawn
    qsizetype m_page = 1; ///< how many of them the screen holds
};

} // namespace lockscope::ctl
