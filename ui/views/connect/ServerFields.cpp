// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/connect/ServerFields.h"

#include "core/base/Duration.h"
#include "core/db/Dialect.h"
#include "core/db/credentials/Secrets.h"
#include "core/domain/Engine.h"
#include "ui/kit/widgets/LogInForm.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/connect/FieldTexts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>

#include <tuple>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

// The driver or data source of an entry of the driver list.
constexpr int nameRole = Qt::UserRole;
constexpr int isSourceRole = Qt::UserRole + 1;

/// An entry of the encryption list: what to encrypt, and whom to trust.
enum class Protection { Verified, Trusting, Strict, None };

Protection protectionOf(const db::SqlServerOptions& options)
{
    if (options.encryption != db::Encryption::Yes)
        return options.encryption == db::Encryption::No ? Protection::None : Protection::Strict;
    return options.trustCertificate ? Protection::Trusting : Protection::Verified;
}

template <class Value> Value chosen(const QComboBox* box)
{
    return static_cast<Value>(box->currentData().toInt());
}

template <class Value> void choose(QComboBox* box, Value value)
{
    box->setCurrentIndex(box->findData(static_cast<int>(value)));
}

/// More at once than anybody types.
constexpr qsizetype pastedLength = 4;

QWidget* sideBySide(QWidget* field, QWidget* beside, QWidget* parent)
{
    auto* both = new QWidget(parent);
    addAll(*withoutMargins(new QHBoxLayout(both)), {{field, 1}, beside});
    return both;
}

} // namespace

SqlServerFields::SqlServerFields(QFormLayout* form, QWidget* parent)
    : QObject(parent)
    , m_form(form)
    , m_driver(named("driver", new QComboBox(parent)))
    , m_api(named("api", new QComboBox(parent)))
    , m_encryption(named("encryption", new QComboBox(parent)))
    , m_certificate(named("certificate", new QLineEdit(parent)))
    , m_authentication(named("authentication", new QComboBox(parent)))
    , m_spn(named("spn", new QLineEdit(parent)))
    , m_readOnlyIntent(new QCheckBox(u"Only read: a readable replica will do"_s, parent))
    , m_multiSubnetFailover(new QCheckBox(u"Availability group: try all its addresses at once"_s, parent))
{
    m_readOnlyIntent->setObjectName(QStringLiteral("readOnlyIntent"));
    m_multiSubnetFailover->setObjectName(QStringLiteral("multiSubnetFailover"));
    // A data source may have a long name.
    m_driver->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_driver->setMinimumContentsLength(20);
    m_driver->setIconSize({});

    m_api->addItem(u"ODBC itself"_s, false);
    m_api->addItem(u"Qt's QODBC"_s, true);

    const auto addProtection = [this](const QString& text, Protection value) {
        m_encryption->addItem(text, static_cast<int>(value));
    };
    addProtection(u"Encrypt, and verify the certificate"_s, Protection::Verified);
    addProtection(u"Encrypt, and take any certificate"_s, Protection::Trusting);
    addProtection(u"Strict: TLS from the first byte (SQL Server 2022)"_s, Protection::Strict);
    addProtection(u"Do not encrypt"_s, Protection::None);

    const auto addAuthentication = [this](const QString& text, db::Authentication value) {
        m_authentication->addItem(text, static_cast<int>(value));
    };
    addAuthentication(u"User and password of SQL Server"_s, db::Authentication::Sql);
    addAuthentication(u"Integrated: the account of this program"_s, db::Authentication::Integrated);
    addAuthentication(u"Entra: user and password"_s, db::Authentication::EntraPassword);
    addAuthentication(u"Entra: integrated"_s, db::Authentication::EntraIntegrated);
    addAuthentication(u"Entra: interactive"_s, db::Authentication::EntraInteractive);
    addAuthentication(u"Entra: managed identity"_s, db::Authentication::EntraManagedIdentity);
    addAuthentication(u"Entra: service principal"_s, db::Authentication::EntraServicePrincipal);

    m_certificate->setPlaceholderText(u"the host's name"_s);
    m_spn->setPlaceholderText(QStringLiteral("MSSQLSvc/host.domain:1433"));

    appendRows(*form,
        {{u"Dri&ver"_s, m_driver}, {u"Called &by"_s, m_api}, {u"&Log in with"_s, m_authentication},
            {u"Server prin&cipal"_s, m_spn}, {u"Encr&yption"_s, m_encryption},
            {u"Name in certi&ficate"_s, m_certificate}, {u"&Intent"_s, m_readOnlyIntent},
            {u"Lis&tener"_s, m_multiSubnetFailover}});
    for (QComboBox* box : {m_driver, m_api, m_encryption, m_authentication})
        connect(box, &QComboBox::currentIndexChanged, this, [this] {
            showRows();
            Q_EMIT changed();
        });
    fill({});
}

