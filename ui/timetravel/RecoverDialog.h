// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/record/Salvage.h"

#include <QDialog>
#include <QTimer>

class QLabel;
class QProgressBar;
class QPushButton;

namespace lockscope::ui {

/// Makes a new recording of what is whole of a damaged one, tells what is not, and offers to open the new
/// one. GUI thread; the copying is done on another one. Closing the dialog ends it, and nothing is left of
/// it.
class RecoverDialog : public QDialog {
    Q_OBJECT

public:
    explicit RecoverDialog(const QString& damaged, QWidget* parent = nullptr);

    /// As if the user had chosen that file.
    void saveTo(const QString& path);
    QString text() const; ///< all that it says

Q_SIGNALS:
    void openRequested(const QString& path); ///< the new recording

private:
    struct Progress;
    void showProgress();
    void tell(const QString& path, const Result<record::Salvaged>& salvaged);

    QString m_damaged;
    QString m_made; ///< once it is made
    QLabel* m_text;
    QLabel* m_trouble;
    QProgressBar* m_bar;
    QPushButton* m_save = nullptr;
    std::shared_ptr<Progress> m_progress;
    QTimer m_timer;
    Worker m_worker;
};

} // namespace lockscope::ui
