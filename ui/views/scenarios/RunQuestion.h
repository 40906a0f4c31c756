// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/run/RunRights.h"
#include "ui/views/scenarios/RunConsent.h"

#include <QDialog>

class QCheckBox;
class QPushButton;

namespace lockscope::ui {

class NoticeBar;

/// "Run this there?": Cancel is the default, and Run only possible when the rights are known to be enough.
class RunQuestion : public QDialog {
    Q_OBJECT

public:
    RunQuestion(const QString& server, const RunConsent::Question& question, QWidget* parent);

    void showRights(const Result<scenario::RunRights>& rights);
    bool isNotToBeAskedAgain() const;

private:
    NoticeBar* m_answer;
    QCheckBox* m_again;
    QPushButton* m_run;
};

} // namespace lockscope::ui
