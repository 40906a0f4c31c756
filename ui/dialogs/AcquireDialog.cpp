// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/AcquireDialog.h"

#include "core/db/Dialect.h"
#include "ui/help/Chapter.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace lockscope::ui {

AcquireDialog::AcquireDialog(const QString& name, QWidget* parent)
    : QDialog(parent)
    , m_name(new QLineEdit(name, this))
    , m_kind(new QComboBox(this))
    , m_wait(new QCheckBox(tr("&Wait in the queue if somebody else has it"), this))
    , m_complaint(new QLabel(this))
{
    setWindowTitle(tr("Acquire a lock"));
    explain(*this, QStringLiteral("lock-table.md#acquire"));
    setMinimumWidth(460);
    m_kind->addItem(
        tr("Lock table: a row, outlives a lost connection"), static_cast<int>(locks::LockKind::Table));
    m_kind->addItem(
        tr("Application lock: ends with the connection"), static_cast<int>(locks::LockKind::Application));
    m_wait->setChecked(true);
    m_complaint->setWordWrap(true);
    auto* hint = new QLabel(tr("This window holds the lock until you release it below the lock table, or "
                               "close the window. Programs that "
                               "want the same name wait for you."),
        this);
    hint->setWordWrap(true);
    hint->setForegroundRole(QPalette::PlaceholderText);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_acquire = buttons->addButton(tr("Acquire"), QDialogButtonBox::AcceptRole);
    auto* form = new QFormLayout(this);
    form->setContentsMargins(20, 18, 20, 16);
    form->addRow(tr("&Name:"), m_name);
    form->addRow(tr("&Kind:"), m_kind);
    form->addRow(QString(), m_wait);
    form->addRow(hint);
    form->addRow(m_complaint);
    form->addRow(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        Q_EMIT wanted(kind(), request());
        accept();
    });
    connect(m_name, &QLineEdit::textChanged, this, &AcquireDialog::updateButton);
    updateButton();
}

void AcquireDialog::updateButton()
{
    const QString name = m_name->text();
    const bool tooLong = name.size() > db::maxLockNameLength;
    m_complaint->setText(
        tooLong ? tr("A name has at most %1 characters.").arg(db::maxLockNameLength) : QString());
    m_acquire->setEnabled(!name.isEmpty() && !tooLong);
}

locks::LockKind AcquireDialog::kind() const
{
    return static_cast<locks::LockKind>(m_kind->currentData().toInt());
}

locks::AcquireRequest AcquireDialog::request() const
{
    locks::AcquireRequest request;
    request.name = m_name->text();
    request.wait = milliseconds(m_wait->isChecked() ? -1 : 0);
    return request;
}

} // namespace lockscope::ui
