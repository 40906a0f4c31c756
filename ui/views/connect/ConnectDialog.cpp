// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/connect/ConnectDialog.h"

#include "core/base/ShownText.h"
#include "core/sandbox/Sandbox.h"
#include "ui/kit/help/Chapter.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/connect/AttachTableDialog.h"
#include "ui/views/connect/ConnectionTest.h"
#include "ui/views/connect/FieldTexts.h"
#include "ui/views/connect/ServerFields.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QVBoxLayout>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int usualWidth = 600;
constexpr int usualFrame = 40;

} // namespace

ConnectDialog::ConnectDialog(const db::ServerProfile& profile, QWidget* parent, db::KeychainPtr keychain,
    const std::optional<QString>& typed)
    : QDialog(parent)
    , m_before(profile.url)
    , m_typed(typed)
    , m_keychain(std::move(keychain))
    , m_form(new QFormLayout)
    , m_fields(new ServerFields(m_form, m_keychain, this))
    , m_note(named("engineNote", faint(wrapped(new QLabel(this)))))
    , m_test(new ConnectionTest(this))
    , m_testButton(named("test", new QPushButton(u"Test"_s, this)))
{
    setWindowTitle(
        profile.name.isEmpty() ? u"Connect to a server"_s : u"Server %1"_s.arg(inOneLine(profile.name)));
    explain(*this, QStringLiteral("connecting.md#the-dialog"));

    QDialogButtonBox* buttons = acceptButtons(*this, QDialogButtonBox::Save | QDialogButtonBox::Cancel);
    buttons->addButton(m_testButton, QDialogButtonBox::ActionRole);
    buttons->button(QDialogButtonBox::Save)->setText(u"&Save and open"_s);
    connect(m_testButton, &QPushButton::clicked, this, &ConnectDialog::runTest);
    connect(m_fields, &ServerFields::rowsChanged, this, &ConnectDialog::showNote);
    connect(m_fields, &ServerFields::addressChanged, m_test, &ConnectionTest::forget);
    connect(m_fields, &ServerFields::attachRequested, this, &ConnectDialog::chooseTable);
    connect(m_test, &ConnectionTest::reportChanged, this, &ConnectDialog::fitHeight);
    connect(m_test, &ConnectionTest::runningChanged, this,
        [this] { m_testButton->setText(m_test->isRunning() ? u"Stop"_s : u"Test"_s); });
    connect(m_test, &ConnectionTest::finished, this, &ConnectDialog::testFinished);

    QVBoxLayout* column = dialogColumn(*this, 14);
    column->addLayout(m_form);
    // Not a row of the form: Qt 6.4's QFormLayout gives rows no height if one wraps its words and another was
    // hidden.
    addAll(*column, {m_note, m_test, stretch(1), buttons});
    setMinimumWidth(usualWidth);
    orderTabs(buttons);
    m_fields->fill(profile, typed.has_value());
}

ConnectDialog::~ConnectDialog() = default;

/// Orders them as the rows are read: SQL Server's were made after the others.
void ConnectDialog::orderTabs(QWidget* last)
{
    QWidget* before = nullptr;
    const auto next = [&before](QWidget* field) {
        if (before)
            setTabOrder(before, field);
        before = field;
    };
    for (int row = 0; row < m_form->rowCount(); ++row) {
        QWidget* const field = m_form->itemAt(row, QFormLayout::FieldRole)->widget();
        const auto parts = field->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
        if (field->focusPolicy() != Qt::NoFocus) {
            next(field);
            continue;
        }
        for (QWidget* part : parts)
            if (part->focusPolicy() != Qt::NoFocus)
                next(part);
    }
    next(last);
}

void ConnectDialog::showNote()
{
    m_note->setText(m_fields->note());
    m_note->setVisible(!m_note->text().isEmpty());
    fitHeight();
}

/// Sets the height that the words need at this width – labels that wrap ask for too much by themselves – but
/// once the user sees it, it only grows.
void ConnectDialog::fitHeight()
{
    const int requested = isVisible() ? width() : usualWidth;
    const QMargins margins = layout()->contentsMargins();
    m_test->fitHeight(requested - margins.left() - margins.right());
    m_form->invalidate();
    layout()->invalidate();
    const int space = screen()->availableGeometry().height() - usualFrame;
    if (const int tooHigh = layout()->totalHeightForWidth(requested) - space; tooHigh > 0)
        m_test->shrinkBy(tooHigh);
    const int needed = layout()->totalHeightForWidth(requested);
    resize(requested, isVisible() ? std::max(height(), needed) : needed);
}

Result<db::ServerProfile> ConnectDialog::profile() const
{
    return m_fields->profile();
}

db::PasswordProvider ConnectDialog::passwords() const
{
    if (!newPassword().isEmpty())
        return db::fixedPassword(newPassword());
    const auto now = profile();
    return m_typed && now && now->url == m_before ? db::fixedPassword(*m_typed)
                                                  : db::defaultPasswords(m_keychain);
}

QString ConnectDialog::newPassword() const
{
    return m_fields->password();
}

bool ConnectDialog::keepsPassword() const
{
    return m_fields->keepsPassword();
}

/// Among those that the server has: it has to be reachable for that.
void ConnectDialog::chooseTable()
{
    const auto checked = profile();
    if (!checked) {
        m_test->refuse(inFieldWords(checked.error().toString()));
        return;
    }
    auto* dialog = deletedOnClose(new AttachTableDialog({*checked, passwords(), sandbox::resolve}, this));
    connect(dialog, &QDialog::accepted, this, [this, dialog] { m_fields->attach(dialog->table()); });
    dialog->open();
}

QString ConnectDialog::testReport() const
{
    return m_test->report();
}

void ConnectDialog::accept()
{
    const auto checked = profile();
    if (checked)
        QDialog::accept();
    else
        m_test->refuse(inFieldWords(checked.error().toString()));
}

void ConnectDialog::runTest()
{
    if (m_test->isRunning()) {
        m_test->stop();
        return;
    }
    const auto checked = profile();
    if (checked)
        m_test->start(db::Server{*checked, passwords(), sandbox::resolve});
    else
        m_test->refuse(inFieldWords(checked.error().toString()));
}

} // namespace lockscope::ui
