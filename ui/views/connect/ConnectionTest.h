// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/db/ConnectionCheck.h"
#include "core/db/Server.h"

#include <QScrollArea>

class QLabel;

namespace lockscope::ui {

/// Tries a server step by step, on another thread, and shows what each step found. GUI thread.
class ConnectionTest : public QScrollArea {
    Q_OBJECT

public:
    explicit ConnectionTest(QWidget* parent = nullptr);

    void start(const db::Server& server);
    /// Says that it was stopped.
    void stop();
    bool isRunning() const { return m_running; }
    /// Instead of a test: why there is none.
    void refuse(const QString& why);
    /// Ends the test and empties the report: it was about other values of the fields.
    void forget();
    QString report() const; ///< HTML
    /// Sets the height that the words need at `width`, up to a limit; hidden without words.
    void fitHeight(int width);
    /// The screen is not high enough; a few lines remain.
    void shrinkBy(int pixels);

    QSize sizeHint() const override; ///< as high as it was made, no more and no less

Q_SIGNALS:
    void reportChanged();
    void runningChanged();
    void finished(bool good);

private:
    void clear();
    void showStep(const QString& text, db::CheckStep::Outcome outcome);
    void finish(bool good);

    QLabel* m_text;
    QStringList m_steps;
    int m_generation = 0; ///< answers to an earlier test are dropped
    bool m_running = false;
    Worker m_worker;
};

} // namespace lockscope::ui
