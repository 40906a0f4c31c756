// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/connect/LogInDialog.h"

#include "core/base/ShownText.h"
#include "ui/kit/help/Chapter.h"
#include "ui/kit/widgets/LogInForm.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QDialogButtonBox>
#include <QLabel>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

LogInDialog::LogInDialog(
    const db::ServerProfile& profile, db::KeychainPtr keychain, const QString& why, QWidget* parent)
    : QDialog(parent)
{
    setWindowTitle(u"Log in to %1"_s.arg(inOneLine(profile.display())));
    setMinimumWidth(460);
    explain(*this, QStringLiteral("connecting.md#passwords"));
    auto* text = wrapped(new QLabel(inOneLine(why), this));
    auto* form = new LogInForm(std::move(keychain), this);
    form->setServer(profile);
    QDialogButtonBox* buttons = cancelButtons(*this);
    addAll(*dialogColumn(*this, 14), {text, form, stretch(1), buttons});
    addServerStrip(*this, profile);
    connect(form, &LogInForm::entered, this, [this](const QString& password, bool keep) {
        Q_EMIT entered(password, keep);
        accept();
    });
    form->focusPassword();
}

} // namespace lockscope::ui