void SqlServerFields::setVisible(bool visible)
{
    m_visible = visible;
    if (visible)
        askForDrivers();
    showRows();
}

void SqlServerFields::showRows()
{
    const bool verifies = chosen<Protection>(m_encryption) == Protection::Verified
        || chosen<Protection>(m_encryption) == Protection::Strict;
    const bool integrated = chosen<db::Authentication>(m_authentication) == db::Authentication::Integrated;
    const auto show = [this](QWidget* field, bool isRequested) {
        m_form->setRowVisible(field, m_visible && isRequested);
    };
    show(m_driver, true);
    show(m_api, true);
    show(m_authentication, true);
    show(m_spn, integrated);
    show(m_encryption, true);
    show(m_certificate, verifies);
    show(m_readOnlyIntent, true);
    show(m_multiSubnetFailover, true);
}

/// The driver manager reads files, perhaps of a slow home directory: not on this thread.
void SqlServerFields::askForDrivers()
{
    if (std::exchange(m_asked, true))
        return;
    m_worker.ask(
        this, [](const std::stop_token&) { return std::pair(db::installedOdbcDrivers(), db::odbcSources()); },
        [this](const auto& found) {
            const db::SqlServerOptions kept = options();
            std::tie(m_drivers, m_sources) = found;
            m_known = true;
            selectDriver(kept);
            showRows();
            Q_EMIT changed();
        });
}

void SqlServerFields::selectDriver(const db::SqlServerOptions& options)
{
    const QSignalBlocker quiet(m_driver);
    m_driver->clear();
    const auto add = [this](const QString& text, const QString& name, bool isSource) {
        m_driver->addItem(text);
        m_driver->setItemData(m_driver->count() - 1, name, nameRole);
        m_driver->setItemData(m_driver->count() - 1, isSource, isSourceRole);
    };
    add(!m_known                  ? u"the best that is installed"_s
            : m_drivers.isEmpty() ? u"none is installed"_s
                                  : u"the best that is installed: %1"_s.arg(m_drivers.first().name),
        {}, false);
    for (const db::OdbcDriver& one : std::as_const(m_drivers))
        add(one.name, one.name, false);
    for (const db::OdbcSource& one : std::as_const(m_sources))
        add(u"data source %1 (%2)"_s.arg(one.name, one.driver.name), one.name, true);
    const bool isSource = !options.dsn.isEmpty();
    const QString requested = isSource ? options.dsn : options.driver;
    int index = 0;
    for (int i = 1; i < m_driver->count() && index == 0; ++i)
        if (m_driver->itemData(i, isSourceRole).toBool() == isSource
            && m_driver->itemData(i, nameRole).toString().compare(requested, Qt::CaseInsensitive) == 0)
            index = i;
    if (index == 0 && !requested.isEmpty()) {
        add(m_known ? u"%1 (not installed)"_s.arg(requested) : requested, requested, isSource);
        index = m_driver->count() - 1;
    }
    m_driver->setCurrentIndex(index);
}

void SqlServerFields::fill(const db::SqlServerOptions& options)
{
    selectDriver(options);
    m_api->setCurrentIndex(m_api->findData(options.byQt));
    choose(m_encryption, protectionOf(options));
    choose(m_authentication, options.authentication);
    m_certificate->setText(options.certificateHost);
    m_spn->setText(options.spn);
    m_readOnlyIntent->setChecked(options.readOnlyIntent);
    m_multiSubnetFailover->setChecked(options.multiSubnetFailover);
}

