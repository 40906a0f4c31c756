// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/db/ServerProfile.h"
#include "core/db/credentials/Secrets.h"
#include "core/db/sqlserver/SqlServerConnectionString.h"

#include <QObject>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QWidget;

namespace lockscope::ui {

class PasswordPlace;

/// The rows of the connection dialog that only SQL Server has: driver or data source, encryption and trust,
/// who logs in and how, what for. The lists of drivers and data sources arrive from another thread.
class SqlServerFields : public QObject {
    Q_OBJECT

public:
    /// Appends its rows to `form`, whose widget owns them.
    SqlServerFields(QFormLayout* form, QWidget* parent);

    void setVisible(bool visible);
    void fill(const db::SqlServerOptions& options);
    db::SqlServerOptions options() const;
    bool needsUser() const;
    bool needsPassword() const;
    /// Returns what the chosen driver can't do, or what the choice means; may be empty.
    QString note() const;

Q_SIGNALS:
    void changed();

private:
    void askForDrivers();
    void selectDriver(const db::SqlServerOptions& options);
    void showRows();

    QFormLayout* m_form;
    QComboBox* m_driver;
    QComboBox* m_api;
    QComboBox* m_encryption;
    QLineEdit* m_certificate;
    QComboBox* m_authentication;
    QLineEdit* m_spn;
    QCheckBox* m_readOnlyIntent;
    QCheckBox* m_multiSubnetFailover;
    QList<db::OdbcDriver> m_drivers;
    QList<db::OdbcSource> m_sources;
    bool m_visible = false;
    bool m_asked = false;
    bool m_known = false; ///< the lists have arrived
    Worker m_worker;
};

/// The rows of the connection dialog: a server's profile as fields, of which only those are on view that the
/// engine has. The URL of a server that is pasted or written into one of them is divided among them.
class ServerFields : public QObject {
    Q_OBJECT

public:
    /// Appends its rows to `form`, whose widget owns them.
    ServerFields(QFormLayout* form, db::KeychainPtr keychain, QWidget* parent);

    /// `typed`: a password was typed for it in this run.
    void fill(const db::ServerProfile& profile, bool typed);
    /// Returns the profile in the fields; an error names the field.
    Result<db::ServerProfile> profile() const;
    QString password() const;
    bool keepsPassword() const; ///< in the keychain
    void attach(const db::AttachedTable& table);
    /// Returns what the chosen engine or driver can't do, or what the choice means; may be empty.
    QString note() const;

Q_SIGNALS:
    void rowsChanged(); ///< others are on view, or the note is another
    void addressChanged(); ///< the results of a test mean nothing for this one
    void attachRequested(); ///< a table of the server is to be chosen

private:
    void addRows();
    void watchForUrls(QLineEdit* field);
    void divide(QLineEdit& field); ///< if what stands there is the URL of a server
    void fillAddress(const db::ServerUrl& url);
    void showEngine();
    void browse();
    Engine engine() const;
    bool isFile() const;
    bool isSqlServer() const;
    Result<db::ServerUrl> address() const;
    Result<void> refuseUrls() const;
    Result<void> readHost(db::ServerUrl& url) const;

    QFormLayout* m_form;
    QWidget* m_parent;
    QLineEdit* m_name;
    QComboBox* m_environment;
    QLineEdit* m_tags;
    QComboBox* m_engine;
    QLineEdit* m_host;
    QSpinBox* m_port;
    QWidget* m_databaseRow = nullptr;
    QLineEdit* m_database;
    QPushButton* m_browse;
    QLineEdit* m_user;
    QWidget* m_passwordRow = nullptr;
    QLineEdit* m_password;
    QCheckBox* m_keep;
    PasswordPlace* m_place;
    QLineEdit* m_options;
    SqlServerFields* m_sqlServer = nullptr;
    QLineEdit* m_attached;
    QPushButton* m_attach;
    QCheckBox* m_readOnly;
    QList<db::ApprovedTable> m_approved; ///< of the profile that it was filled with
    QCheckBox* m_localAudit;
    bool m_saysLocalAudit = false; ///< the profile did, before
    db::ServerUrl m_before; ///< of the profile that it was filled with
};

} // namespace lockscope::ui
