// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/ServerProfile.h"

#include <QObject>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace lockscope::ui {

class SqlServerFields;

/// The rows of the connection dialog: a server's profile as fields, of which only those are on view that the
/// engine has.
class ServerFields : public QObject {
    Q_OBJECT

public:
    /// Appends its rows to `form`, whose widget owns them.
    ServerFields(QFormLayout* form, QWidget* parent);

    void fill(const db::ServerProfile& profile);
    /// What the fields say now; an error names the field.
    Result<db::ServerProfile> profile() const;
    QString password() const;
    /// What the chosen engine or driver can't do, or what the choice means; may be empty.
    QString note() const;

Q_SIGNALS:
    void rowsChanged(); ///< others are on view, or the note is another
    void addressChanged(); ///< what a test found out says nothing about this one

private:
    void showEngine();
    Engine engine() const;
    bool isFile() const;
    bool isSqlServer() const;

    QFormLayout* m_form;
    QLineEdit* m_name;
    QComboBox* m_engine;
    QLineEdit* m_host;
    QSpinBox* m_port;
    QLineEdit* m_database;
    QLineEdit* m_user;
    QLineEdit* m_password;
    QLineEdit* m_options;
    SqlServerFields* m_sqlServer;
    QLineEdit* m_attached;
    QCheckBox* m_readOnly;
};

} // namespace lockscope::ui
