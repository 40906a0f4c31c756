// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/db/LockTableRows.h"
#include "core/db/Server.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace lockscope::ui {

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