db::SqlServerOptions SqlServerFields::options() const
{
    db::SqlServerOptions options;
    const QString name = m_driver->currentData(nameRole).toString();
    (m_driver->currentData(isSourceRole).toBool() ? options.dsn : options.driver) = name;
    options.byQt = m_api->currentData().toBool();
    const auto protection = chosen<Protection>(m_encryption);
    if (protection == Protection::None)
        options.encryption = db::Encryption::No;
    else if (protection == Protection::Strict)
        options.encryption = db::Encryption::Strict;
    options.trustCertificate = protection == Protection::Trusting;
    if (protection == Protection::Verified || protection == Protection::Strict)
        options.certificateHost = m_certificate->text().trimmed();
    options.authentication = chosen<db::Authentication>(m_authentication);
    if (options.authentication == db::Authentication::Integrated)
        options.spn = m_spn->text().trimmed();
    options.readOnlyIntent = m_readOnlyIntent->isChecked();
    options.multiSubnetFailover = m_multiSubnetFailover->isChecked();
    return options;
}

bool SqlServerFields::needsUser() const
{
    const auto authentication = chosen<db::Authentication>(m_authentication);
    return authentication != db::Authentication::Integrated
        && authentication != db::Authentication::EntraIntegrated;
}

bool SqlServerFields::needsPassword() const
{
    return db::needsPassword(chosen<db::Authentication>(m_authentication));
}

QString SqlServerFields::note() const
{
    if (!m_known)
        return {};
    const auto chosenDriver = db::chooseDriver(options(), m_drivers, m_sources);
    if (!chosenDriver)
        return chosenDriver.error().toString();
    const auto possible = db::connectionString(db::ServerUrl(), options(), *chosenDriver, {}, {});
    if (!possible)
        return possible.error().toString();
    switch (chosen<Protection>(m_encryption)) {
    case Protection::None:
        return u"Anyone between this machine and the server can read along."_s;
    case Protection::Trusting:
        return u"The server is not verified: anyone in between can pretend to be it."_s;
    default:
        return m_api->currentData().toBool()
            ? u"Slower, and why a login fails is not known: see the manual. For drivers that need it."_s
            : QString();
    }
}

ServerFields::ServerFields(QFormLayout* form, db::KeychainPtr keychain, QWidget* parent)
    : QObject(parent)
    , m_form(form)
    , m_parent(parent)
    , m_name(named("name", new QLineEdit(parent)))
    , m_environment(named("environment", u"What the server is for"_s, new QComboBox(parent)))
    , m_tags(named("tags", new QLineEdit(parent)))
    , m_engine(named("engine", new QComboBox(parent)))
    , m_host(named("host", new QLineEdit(parent)))
    , m_port(named("port", new QSpinBox(parent)))
    , m_database(named("database", new QLineEdit(parent)))
    , m_browse(named("browse", pushButton(u"Browse…"_s, parent)))
    , m_user(named("user", new QLineEdit(parent)))
    , m_password(named("password", new QLineEdit(parent)))
    , m_keep(named("keepPassword", new QCheckBox(parent)))
    , m_place(new PasswordPlace(std::move(keychain), *m_password, *m_keep))
    , m_options(named("options", new QLineEdit(parent)))
    , m_attached(named("attached", new QLineEdit(parent)))
    , m_attach(named("attach", pushButton(u"Choose…"_s, parent)))
    , m_readOnly(named("readOnly", new QCheckBox(u"Read-only: no actions from here"_s, parent)))
    , m_localAudit(new QCheckBox(u"Allow actions without a server audit (log to a local file)"_s, parent))
{
    addRows();
    connect(m_engine, &QComboBox::currentIndexChanged, this, &ServerFields::showEngine);
    connect(m_sqlServer, &SqlServerFields::changed, this, &ServerFields::showEngine);
    connect(m_engine, &QComboBox::currentIndexChanged, this, &ServerFields::addressChanged);
    connect(m_sqlServer, &SqlServerFields::changed, this, &ServerFields::addressChanged);
    connect(m_port, &QSpinBox::valueChanged, this, &ServerFields::addressChanged);
    for (const QLineEdit* field : {m_host, m_database, m_user, m_password, m_options})
        connect(field, &QLineEdit::textChanged, this, &ServerFields::addressChanged);
    connect(this, &ServerFields::addressChanged, this, [this] {
        const auto now = address();
        m_place->setSameServer(now && *now == m_before);
    });
    for (QLineEdit* field : {m_name, m_host, m_database, m_user})
        watchForUrls(field);
    connect(m_browse, &QPushButton::clicked, this, &ServerFields::browse);
    connect(m_attach, &QPushButton::clicked, this, &ServerFields::attachRequested);
}

