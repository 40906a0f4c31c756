// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/db/sqlserver/SqlServerConnectionString.h"

#include <QObject>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLineEdit;

namespace lockscope::ui {

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
    void showDrivers(const QList<db::OdbcDriver>& drivers, const QList<db::OdbcSource>& sources);
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

} // namespace lockscope::ui
