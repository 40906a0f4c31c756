// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/widgets/LogInForm.h"

#include "core/base/EnumTable.h"
#include "core/base/ShownText.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using KeychainOutcome = db::Keychain::Outcome;

namespace {

PasswordPlace::State stateOf(KeychainOutcome outcome)
{
    using enum PasswordPlace::State;
    static constexpr EnumTable<KeychainOutcome, PasswordPlace::State> states(
        {Kept, NotKept, NoKeychain, Refused, Refused, Refused});
    return states[outcome];
}

} // namespace

PasswordPlace::PasswordPlace(db::KeychainPtr keychain, QLineEdit& field, QCheckBox& keep)
    : QObject(&field)
    , m_keychain(std::move(keychain))
    , m_field(field)
    , m_keep(keep)
{
    m_field.setEchoMode(QLineEdit::Password);
    m_keep.setChecked(true);
    show();
}

void PasswordPlace::search(const QString& url, bool typed)
{
    m_typed = typed;
    m_same = true;
    show();
    m_worker.cancel();
    m_worker.ask(
        this,
        [keychain = m_keychain, url](const std::stop_token&) {
            return stateOf(keychain->read(url).outcome); // the password itself goes nowhere
        },
        [this](State state) {
            m_state = state;
            show();
            Q_EMIT found();
        });
}

void PasswordPlace::setSameServer(bool same)
{
    m_same = same;
    show();
}

bool PasswordPlace::keeps() const
{
    return m_keep.isEnabled() && m_keep.isChecked();
}

void PasswordPlace::show()
{
    const bool fromEnvironment = qEnvironmentVariableIsSet("LOCKSCOPE_PASSWORD");
    const bool kept = m_state == State::Kept && m_same;
    m_field.setPlaceholderText(m_typed && m_same ? u"unchanged, as typed in this run"_s
            : fromEnvironment                    ? u"taken from LOCKSCOPE_PASSWORD"_s
            : kept                               ? u"unchanged, from the desktop's keychain"_s
            : m_state == State::Refused          ? u"the desktop's keychain is locked"_s
            : m_state == State::Unknown          ? QString()
                                                 : u"no saved password"_s);
    const bool canKeep = m_state != State::NoKeychain;
    m_keep.setEnabled(canKeep);
    if (!canKeep)
        m_keep.setChecked(false);
    m_keep.setText(canKeep ? u"Keep in the keychain"_s : u"For this run only"_s);
    m_keep.setToolTip(canKeep
            ? u"The desktop's. Otherwise it is forgotten when Lockscope ends."_s
            : u"This desktop has no keychain: the password is forgotten when Lockscope ends. Start one (GNOME Keyring, KWallet) to have it kept."_s);
}

namespace {

constexpr int fieldWidth = 260;

} // namespace

LogInForm::LogInForm(db::KeychainPtr keychain, QWidget* parent)
    : QWidget(parent)
    , m_who(plain(new QLabel(this)))
    , m_password(named("logInPassword", new QLineEdit(this)))
    , m_keep(named("logInKeep", new QCheckBox(this)))
    , m_logIn(named("logIn", new QPushButton(u"Log in"_s, this)))
    , m_place(new PasswordPlace(std::move(keychain), *m_password, *m_keep))
{
    m_logIn->setEnabled(false);
    m_logIn->setToolTip(u"One attempt with this password"_s);
    m_password->setMinimumWidth(fieldWidth);
    m_who->setBuddy(m_password);
    QHBoxLayout* row = rowOf({{m_password, 1}, m_logIn});
    addAll(*withoutMargins(new QVBoxLayout(this)), {m_who, row, m_keep});
    connect(m_password, &QLineEdit::textChanged, this, &LogInForm::updateButton);
    connect(m_password, &QLineEdit::returnPressed, this, &LogInForm::submit);
    connect(m_logIn, &QPushButton::clicked, this, &LogInForm::submit);
}

void LogInForm::setServer(const db::ServerProfile& profile)
{
    const QString url = profile.url.toString();
    if (url == m_url)
        return;
    m_url = url;
    m_password->clear();
    m_who->setText(
        profile.url.user.isEmpty() ? u"Password"_s : u"Password of %1"_s.arg(inOneLine(profile.url.user)));
    m_password->setAccessibleName(m_who->text());
    m_place->search(url, false);
}

void LogInForm::focusPassword()
{
    m_password->setFocus();
}

void LogInForm::setTrying(bool trying)
{
    m_isTrying = trying;
    updateButton();
}

void LogInForm::updateButton()
{
    m_logIn->setText(m_isTrying ? u"Trying…"_s : u"Log in"_s);
    m_logIn->setEnabled(!m_isTrying && !m_password->text().isEmpty());
}

void LogInForm::submit()
{
    const QString password = m_password->text();
    if (password.isEmpty() || m_isTrying)
        return;
    const bool keep = m_place->keeps();
    m_password->clear();
    m_password->setFocus(); // not to be handed on by the button, which is grey now
    Q_EMIT entered(password, keep);
}

} // namespace lockscope::ui
