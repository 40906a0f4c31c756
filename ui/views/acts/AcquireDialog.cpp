// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/acts/AcquireDialog.h"

#include "core/db/Dialect.h"
#include "ui/kit/help/Chapter.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using db::Capability;
using locks::AcquireMode;
using locks::LockKind;

namespace {

template <class Value> struct LockChoice {
    Value value;
    QString text;
    Capability needed;
};

template <class Value>
void addLockChoices(
    QComboBox& box, const db::Dialect& dialect, std::initializer_list<LockChoice<Value>> choices)
{
    for (const LockChoice<Value>& choice : choices)
        if (dialect.can(choice.needed))
            box.addItem(choice.text, static_cast<int>(choice.value));
}

} // namespace

AcquireDialog::AcquireDialog(const QString& name, Engine engine, QWidget* parent)
    : QDialog(parent)
    , m_name(new QLineEdit(name, this))
    , m_kind(named("lockKind", new QComboBox(this)))
    , m_mode(named("lockMode", new QComboBox(this)))
    , m_owner(named("lockOwner", new QComboBox(this)))
    , m_wait(new QCheckBox(u"&Wait in the queue if somebody else has it"_s, this))
    , m_complaint(wrapped(new QLabel(this)))
    , m_form(new QFormLayout)
{
    setWindowTitle(u"Acquire a lock"_s);
    explain(*this, QStringLiteral("lock-table.md#acquire"));
    setMinimumWidth(460);
    offer(engine);
    m_wait->setChecked(true);
    QLabel* hint = faint(wrapped(new QLabel(
        u"This window holds the lock until you release it below the lock table, or close the window. Programs that request the same name wait for you."_s,
        this)));
    QDialogButtonBox* buttons = cancelButtons(*this);
    m_acquire = buttons->addButton(u"Acquire"_s, QDialogButtonBox::AcceptRole);
    appendRows(*m_form,
        {{u"&Name:"_s, m_name}, {u"&Kind:"_s, m_kind}, {u"&Mode:"_s, m_mode}, {u"&Belongs to:"_s, m_owner},
            {{}, m_wait}});
    m_form->addRow(hint);
    m_form->addRow(m_complaint);
    addAll(*dialogColumn(*this), {m_form, stretch(1), buttons});
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        Q_EMIT lockRequested(lock());
        accept();
    });
    connect(m_name, &QLineEdit::textChanged, this, &AcquireDialog::updateButton);
    connect(m_kind, &QComboBox::currentIndexChanged, this, &AcquireDialog::showWhatMatters);
    showWhatMatters();
    updateButton();
}

/// Offers the kinds of lock that the engine has; the first of each is the usual one.
void AcquireDialog::offer(Engine engine)
{
    const db::Dialect& dialect = db::Dialect::of(engine);
    addLockChoices<LockKind>(*m_kind, dialect,
        {{LockKind::Table, u"Lock table: a row, outlives a lost connection"_s, Capability::LockTables},
            {LockKind::Application, u"Application lock: ends with the connection"_s,
                Capability::ApplicationLocks},
            {LockKind::LockedTable, u"Locked table: belongs to a transaction"_s, Capability::SurrogateLocks},
            {LockKind::LockedKey, u"Locked key: belongs to a transaction"_s, Capability::SurrogateLocks}});
    addLockChoices<AcquireMode>(*m_mode, dialect,
        {{AcquireMode::Exclusive, u"exclusive"_s, Capability::ApplicationLocks},
            {AcquireMode::Shared, u"shared"_s, Capability::SharedApplicationLocks},
            {AcquireMode::Update, u"update"_s, Capability::UpdateAndIntentModes},
            {AcquireMode::IntentShared, u"intent shared"_s, Capability::UpdateAndIntentModes},
            {AcquireMode::IntentExclusive, u"intent exclusive"_s, Capability::UpdateAndIntentModes}});
    addLockChoices<LockOwner>(*m_owner, dialect,
        {{LockOwner::Session, u"the session"_s, Capability::SessionLocks},
            {LockOwner::Transaction, u"a transaction"_s, Capability::TransactionOwnedLocks}});
}

/// Only application locks have modes and a choice of owners.
void AcquireDialog::showWhatMatters()
{
    for (QComboBox* box : {m_mode, m_owner})
        m_form->setRowVisible(box, kind() == LockKind::Application);
}

void AcquireDialog::updateButton()
{
    const QString name = m_name->text();
    const bool tooLong = name.size() > db::maxLockNameLength;
    m_complaint->setText(
        tooLong ? u"A name has at most %1 characters."_s.arg(db::maxLockNameLength) : QString());
    m_acquire->setEnabled(!name.isEmpty() && !tooLong);
}

LockKind AcquireDialog::kind() const
{
    return static_cast<LockKind>(m_kind->currentData().toInt());
}

locks::LockOptions AcquireDialog::lock() const
{
    locks::LockOptions options{
        .name = m_name->text(), .kind = kind(), .wait = milliseconds(m_wait->isChecked() ? -1 : 0)};
    if (kind() == LockKind::Application) {
        options.mode = static_cast<AcquireMode>(m_mode->currentData().toInt());
        options.owner = static_cast<LockOwner>(m_owner->currentData().toInt());
    }
    return options;
}

} // namespace lockscope::ui
