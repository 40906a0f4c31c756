// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/db/LockTableRows.h"
#include "core/db/Server.h"
#include "core/db/ServerProfile.h"
#include "core/domain/Framework.h"

#include <QByteArray>
#include <QDialog>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace lockscope::ui {

/// An attached table as a file of a framework, to be completed by hand: then it is recognised on each server.
/// A row that says by a column that it is held is freed by the opposite of a truth value or of 1; where the
/// opposite is not known, the file says that it is not to be touched.
QByteArray attachedAsFile(const db::AttachedTable& table, Engine engine);
QString attachedFileName(const db::AttachedTable& table); ///< "running-jobs.json"
/// "Liquibase": the framework of the catalogue whose lock table that is; null if it is none's.
FrameworkPtr frameworkOf(
    const QString& schema, const QString& table, const QStringList& columns, Engine engine);

/// Chooses a table of the server that is a lock table, and the columns that hold name and time. The server is
/// asked on another thread; closing ends that.
class AttachTableDialog : public QDialog {
    Q_OBJECT

public:
    AttachTableDialog(const db::Server& server, QWidget* parent = nullptr);

    /// Returns the chosen table; once the dialog was accepted.
    db::AttachedTable table() const;

private:
    void arrange();
    void showTables(const Result<QList<db::TableColumns>>& tables);
    void showColumns();
    void filter(const QString& text);
    void updateButton();
    void fillColumns(QComboBox& box, const QStringList& columns, const QString& none);
    void showWhetherKnown();
    void saveAsFile();
    void askWhereToSaveFile(const QString& proposed, const db::AttachedTable& chosen);
    const db::TableColumns* current() const;

    QList<db::TableColumns> m_tables;
    QLabel* m_text;
    QLineEdit* m_filter;
    QListWidget* m_list;
    QFormLayout* m_form;
    QComboBox* m_name;
    QComboBox* m_time;
    QCheckBox* m_local;
    QComboBox* m_holder; ///< the first entry: none
    QComboBox* m_expires;
    QLineEdit* m_stale;
    QComboBox* m_held;
    QLineEdit* m_heldValue;
    QLabel* m_known; ///< that the table is one that is shown already
    QPushButton* m_attach = nullptr;
    QPushButton* m_save = nullptr;
    Engine m_engine;
    bool m_isSaving = false; ///< until its folder is there
    Worker m_worker;
    Worker m_disk; ///< does not wait for the server
};

} // namespace lockscope::ui
