// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/connect/SqlServerFields.h"

#include "ui/kit/widgets/WidgetParts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QSignalBlocker>

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
    switch (options.encryption) {
    case db::Encryption::No:
        return Protection::None;
    case db::Encryption::Strict:
        return Protection::Strict;
    case db::Encryption::Yes:
        break;
    }
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
        [this](const auto& found) { showDrivers(found.first, found.second); });
}

void SqlServerFields::showDrivers(const QList<db::OdbcDriver>& drivers, const QList<db::OdbcSource>& sources)
{
    const db::SqlServerOptions kept = options();
    m_drivers = drivers;
    m_sources = sources;
    m_known = true;
    selectDriver(kept);
    showRows();
    Q_EMIT changed();
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

} // namespace lockscope::ui
