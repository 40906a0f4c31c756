// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/ConnectDialog.h"

#include "core/db/Connection.h"
#include "core/db/HandOver.h"
#include "core/monitor/SnapshotSource.h"
#include "core/sandbox/Sandbox.h"
#include "ui/theme/Theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QSpinBox>
#include <QThreadPool>
#include <QUrlQuery>
#include <QVBoxLayout>

namespace lockscope::ui {

namespace {

QString optionsText(const QMap<QString, QString>& options)
{
    QStringList parts;
    for (auto it = options.cbegin(); it != options.cend(); ++it)
        parts << it.key() + QLatin1Char('=') + it.value();
    return parts.join(QLatin1Char('&'));
}

QString attachedText(const QList<db::AttachedTable>& tables)
{
    QStringList parts;
    for (const db::AttachedTable& table : tables) {
        QString text = QStringLiteral("%1(%2,%3)").arg(table.display(), table.nameColumn, table.timeColumn);
        if (!table.utc)
            text += QStringLiteral(" local");
        parts << text;
    }
    return parts.join(QStringLiteral("; "));
}

/// What the test does, step by step, on a thread of the pool.
class ConnectionTest {
public:
    using Step = std::function<void(const QString& text, bool good)>;

    static bool run(db::ServerProfile profile, db::PasswordProvider passwords, const Step& step)
    {
        auto resolved = sandbox::resolve(profile.url);
        if (!resolved)
            return failed(step, ConnectDialog::tr("Start the sandbox"), resolved.error());
        if (profile.url.sandbox)
            passwords = db::fixedPassword(resolved->password);
        profile.url = resolved->url;
        db::ConnectOptions options;
        options.purpose = db::Purpose::Monitor;
        options.statementTimeout = milliseconds(5'000);
        auto connection = db::Connection::open(profile.url, passwords, options);
        if (!connection) {
            return failed(step,
                connection.error().kind == ErrorKind::Login ? ConnectDialog::tr("Log in")
                                                            : ConnectDialog::tr("Reach the server"),
                connection.error());
        }
        step(ConnectDialog::tr("Connected: %1").arg((*connection)->serverVersion()), true);
        auto snapshot = monitor::makeSnapshotSource(profile, passwords)->take();
        if (!snapshot)
            return failed(step, ConnectDialog::tr("Read the locks"), snapshot.error());
        step(ConnectDialog::tr("Read %1 sessions and %2 locks in %3 ms")
                 .arg((*snapshot)->sessions.size())
                 .arg((*snapshot)->requests.size() + (*snapshot)->entries.size())
                 .arg(static_cast<double>((*snapshot)->cost.roundTrip.count()) / 1e3, 0, 'f', 1),
            true);
        for (const Limitation& limitation : (*snapshot)->limitations)
            step(limitation.what + QLatin1Char(' ') + limitation.remedy, true);
        return true;
    }

private:
    static bool failed(const Step& step, const QString& name, const Error& error)
    {
        step(ConnectDialog::tr("%1: %2").arg(name, error.toString()), false);
        return false;
    }
};

} // namespace

ConnectDialog::ConnectDialog(const db::ServerProfile& profile, QWidget* parent)
    : QDialog(parent)
    , m_form(new QFormLayout)
    , m_name(new QLineEdit(this))
    , m_engine(new QComboBox(this))
    , m_engineNote(new QLabel(this))
    , m_host(new QLineEdit(this))
    , m_port(new QSpinBox(this))
    , m_database(new QLineEdit(this))
    , m_user(new QLineEdit(this))
    , m_password(new QLineEdit(this))
    , m_options(new QLineEdit(this))
    , m_attached(new QLineEdit(this))
    , m_readOnly(new QCheckBox(tr("Read-only: never release or end anything from here"), this))
    , m_report(new QLabel(this))
    , m_test(new QPushButton(tr("Test"), this))
{
    setWindowTitle(profile.name.isEmpty() ? tr("Connect to a server") : tr("Server %1").arg(profile.name));
    m_engine->setObjectName(QStringLiteral("engine"));
    for (const Engine one : {Engine::Postgres, Engine::Sqlite, Engine::SqlServer})
        m_engine->addItem(engineName(one), static_cast<int>(one));
    m_port->setRange(0, 65'535);
    m_port->setSpecialValueText(tr("default"));
    m_host->setObjectName(QStringLiteral("host"));
    m_port->setObjectName(QStringLiteral("port"));
    m_database->setObjectName(QStringLiteral("database"));
    m_password->setObjectName(QStringLiteral("password"));
    m_user->setObjectName(QStringLiteral("user"));
    m_name->setPlaceholderText(tr("as shown in the list, e.g. prod-sql01"));
    m_host->setPlaceholderText(tr("name, address or socket directory"));
    m_password->setEchoMode(QLineEdit::Password);
    m_password->setPlaceholderText(tr("unchanged; kept in the desktop keychain"));
    m_options->setPlaceholderText(QStringLiteral("sslmode=verify-full"));
    m_attached->setPlaceholderText(tr("schema.table(NameColumn,TimeColumn) local; …"));
    m_attached->setToolTip(
        tr("Lock tables that were there before: a name and a time column are enough. Add “local” if the "
           "time is the server's local time instead of UTC."));
    m_engineNote->setWordWrap(true);
    m_engineNote->setForegroundRole(QPalette::PlaceholderText);
    m_report->setWordWrap(true);
    m_report->setTextFormat(Qt::RichText);
    m_report->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_report->setObjectName(QStringLiteral("testReport"));
    m_test->setObjectName(QStringLiteral("test"));

    m_form->addRow(tr("Name"), m_name);
    m_form->addRow(tr("Engine"), m_engine);
    m_form->addRow(QString(), m_engineNote);
    m_form->addRow(tr("Host"), m_host);
    m_form->addRow(tr("Port"), m_port);
    m_form->addRow(tr("Database"), m_database);
    m_form->addRow(tr("User"), m_user);
    m_form->addRow(tr("Password"), m_password);
    m_form->addRow(tr("Options"), m_options);
    m_form->addRow(tr("Attached lock tables"), m_attached);
    m_form->addRow(QString(), m_readOnly);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    buttons->addButton(m_test, QDialogButtonBox::ActionRole);
    m_save = buttons->button(QDialogButtonBox::Save);
    m_save->setText(tr("Save and open"));
    connect(buttons, &QDialogButtonBox::accepted, this, &ConnectDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &ConnectDialog::reject);
    connect(m_test, &QPushButton::clicked, this, &ConnectDialog::runTest);
    connect(m_engine, &QComboBox::currentIndexChanged, this, &ConnectDialog::showEngine);

    auto* column = new QVBoxLayout(this);
    column->addLayout(m_form);
    column->addWidget(m_report);
    column->addStretch(1);
    column->addWidget(buttons);
    setMinimumWidth(520);
    fill(profile);
    showEngine();
}

void ConnectDialog::fill(const db::ServerProfile& profile)
{
    m_name->setText(profile.name);
    m_engine->setCurrentIndex(m_engine->findData(static_cast<int>(profile.url.engine)));
    m_host->setText(profile.url.host);
    m_port->setValue(profile.url.port);
    m_database->setText(profile.url.database);
    m_user->setText(profile.url.user);
    m_options->setText(optionsText(profile.url.options));
    m_attached->setText(attachedText(profile.attached));
    m_readOnly->setChecked(profile.readOnly);
}

Engine ConnectDialog::engine() const
{
    return static_cast<Engine>(m_engine->currentData().toInt());
}

void ConnectDialog::showEngine()
{
    const bool file = engine() == Engine::Sqlite;
    const bool coming = engine() == Engine::SqlServer;
    m_engineNote->setText(coming
            ? tr("%1 is coming: this version reads PostgreSQL and SQLite.").arg(engineName(engine()))
            : file ? tr("An SQLite file with a lock table. Give its absolute path.")
                   : QString());
    m_engineNote->setVisible(!m_engineNote->text().isEmpty());
    for (QWidget* field : std::initializer_list<QWidget*>{m_host, m_port, m_user, m_password}) {
        field->setVisible(!file);
        m_form->labelForField(field)->setVisible(!file);
    }
    qobject_cast<QLabel*>(m_form->labelForField(m_database))->setText(file ? tr("File") : tr("Database"));
    m_test->setEnabled(!coming);
    m_save->setEnabled(!coming);
}

Result<QList<db::AttachedTable>> ConnectDialog::attachedTables() const
{
    static const QRegularExpression form(
        QStringLiteral("^(?:([^.()]+)\\.)?([^.()]+)\\(([^,()]+),([^,()]+)\\)(\\s+local)?$"));
    QList<db::AttachedTable> tables;
    for (const QString& part : m_attached->text().split(QLatin1Char(';'), Qt::SkipEmptyParts)) {
        const auto match = form.match(part.trimmed());
        if (!match.hasMatch()) {
            return failure(ErrorKind::BadInput, tr("“%1” does not name a lock table.").arg(part.trimmed()),
                tr("Write it as schema.table(NameColumn,TimeColumn)."));
        }
        db::AttachedTable table;
        table.schema = match.captured(1).trimmed();
        table.table = match.captured(2).trimmed();
        table.nameColumn = match.captured(3).trimmed();
        table.timeColumn = match.captured(4).trimmed();
        table.utc = match.captured(5).isEmpty();
        tables.append(table);
    }
    return tables;
}

Result<db::ServerProfile> ConnectDialog::profile() const
{
    db::ServerProfile result;
    result.url.engine = engine();
    result.url.database = m_database->text().trimmed();
    if (engine() != Engine::Sqlite) {
        result.url.host = m_host->text().trimmed();
        result.url.port = m_port->value();
        result.url.user = m_user->text().trimmed();
    }
    const QUrlQuery query(m_options->text().trimmed());
    for (const auto& [key, value] : query.queryItems(QUrl::FullyDecoded))
        result.url.options.insert(key.toLower(), value);
    // The parser of URLs is the judge of what is possible.
    auto checked = db::ServerUrl::parse(result.url.toString());
    if (!checked)
        return Failure(std::move(checked.error()));
    result.url = *checked;
    auto tables = attachedTables();
    if (!tables)
        return Failure(std::move(tables.error()));
    result.attached = *tables;
    result.readOnly = m_readOnly->isChecked();
    result.name = m_name->text().trimmed();
    if (result.name.isEmpty())
        result.name = result.url.display();
    return result;
}

db::PasswordProvider ConnectDialog::passwords() const
{
    return m_password->text().isEmpty() ? db::defaultPasswords() : db::fixedPassword(m_password->text());
}

QString ConnectDialog::testReport() const
{
    return m_report->text();
}

void ConnectDialog::accept()
{
    const auto checked = profile();
    if (!checked) {
        ++m_generation;
        m_steps.clear();
        showStep(m_generation, checked.error().toString(), false);
        return;
    }
    if (!m_password->text().isEmpty()) {
        // The keychain may ask its owner first: not on this thread.
        QThreadPool::globalInstance()->start([url = checked->url.toString(), password = m_password->text()] {
            if (const auto stored = db::storePassword(url, password); !stored)
                qWarning("%s", qUtf8Printable(stored.error().toString()));
        });
    }
    QDialog::accept();
}

void ConnectDialog::runTest()
{
    const int generation = ++m_generation;
    m_steps.clear();
    m_report->clear();
    const auto checked = profile();
    if (!checked) {
        showStep(generation, checked.error().toString(), false);
        finishTest(generation, false);
        return;
    }
    m_test->setEnabled(false);
    m_test->setText(tr("Testing…"));
    QThreadPool::globalInstance()->start([dialog = QPointer(this), app = QCoreApplication::instance(),
                                             generation, checked = *checked, passwords = passwords()] {
        const auto step = [&](const QString& text, bool good) {
            db::postTo(app, [dialog, generation, text, good] {
                if (dialog)
                    dialog->showStep(generation, text, good);
            });
        };
        const bool good = ConnectionTest::run(checked, passwords, step);
        db::postTo(app, [dialog, generation, good] {
            if (dialog)
                dialog->finishTest(generation, good);
        });
    });
}

void ConnectDialog::showStep(int generation, const QString& text, bool good)
{
    if (generation != m_generation)
        return;
    const ThemeColors& colors = theme::colors(palette());
    m_steps << QStringLiteral("<span style='color:%1'>%2</span> %3")
                   .arg((good ? colors.ok : colors.red).name(),
                       good ? QStringLiteral("✓") : QStringLiteral("✗"), text.toHtmlEscaped());
    m_report->setText(m_steps.join(QStringLiteral("<br>")));
}

void ConnectDialog::finishTest(int generation, bool good)
{
    if (generation != m_generation)
        return;
    m_test->setEnabled(true);
    m_test->setText(tr("Test"));
    Q_EMIT testFinished(good);
}

} // namespace lockscope::ui
