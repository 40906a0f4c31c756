// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/ServerProfile.h"
#include "core/db/credentials/Keychain.h"

#include <QDialog>

namespace lockscope::ui {

/// Asks for the password of a server that was open and does not take the one it had.
class LogInDialog : public QDialog {
    Q_OBJECT

public:
    LogInDialog(
        const db::ServerProfile& profile, db::KeychainPtr keychain, const QString& why, QWidget* parent);

Q_SIGNALS:
    void entered(const QString& password, bool keep);
};

} // namespace lockscope::ui
