// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/connect/LogInDialog.h"

#include "core/base/ShownText.h"
#include "ui/kit/help/Chapter.h"
#include "ui/kit/widgets/LogInForm.h"
#include "ui/kit/widgets/ServerStrip.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

LogInDialog::LogInDialog(
    const db::ServerProfile& profile, db::KeychainPtr keychain, const QString& why, QWidget* parent)
    : QDialog(parent)
{
    setWindowTitle(u"Log in to %1"_s.arg(inOneLine(profile.display())));
    setMinimumWidth(460);
    explain(*this, QStringLiteral("connecting.md#passwords"));
    auto* text = new QLabel(inOneLine(why), this);
    text->setTextFormat(Qt::PlainText);
    text->setWordWrap(true);
    auto* form = new LogInForm(std::move(keychain), this);
    form->setServer(profile);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 18, 20, 16);
    column->setSpacing(14);
    column->addWidget(text);
    column->addWidget(form);
    column->addStretch(1);
    column->addWidget(buttons);
    addServerStrip(*this, profile);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(form, &LogInForm::entered, this, [this](const QString& password, bool keep) {
        Q_EMIT entered(password, keep);
        accept();
    });
    form->focusPassword();
}

} // namespace lockscope::ui
