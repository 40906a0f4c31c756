// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/ConnectionErrorPage.h"

#include "core/base/Sentences.h"
#include "ui/theme/Theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

ConnectionErrorPage::ConnectionErrorPage(QWidget* parent)
    : QWidget(parent)
    , m_sign(new QLabel(this))
    , m_title(new QLabel(this))
    , m_body(new QLabel(this))
    , m_retry(new QPushButton(u"Try again now"_s, this))
    , m_edit(new QPushButton(u"Edit the server…"_s, this))
{
    m_sign->setFont(theme::scaled(2.4));
    m_title->setFont(theme::scaled(1.5, QFont::DemiBold));
    m_title->setWordWrap(true);
    m_body->setObjectName(QStringLiteral("troubleText"));
    m_body->setWordWrap(true);
    m_body->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_body->setTextFormat(Qt::PlainText);
    m_body->setMinimumWidth(420);
    connect(m_retry, &QPushButton::clicked, this, &ConnectionErrorPage::retryRequested);
    connect(m_edit, &QPushButton::clicked, this, &ConnectionErrorPage::editRequested);

    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_retry);
    buttons->addWidget(m_edit);
    buttons->addStretch(1);
    auto* column = new QVBoxLayout;
    column->setSpacing(10);
    column->addStretch(2);
    column->addWidget(m_sign);
    column->addWidget(m_title);
    column->addWidget(m_body);
    column->addSpacing(6);
    column->addLayout(buttons);
    column->addStretch(3);
    auto* row = new QHBoxLayout(this);
    row->addStretch(1);
    row->addLayout(column, 4);
    row->addStretch(1);
}

void ConnectionErrorPage::showConnecting(const QString& server, bool sandbox)
{
    tell(QStringLiteral("◌"), theme::colors(palette()).muted, u"Connecting to %1…"_s.arg(server),
        sandbox ? u"The first start of the sandbox creates its database, which takes a few seconds."_s
                : QString());
    m_retry->hide();
    m_edit->hide();
}

void ConnectionErrorPage::showError(const QString& server, const Error& error)
{
    QStringList parts{asSentence(error.what)};
    if (!error.detail.isEmpty())
        parts << asSentence(error.detail);
    if (!error.hint.isEmpty())
        parts << asSentence(error.hint);
    parts << u"Lockscope tries again by itself."_s;
    tell(QStringLiteral("■"), theme::colors(palette()).red, u"Nothing could be read from %1"_s.arg(server),
        parts.join(QStringLiteral("\n\n")));
    m_retry->show();
    m_edit->show();
}

void ConnectionErrorPage::showSilent(const QString& server)
{
    tell(QStringLiteral("■"), theme::colors(palette()).red, u"%1 does not answer"_s.arg(server),
        u"The connection is there, but the first poll has had no answer for a while. The server may be "
        "overloaded, stopped, or behind a firewall that swallows the packets."_s);
    m_retry->show();
    m_edit->show();
}

QString ConnectionErrorPage::text() const
{
    return m_title->text() + QLatin1Char('\n') + m_body->text();
}

void ConnectionErrorPage::tell(
    const QString& sign, const QColor& color, const QString& title, const QString& body)
{
    theme::setInk(m_sign, color);
    m_sign->setText(sign);
    m_title->setText(title);
    m_body->setText(body);
    m_body->setVisible(!body.isEmpty());
}

} // namespace lockscope::ui
