// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/ConnectionErrorPage.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/db/Dialect.h"
#include "core/record/Damage.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/LogInForm.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// Refused, or not even read from the keychain: then a password helps.
bool mayNeedPassword(const db::ServerProfile& profile, const Error& error)
{
    return (error.kind == ErrorKind::Login || error.kind == ErrorKind::Permission) && !profile.url.sandbox
        && db::Dialect::of(profile.url.engine).can(db::Capability::LogIn);
}

/// Returns the time of the last failure, and says that it was not the first one.
QString attemptText(const Error& error, const monitor::ServerMonitor::Failures& failures)
{
    const QString what = error.kind == ErrorKind::Login ? u"Refused"_s : u"Failed"_s;
    const QString when = failures.latest.toString(QStringLiteral("HH:mm:ss"));
    return failures.count < 2 ? u"%1 at %2."_s.arg(what, when)
                              : u"%1 again at %2 (attempt %3)."_s.arg(what, when).arg(failures.count);
}

QString remedyOfRecording(ErrorKind kind)
{
    switch (kind) {
    case ErrorKind::MissingObject:
        return u"It was begun, and nothing is in it yet. Try again once something was recorded."_s;
    case ErrorKind::BadInput:
        return u"Recordings are files that Lockscope or lockctl record has written. If it was one, take another copy of it: this one is damaged."_s;
    default:
        return u"See that the file is there and that this account may read it."_s;
    }
}

} // namespace

ConnectionErrorPage::ConnectionErrorPage(db::KeychainPtr keychain, QWidget* parent)
    : QWidget(parent)
    , m_sign(new QLabel(this))
    , m_title(demiBold(1.5, new QLabel(this)))
    , m_when(named("troubleWhen", new QLabel(this)))
    , m_body(named("troubleText", selectable(wrapped(new QLabel(this)), Qt::TextSelectableByMouse)))
    , m_logIn(new LogInForm(std::move(keychain), this))
    , m_retry(named("tryAgain", new QPushButton(u"Try again now"_s, this)))
    , m_edit(new QPushButton(u"Edit the server…"_s, this))
    , m_past(named("showPast", new QPushButton(u"Show the last recorded snapshot"_s, this)))
{
    m_sign->setFont(theme::scaled(2.4));
    m_title->setWordWrap(true);
    wrapped(m_when); // it may be the name of a file
    m_when->setFont(theme::scaled(1.0, QFont::DemiBold));
    m_body->setMinimumWidth(420);
    connect(m_retry, &QPushButton::clicked, this, [this] {
        if (m_isTrying)
            return; // one more attempt may be the one that locks an account
        beginTrying();
        Q_EMIT retryRequested();
    });
    connect(m_edit, &QPushButton::clicked, this, &ConnectionErrorPage::editRequested);
    connect(m_logIn, &LogInForm::entered, this, [this](const QString& password, bool keep) {
        beginTrying();
        Q_EMIT passwordEntered(password, keep);
    });
    m_past->hide();
    connect(m_past, &QPushButton::clicked, this, &ConnectionErrorPage::pastRequested);

    QHBoxLayout* buttons = rowOf({m_retry, m_edit, m_past, stretch(1)});
    auto* column = withSpacing(new QVBoxLayout, 10);
    addAll(*column,
        {stretch(2), m_sign, m_title, m_when, m_body, spacer(6), m_logIn, spacer(6), buttons, stretch(3)});
    addAll(*new QHBoxLayout(this), {stretch(1), {column, 4}, stretch(1)});
}

void ConnectionErrorPage::showConnecting(const db::ServerProfile& profile)
{
    setTrying(false);
    tell(QStringLiteral("◌"), theme::colors(palette()).muted, u"Connecting to %1…"_s.arg(profile.display()),
        profile.url.sandbox
            ? u"The first start of the sandbox creates its database, which takes a few seconds."_s
            : QString());
    offer(false, false);
}

