// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/ServerFields.h"

#include "core/base/Duration.h"
#include "core/db/Dialect.h"
#include "ui/dialogs/FieldTexts.h"
#include "ui/dialogs/SqlServerFields.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

ServerFields::ServerFields(QFormLayout* form, QWidget* parent)
    : QObject(parent)
    , m_form(form)
    , m_name(new QLineEdit(parent))
    , m_engine(new QComboBox(parent))
    , m_host(new QLineEdit(parent))
    , m_port(new QSpinBox(parent))
    , m_database(new QLineEdit(parent))
    , m_user(new QLineEdit(parent))
    , m_password(new QLineEdit(parent))
    , m_options(new QLineEdit(parent))
    , m_attached(new QLineEdit(parent))
    , m_readOnly(new QCheckBox(u"Read-only: never release or end anything from here"_s, parent))
{
    m_engine->setObjectName(QStringLiteral("engine"));
    for (const Engine one : {Engine::SqlServer, Engine::Postgres, Engine::Sqlite})
        m_engine->addItem(engineName(one), static_cast<int>(one));
    m_port->setRange(0, 65'535);
    m_port->setSpecialValueText(u"default"_s);
    m_host->setObjectName(QStringLiteral("host"));
    m_port->setObjectName(QStringLiteral("port"));
    m_database->setObjectName(QStringLiteral("database"));
    m_password->setObjectName(QStringLiteral("password"));
    m_user->setObjectName(QStringLiteral("user"));
    m_name->setPlaceholderText(u"as shown in the list, e.g. prod-sql01"_s);
    m_password->setEchoMode(QLineEdit::Password);
    m_password->setPlaceholderText(u"unchanged; kept in the desktop keychain"_s);
    m_options->setPlaceholderText(QStringLiteral("sslmode=verify-full"));
    m_attached->setObjectName(QStringLiteral("attached"));
    m_attached->setPlaceholderText(u"schema.table(NameColumn,TimeColumn) local stale 5m; …"_s);
    m_attached->setToolTip(
        u"Lock tables that were there before: a name and a time column are enough. Add “local” if the "
        "time is the server's local time instead of UTC, and “stale 5m” if a lock is stale after another "
        "time than %1."_s.arg(durationText(db::AttachedTable().staleAge)));

    form->addRow(u"Name"_s, m_name);
    form->addRow(u"Engine"_s, m_engine);
    form->addRow(u"Host"_s, m_host);
    form->addRow(u"Port"_s, m_port);
    form->addRow(u"Database"_s, m_database);
    form->addRow(u"User"_s, m_user);
    form->addRow(u"Password"_s, m_password);
    m_sqlServer = new SqlServerFields(form, parent);
    form->addRow(u"Options"_s, m_options);
    form->addRow(u"Attached lock tables"_s, m_attached);
    form->addRow(QString(), m_readOnly);

    connect(m_engine, &QComboBox::currentIndexChanged, this, &ServerFields::showEngine);
    connect(m_sqlServer, &SqlServerFields::changed, this, &ServerFields::showEngine);
    connect(m_engine, &QComboBox::currentIndexChanged, this, &ServerFields::addressChanged);
    connect(m_sqlServer, &SqlServerFields::changed, this, &ServerFields::addressChanged);
    connect(m_port, &QSpinBox::valueChanged, this, &ServerFields::addressChanged);
    for (const QLineEdit* field : {m_host, m_database, m_user, m_password, m_options})
        connect(field, &QLineEdit::textChanged, this, &ServerFields::addressChanged);
}

void ServerFields::fill(const db::ServerProfile& profile)
{
    m_name->setText(profile.name);
    m_engine->setCurrentIndex(m_engine->findData(static_cast<int>(profile.url.engine)));
    m_host->setText(hostsText(profile.url));
    m_port->setValue(profile.url.moreHosts.isEmpty() ? profile.url.port : 0);
    m_database->setText(profile.url.database);
    m_user->setText(profile.url.user);
    if (isSqlServer())
        m_sqlServer->fill(db::SqlServerOptions::fromUrl(profile.url).value_or(db::SqlServerOptions()));
    else
        m_options->setText(optionsText(profile.url.options));
    m_attached->setText(attachedText(profile.attached));
    m_readOnly->setChecked(profile.readOnly);
    showEngine();
}

Engine ServerFields::engine() const
{
    return static_cast<Engine>(m_engine->currentData().toInt());
}

bool ServerFields::isFile() const
{
    return !db::Dialect::of(engine()).can(db::Capability::LogIn);
}

/// It has fields of its own, for what the drivers of ODBC differ in.
bool ServerFields::isSqlServer() const
{
    return engine() == Engine::SqlServer;
}

QString ServerFields::note() const
{
    return isFile()     ? u"An SQLite file with a lock table. Give its absolute path."_s
        : isSqlServer() ? m_sqlServer->note()
                        : QString();
}

void ServerFields::showEngine()
{
    const bool file = isFile();
    const bool sqlServer = isSqlServer();
    m_sqlServer->setVisible(sqlServer);
    const auto show = [this](QWidget* field, bool wanted) { m_form->setRowVisible(field, wanted); };
    show(m_host, !file);
    show(m_port, !file);
    show(m_user, !file && (!sqlServer || m_sqlServer->needsUser()));
    show(m_password, !file && (!sqlServer || m_sqlServer->needsPassword()));
    show(m_options, !sqlServer);
    m_host->setPlaceholderText(
        sqlServer ? u"name, address, or host\\instance"_s : u"name, address or socket directory"_s);
    qobject_cast<QLabel*>(m_form->labelForField(m_database))->setText(file ? u"File"_s : u"Database"_s);
    Q_EMIT rowsChanged();
}

Result<db::ServerProfile> ServerFields::profile() const
{
    db::ServerProfile result;
    result.url.engine = engine();
    result.url.database = m_database->text().trimmed();
    if (!isFile()) {
        result.url.host = m_host->text().trimmed();
        result.url.port = m_port->value();
        if (!isSqlServer() && result.url.host.contains(QLatin1Char(',')))
            if (const auto taken = takeHosts(result.url); !taken)
                return Failure(taken.error());
        if (!isSqlServer() || m_sqlServer->needsUser())
            result.url.user = m_user->text().trimmed();
    }
    result.url.options =
        isSqlServer() ? m_sqlServer->options().toUrlOptions() : optionsFromText(m_options->text());
    // The parser of URLs is the judge of what is possible.
    auto checked = db::ServerUrl::parse(result.url.toString());
    if (!checked)
        return Failure(std::move(checked.error()));
    result.url = *checked;
    auto tables = attachedFromText(m_attached->text());
    if (!tables)
        return Failure(std::move(tables.error()));
    result.attached = *tables;
    result.readOnly = m_readOnly->isChecked();
    result.name = m_name->text().trimmed();
    if (result.name.isEmpty())
        result.name = result.url.display();
    return result;
}

QString ServerFields::password() const
{
    return m_password->text();
}

} // namespace lockscope::ui
