// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/page/TablePage.h"

class QCheckBox;

namespace lockscope::ui {

class SessionsModel;

/// "sessions": the locks that each holds and waits for, its transaction and statement.
class SessionsPage : public TablePage {
    Q_OBJECT

public:
    static inline const PageName pageName{QStringLiteral("sessions"), QStringLiteral("Sessions")};

    explicit SessionsPage(AppContext& context, QWidget* parent = nullptr);

    bool reveal(const DetailSubject& subject) override;

protected:
    void showRows(const SnapshotPtr& snapshot) override;
    DetailSubject subjectAt(int viewRow) const override;
    EmptyText emptyText() const override;
    void deleteKeyPressed() override;
    void fillRowMenu(QMenu& menu) override;
    void updateActs() override;
    QString noiseText(int rows) const override;

private:
    const Session* currentSession() const;
    QList<Session> selectedSessions() const;

    SessionsModel* m_model;
    QCheckBox* m_hideInternal;
    QCheckBox* m_hideIdle;
    QPushButton* m_cancel = nullptr;
    QPushButton* m_end = nullptr;
};

} // namespace lockscope::ui
