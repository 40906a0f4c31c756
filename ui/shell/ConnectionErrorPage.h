// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Result.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace lockscope::ui {

/// Stands in place of the pages while nothing was ever read from a server: connecting, or why not.
class ConnectionErrorPage : public QWidget {
    Q_OBJECT

public:
    explicit ConnectionErrorPage(QWidget* parent = nullptr);

    void showConnecting(const QString& server, bool sandbox);
    void showError(const QString& server, const Error& error);
    void showSilent(const QString& server);
    QString text() const; ///< all that it says

Q_SIGNALS:
    void retryRequested();
    void editRequested();

private:
    void tell(const QString& sign, const QColor& color, const QString& title, const QString& body);

    QLabel* m_sign;
    QLabel* m_title;
    QLabel* m_body;
    QPushButton* m_retry;
    QPushButton* m_edit;
};

} // namespace lockscope::ui