void ConnectionErrorPage::showError(
    const db::ServerProfile& profile, const Error& error, const monitor::ServerMonitor::Failures& failures)
{
    if (m_url != profile.url.toString() || m_failures != failures)
        setTrying(false);
    m_url = profile.url.toString();
    m_failures = failures;
    QStringList parts{asSentence(error.what)};
    if (!error.detail.isEmpty())
        parts << asSentence(error.detail);
    // What helps in the window is not what helps on a command line.
    if (const QString hint =
            QString(error.hint)
                .replace(db::loginHint.toString(), u"Check user and password, then press Log in."_s);
        !hint.isEmpty())
        parts << asSentence(hint);
    if (error.kind != ErrorKind::Login)
        parts << u"Lockscope tries again by itself."_s;
    else if (!error.hint.contains(QLatin1String("not tried again by itself")))
        parts << u"It is not tried again by itself: a few logins that fail lock an account."_s;
    tell(QStringLiteral("■"), theme::colors(palette()).red,
        u"Nothing could be read from %1"_s.arg(profile.display()), parts.join(QStringLiteral("\n\n")));
    m_when->setText(m_isTrying ? u"Trying…"_s : attemptText(error, failures));
    m_when->show();
    const bool logIn = mayNeedPassword(profile, error);
    if (logIn)
        m_logIn->setServer(profile);
    offer(true, logIn);
}

void ConnectionErrorPage::showSilent(const db::ServerProfile& profile)
{
    setTrying(false);
    tell(QStringLiteral("■"), theme::colors(palette()).red, u"%1 does not answer"_s.arg(profile.display()),
        u"The connection is there, but the first poll has had no answer for a while. The server may be overloaded, stopped, or behind a firewall that swallows the packets."_s);
    offer(true, false);
}

void ConnectionErrorPage::showOpening(const QString& place)
{
    setTrying(false);
    tell(QStringLiteral("◌"), theme::colors(palette()).muted, u"Opening %1…"_s.arg(place), QString());
    offer(false, false);
}

void ConnectionErrorPage::showRecording(const QString& place, const Error& error)
{
    setTrying(false);
    QStringList parts{asSentence(error.what)};
    if (!error.detail.isEmpty())
        parts << asSentence(error.detail);
    parts << asSentence(error.hint.isEmpty() ? remedyOfRecording(error.kind) : error.hint);
    tell(QStringLiteral("■"), theme::colors(palette()).red, u"The recording can't be shown"_s,
        parts.join(QStringLiteral("\n\n")));
    m_when->setText(place);
    m_when->show();
    offer(true, false);
    m_edit->hide();
}

void ConnectionErrorPage::setRecorded(bool isRecorded)
{
    m_past->setVisible(isRecorded);
}

void ConnectionErrorPage::offer(bool retry, bool logIn)
{
    m_retry->setVisible(retry);
    m_edit->setVisible(retry);
    const bool wasOffered = !m_logIn->isHidden();
    m_logIn->setVisible(logIn);
    if (logIn && !wasOffered)
        m_logIn->focusPassword();
}

/// Until the try ends, the same error as before is not shown as a new one.
void ConnectionErrorPage::beginTrying()
{
    setTrying(true);
    m_when->setText(u"Trying…"_s);
}

void ConnectionErrorPage::setTrying(bool trying)
{
    m_isTrying = trying;
    m_logIn->setTrying(trying);
    m_retry->setText(trying ? u"Trying…"_s : u"Try again now"_s);
}

QString ConnectionErrorPage::text() const
{
    QStringList lines{m_title->text(), m_when->text(), m_body->text()};
    lines.removeAll(QString());
    return lines.join(QLatin1Char('\n'));
}

void ConnectionErrorPage::tell(
    const QString& sign, const QColor& color, const QString& title, const QString& body)
{
    m_when->clear();
    m_when->hide();
    theme::setInk(m_sign, color);
    m_sign->setText(sign);
    m_title->setText(inOneLine(title));
    m_body->setText(inLines(body));
    m_body->setVisible(!body.isEmpty());
}

} // namespace lockscope::ui
