// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/settings/HistoryFields.h"

#include "core/record/postgres/HistoryStore.h"
#include "ui/kit/widgets/PasswordPlace.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

HistoryFields::HistoryFields(const QString& label, db::KeychainPtr keychain, QWidget* parent)
    : QWidget(parent)
    , m_url(named("historyUrl", new QLineEdit(this)))
    , m_password(named("historyPassword", u"Password for the history"_s, new QLineEdit(this)))
    , m_keep(named("keepHistoryPassword", new QCheckBox(this)))
    , m_trouble(named("historyTrouble", wrapped(new QLabel(this))))
    , m_place(new PasswordPlace(std::move(keychain), *m_password, *m_keep))
{
    m_url->setPlaceholderText(u"postgresql://user@host/database"_s);
    m_url->setAccessibleName(label);
    m_url->setMinimumWidth(300);
    m_trouble->hide();
    QHBoxLayout* row = rowOf({{m_password, 1}, m_keep});
    auto* form = new QFormLayout(this);
    form->setContentsMargins(0, 0, 0, 0);
    form->addRow(label, m_url);
    form->addRow(u"Its password"_s, row);
    form->addRow(m_trouble);
    connect(m_url, &QLineEdit::textChanged, this, [this] {
        m_place->setSameServer(text() == m_searched);
        m_trouble->hide();
        m_password->setEnabled(!text().isEmpty());
        Q_EMIT changed();
    });
    connect(m_url, &QLineEdit::editingFinished, this, &HistoryFields::checkAddress);
    connect(m_url, &QLineEdit::returnPressed, this, &HistoryFields::entered);
    connect(m_password, &QLineEdit::returnPressed, this, &HistoryFields::entered);
    m_password->setEnabled(false);
}

void HistoryFields::show(const QString& url)
{
    m_url->setText(url);
    m_password->clear();
    checkAddress();
}

/// Says at once what is wrong with it, and asks the keychain for its password.
void HistoryFields::checkAddress()
{
    if (text().isEmpty())
        return;
    const auto address = url();
    m_trouble->setText(address ? QString() : address.error().toString());
    m_trouble->setVisible(!address);
    if (!address || text() == m_searched)
        return;
    m_searched = text();
    m_place->search(address->toString(), false);
}

QString HistoryFields::text() const
{
    return m_url->text().trimmed();
}

Result<db::ServerUrl> HistoryFields::url() const
{
    const auto place = record::HistoryPlace::parse(text());
    if (!place)
        return Failure(place.error());
    if (!place->recording.isEmpty())
        return failure(ErrorKind::BadInput, u"This names a recording, and not a history."_s,
            u"Leave out what follows the '#'."_s);
    return place->server.profile.url;
}

std::optional<HistoryPassword> HistoryFields::password() const
{
    const auto address = url();
    if (!address || m_password->text().isEmpty())
        return std::nullopt;
    return HistoryPassword{address->toString(), m_password->text(), m_place->keeps()};
}

QList<QWidget*> HistoryFields::inOrder() const
{
    return {m_url, m_password, m_keep};
}

} // namespace lockscope::ui