void ServerFields::addRows()
{
    m_environment->setToolTip(u"Its colour and this word then stand wherever something can be done to it."_s);
    m_environment->addItem(u"not marked"_s, static_cast<int>(db::Environment::Unmarked));
    for (const auto one : {db::Environment::Production, db::Environment::Test, db::Environment::Development})
        m_environment->addItem(db::environmentName(one), static_cast<int>(one));
    m_tags->setPlaceholderText(u"eu, billing"_s);
    m_tags->setToolTip(
        u"Words of your own, with commas between: the page Fleet finds and groups servers by them."_s);
    for (const Engine one : allEngines)
        m_engine->addItem(engineName(one), static_cast<int>(one));
    m_port->setRange(0, 65'535);
    m_options->setPlaceholderText(QStringLiteral("sslmode=verify-full"));
    m_attached->setToolTip(
        u"Lock tables that were there before: a name and a time column are enough. Add “local” if the time is the server's local time instead of UTC, “stale 5m” if a lock is stale after another time than %1, “holder Column”, “until Column” and “held Column=value” where it has such columns."_s
            .arg(durationText(db::AttachedTable().staleAge)));
    m_attach->setToolTip(u"Choose a table of the server and its columns"_s);
    m_localAudit->setObjectName(QStringLiteral("serverLocalAudit"));
    m_localAudit->setToolTip(
        u"Where the database has no audit table, actions are logged to a file on this computer. Without this, they are refused."_s);

    const auto addRow = [this](const QString& name, QWidget* row, QWidget* field) {
        m_form->addRow(name, row);
        qobject_cast<QLabel*>(m_form->labelForField(row))->setBuddy(field);
    };
    addRow(u"&Name"_s, sideBySide(m_name, m_environment, m_parent), m_name);
    appendRows(*m_form,
        {{u"Tag&s"_s, m_tags}, {u"En&gine"_s, m_engine}, {u"&Host"_s, m_host}, {u"Po&rt"_s, m_port}});
    m_databaseRow = sideBySide(m_database, m_browse, m_parent);
    addRow(u"&Database"_s, m_databaseRow, m_database);
    m_form->addRow(u"&User"_s, m_user);
    m_passwordRow = sideBySide(m_password, m_keep, m_parent);
    addRow(u"&Password"_s, m_passwordRow, m_password);
    m_sqlServer = new SqlServerFields(m_form, m_parent);
    m_form->addRow(u"&Options"_s, m_options);
    addRow(u"&Attached lock tables"_s, sideBySide(m_attached, m_attach, m_parent), m_attached);
    m_form->addRow(QString(), sideBySide(m_readOnly, m_localAudit, m_parent));
    for (const auto& [field, name] : {std::pair{static_cast<QWidget*>(m_name), u"Name"_s},
             std::pair{static_cast<QWidget*>(m_database), u"Database or file"_s},
             std::pair{static_cast<QWidget*>(m_password), u"Password"_s},
             std::pair{static_cast<QWidget*>(m_attached), u"Attached lock tables"_s}})
        field->setAccessibleName(name);
}

void ServerFields::fill(const db::ServerProfile& profile, bool typed)
{
    m_name->setText(profile.name);
    m_environment->setCurrentIndex(m_environment->findData(static_cast<int>(profile.environment)));
    m_tags->setText(db::tagsText(profile.tags));
    fillAddress(profile.url);
    m_before = address().value_or(profile.url);
    m_attached->setText(attachedText(profile.attached));
    m_approved = profile.approvedTables;
    m_readOnly->setChecked(profile.readOnly);
    m_localAudit->setChecked(profile.localAudit.value_or(false));
    m_saysLocalAudit = profile.localAudit.has_value();
    showEngine();
    m_place->search(profile.url.toString(), typed);
}

void ServerFields::fillAddress(const db::ServerUrl& url)
{
    m_engine->setCurrentIndex(m_engine->findData(static_cast<int>(url.engine)));
    m_host->setText(hostsText(url));
    m_port->setValue(url.moreHosts.isEmpty() ? url.port : 0);
    m_database->setText(url.database);
    m_user->setText(url.user);
    m_options->clear();
    if (isSqlServer())
        m_sqlServer->fill(db::SqlServerOptions::fromUrl(url).value_or(db::SqlServerOptions()));
    else
        m_options->setText(optionsText(url.options));
}

void ServerFields::watchForUrls(QLineEdit* field)
{
    connect(field, &QLineEdit::textChanged, this,
        [this, field, before = qsizetype(0)](const QString& text) mutable {
            const qsizetype more = text.size() - std::exchange(before, text.size());
            // A user who types one is not interrupted in the middle of it.
            if (more >= pastedLength)
                divide(*field);
        });
    connect(field, &QLineEdit::editingFinished, this, [this, field] { divide(*field); });
}

void ServerFields::divide(QLineEdit& field)
{
    const auto pasted = pastedUrl(field.text());
    if (!pasted)
        return;
    field.clear();
    fillAddress(pasted->url);
    m_password->setText(pasted->password); // that of another server is not for this one
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
    return db::Dialect::of(engine()).can(db::Capability::DriverChoice);
}

QString ServerFields::note() const
{
    if (isFile())
        return u"An SQLite file with a lock table. Give its absolute path."_s;
    return isSqlServer() ? inFieldWords(m_sqlServer->note()) : QString();
}

void ServerFields::showEngine()
{
    const bool file = isFile();
    const bool sqlServer = isSqlServer();
    m_sqlServer->setVisible(sqlServer);
    const auto show = [this](QWidget* field, bool isRequested) { m_form->setRowVisible(field, isRequested); };
    show(m_host, !file);
    show(m_port, !file);
    show(m_user, !file && (!sqlServer || m_sqlServer->needsUser()));
    show(m_passwordRow, !file && (!sqlServer || m_sqlServer->needsPassword()));
    // A file takes none; those of an older profile are there to be removed.
    show(m_options, !sqlServer && (!file || !m_options->text().isEmpty()));
    m_browse->setVisible(file);
    qobject_cast<QLabel*>(m_form->labelForField(m_databaseRow))->setText(file ? u"&File"_s : u"&Database"_s);
    const Suggestions examples = suggestionsFor(engine());
    m_name->setPlaceholderText(examples.name);
    m_host->setPlaceholderText(examples.host);
    m_port->setSpecialValueText(examples.port);
    m_database->setPlaceholderText(examples.database);
    m_user->setPlaceholderText(examples.user);
    m_attached->setPlaceholderText(examples.attached);
    Q_EMIT rowsChanged();
}

void ServerFields::browse()
{
    auto* dialog = deletedOnClose(new QFileDialog(m_parent, u"SQLite file"_s));
    dialog->setFileMode(QFileDialog::ExistingFile);
    if (!m_database->text().isEmpty())
        dialog->selectFile(m_database->text());
    connect(dialog, &QFileDialog::fileSelected, m_database,
        [this](const QString& file) { m_database->setText(QDir::cleanPath(file)); });
    dialog->open();
}

/// A URL that could not be divided: it may carry a password, so it is neither repeated nor kept.
Result<void> ServerFields::refuseUrls() const
{
    for (const auto& [field, name] : {std::pair{m_name, u"Name"_s}, std::pair{m_host, u"Host"_s},
             std::pair{m_database, isFile() ? u"File"_s : u"Database"_s}, std::pair{m_user, u"User"_s}})
        if (field->text().contains(QLatin1String("://")))
            return failure(ErrorKind::BadInput, u"%1: a URL that can't be read."_s.arg(name),
                u"Paste the URL of a SQL Server, a PostgreSQL server or an SQLite file, or fill in the fields."_s);
    // Nor is a connection string with one. A condition of attached tables may look like that, and so may the
    // path of a file, and the name that it gets by that.
    const QString path = m_database->text().trimmed();
    const bool hasPath = isFile() && QDir::isAbsolutePath(path);
    for (QLineEdit* field : m_parent->findChildren<QLineEdit*>()) {
        QString text = field->text();
        if (hasPath && field == m_database)
            text = path.section(u'?', 1);
        else if (hasPath && field == m_name && text.trimmed() == db::ServerUrl::ofFile(path).display())
            continue;
        if (field == m_password || field == m_attached || db::withoutSecrets(text) == text)
            continue;
        const auto* label = qobject_cast<QLabel*>(m_form->labelForField(field));
        return failure(ErrorKind::BadInput,
            u"%1: a password does not belong there."_s.arg(
                label ? label->text().remove(u'&') : field->accessibleName()),
            u"Type it into the field Password, and the other parts into theirs."_s);
    }
    return {};
}

/// The parser of URLs is the judge of what is possible; the words are those of the field.
Result<void> ServerFields::readHost(db::ServerUrl& url) const
{
    url.host = m_host->text().trimmed();
    url.port = m_port->value();
    if (url.host.isEmpty()) {
        const bool isLocal =
            !isSqlServer() && !(m_database->text().trimmed().isEmpty() && m_user->text().trimmed().isEmpty());
        return isLocal ? Result<void>()
                       : failure(ErrorKind::BadInput, u"Host is empty."_s,
                           u"Name the server, or paste its URL there."_s);
    }
    const Failure refused = failure(ErrorKind::BadInput,
        u"Host: “%1” is neither a name nor an address."_s.arg(url.host),
        isSqlServer()
            ? u"Write a name, an address, or host\\instance. The port has a field of its own."_s
            : u"Write a name, an address, or an absolute socket directory; several as host:port,host:port."_s);
    if (!isSqlServer() && url.host.contains(QLatin1Char(','))) {
        if (!takeHosts(url))
            return refused;
        return {};
    }
    db::ServerUrl alone;
    alone.engine = url.engine;
    alone.host = url.host;
    const auto read = db::ServerUrl::parse(alone.toString());
    if (!read || read->host != url.host)
        return refused;
    return {};
}

Result<db::ServerUrl> ServerFields::address() const
{
    if (const auto plain = refuseUrls(); !plain)
        return Failure(plain.error());
    db::ServerUrl url;
    url.engine = engine();
    url.database = m_database->text().trimmed();
    if (isFile()) {
        if (url.database.isEmpty())
            return failure(ErrorKind::BadInput, u"File is empty."_s, u"Name the file, or press Browse…"_s);
        if (QDir::isRelativePath(url.database) || url.database.endsWith(QLatin1Char('/')))
            return failure(ErrorKind::BadInput,
                u"File: “%1” is not the absolute path of a file."_s.arg(url.database),
                u"Write it from the root on, as in /var/lib/app/locks.db, or press Browse…"_s);
    } else if (const auto host = readHost(url); !host) {
        return Failure(host.error());
    }
    if (!isFile() && (!isSqlServer() || m_sqlServer->needsUser()))
        url.user = m_user->text().trimmed();
    if (isSqlServer()) {
        url.options = m_sqlServer->options().toUrlOptions();
    } else {
        auto options = optionsFromText(m_options->text());
        if (!options)
            return Failure(std::move(options.error()));
        url.options = *options;
    }
    return db::ServerUrl::parse(url.toString());
}

Result<db::ServerProfile> ServerFields::profile() const
{
    auto url = address();
    if (!url)
        return Failure(std::move(url.error()));
    auto tables = attachedFromText(m_attached->text());
    if (!tables) {
        tables.error().what = db::withoutSecrets(tables.error().what);
        return Failure(std::move(tables.error()));
    }
    db::ServerProfile result;
    result.url = *url;
    result.attached = *tables;
    // Permissions for another server don't count for this one.
    result.approvedTables = *url == m_before ? m_approved : QList<db::ApprovedTable>();
    result.readOnly = m_readOnly->isChecked();
    if (m_saysLocalAudit || m_localAudit->isChecked())
        result.localAudit = m_localAudit->isChecked();
    result.environment = static_cast<db::Environment>(m_environment->currentData().toInt());
    result.tags = db::tagsFromText(m_tags->text());
    result.name = m_name->text().trimmed();
    if (result.name.isEmpty())
        result.name = result.url.display();
    return result;
}

QString ServerFields::password() const
{
    return m_password->text();
}

bool ServerFields::keepsPassword() const
{
    return m_place->keeps();
}

void ServerFields::attach(const db::AttachedTable& table)
{
    const QString before = m_attached->text().trimmed();
    const QString more = attachedText({table});
    m_attached->setText(before.isEmpty() ? more : before + QStringLiteral("; ") + more);
}

} // namespace lockscope::ui
