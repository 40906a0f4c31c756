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

using namespace Qt::StringLiterals;

AcquireDialog::AcquireDialog(const QString& name, QWidget* parent)
    : QDialog(parent)
    , m_name(new QLineEdit(name, this))
    , m_kind(new QComboBox(this))
    , m_wait(new QCheckBox(u"&Wait in the queue if somebody else has it"_s, this))
    , m_complaint(new QLabel(this))
{
    setWindowTitle(u"Acquire a lock"_s);
    explain(*this, QStringLiteral("lock-table.md#acquire"));
    setMinimumWidth(460);
    m_kind->addItem(
        u"Lock table: a row, outlives a lost connection"_s, static_cast<int>(locks::LockKind::Table));
    m_kind->addItem(
        u"Application lock: ends with the connection"_s, static_cast<int>(locks::LockKind::Application));
    m_wait->setChecked(true);
    m_complaint->setWordWrap(true);
    auto* hint = new QLabel(u"This window holds the lock until you release it below the lock table, or "
                            "close the window. Programs that "
                            "want the same name wait for you."_s,
        this);
    hint->setWordWrap(true);
    hint->setForegroundRole(QPalette::PlaceholderText);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_acquire = buttons->addButton(u"Acquire"_s, QDialogButtonBox::AcceptRole);
    auto* form = new QFormLayout(this);
    form->setContentsMargins(20, 18, 20, 16);
    form->addRow(u"&Name:"_s, m_name);
    form->addRow(u"&Kind:"_s, m_kind);
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
        tooLong ? u"A name has at most %1 characters."_s.arg(db::maxLockNameLength) : QString());
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
