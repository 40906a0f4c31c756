// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/profiles/ProfileFile.h"

#include <QDialog>

#include <functional>

class QComboBox;
class QLabel;
class QPushButton;
class QTreeWidget;

namespace lockscope::ui {

/// Shows what a file of servers would bring: what is new, changed and skipped, and why. The caller saves what
/// is ticked; nothing else is ever saved. Files are read and compared on another thread.
class ImportDialog : public QDialog {
    Q_OBJECT

public:
    explicit ImportDialog(QList<db::ServerProfile> saved, QWidget* parent = nullptr);

    /// Returns the ticked ones.
    QList<profiles::ImportItem> chosen() const;
    /// Reads a file of the format profiles.schema.json.
    void readFile(const QString& path);

private:
    void addParts();
    void readSource();
    void read(std::function<Result<profiles::FoundServers>()> source);
    void show(const Result<QList<profiles::ImportItem>>& plan);
    void updateButton();

    QList<db::ServerProfile> m_saved;
    QList<profiles::ImportItem> m_plan;
    QComboBox* m_source;
    QPushButton* m_read;
    QTreeWidget* m_items;
    QLabel* m_message;
    QPushButton* m_import;
    Worker m_worker;
};

} // namespace lockscope::ui
