// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/ConnectDialog.h"

#include "core/base/Duration.h"
#include "core/monitor/ServerCheck.h"
#include "core/sandbox/Sandbox.h"
#include "ui/dialogs/SqlServerFields.h"
#include "ui/help/Chapter.h"
#include "ui/theme/Theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QUrlQuery>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using Outcome = db::CheckStep::Outcome;

namespace {

constexpr int usualWidth = 560;

QString optionsText(const QMap<QString, QString>& options)
{
    QStringList parts;
    for (auto it = options.cbegin(); it != options.cend(); ++it)
        parts << it.key() + QLatin1Char('=') + it.value();
    return parts.join(QLatin1Char('&'));
}

/// As high as it was made, no more and no less.
class ReportArea : public QScrollArea {
public:
    using QScrollArea::QScrollArea;
    QSize sizeHint() const override { return {QScrollArea::sizeHint().width(), maximumHeight()}; }
};

QString attachedText(const QList<db::AttachedTable>& tables)
{
    QStringList parts;
    for (const db::AttachedTable& table : tables) {
        QString text = QStringLiteral("%1(%2,%3)").arg(table.display(), table.nameColumn, table.timeColumn);
        if (!table.utc)
            text += QStringLiteral(" local");
        if (table.staleAge != db::AttachedTable().staleAge)
            text += QStringLiteral(" stale ") + durationText(table.staleAge);
        parts << text;
    }
    return parts.join(QStringLiteral("; "));
}

/// "db1:5432,db2:5433"; one host's port has a field of its own.
QString hostsText(const db::ServerUrl& url)
{
    if (url.moreHosts.isEmpty())
        return url.host;
    QStringList texts;
    for (const db::ServerUrl::Host& host : url.hosts()) {
        const QString name = host.name.contains(QLatin1Char(':'))
            ? QLatin1Char('[') + host.name + QLatin1Char(']')
            : host.name;
        texts << (host.port == 0 ? name : name + QLatin1Char(':') + QString::number(host.port));
    }
    return texts.join(QLatin1Char(','));
}

/// Takes the list in `url.host` apart; those without a port get `url.port`.
Result<void> takeHosts(db::ServerUrl& url)
{
    const bool areDirectories = url.host.startsWith(QLatin1Char('/'));
    const auto parsed = db::ServerUrl::parse(
        (areDirectories ? QStringLiteral("postgresql:///?host=") : QStringLiteral("postgresql://"))
        + url.host);
    if (!parsed)
        return Failure(parsed.error());
    const int common = url.port;
    url.host = parsed->host;
    url.port = parsed->port == 0 ? common : parsed->port;
    url.moreHosts = parsed->moreHosts;
    for (db::ServerUrl::Host& host : url.moreHosts)
        host.port = host.port == 0 ? common : host.port;
    return {};
}

} // namespace

ConnectDialog::ConnectDialog(const db::ServerProfile& profile, QWidget* parent, db::KeychainPtr keychain)
    : QDialog(parent)
    , m_keychain(std::move(keychain))
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
    , m_readOnly(new QCheckBox(u"Read-only: never release or end anything from here"_s, this))
    , m_report(new QLabel)
    , m_reportArea(new ReportArea(this))
    , m_test(new QPushButton(u"Test"_s, this))
{
    setWindowTitle(profile.name.isEmpty() ? u"Connect to a server"_s : u"Server %1"_s.arg(profile.name));
    m_engine->setObjectName(QStringLiteral("engine"));
    explain(*this, QStringLiteral("connecting.md#the-dialog"));
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
    m_host->setPlaceholderText(u"name, address or socket directory"_s);
    m_password->setEchoMode(QLineEdit::Password);
    m_password->setPlaceholderText(u"unchanged; kept in the desktop keychain"_s);
    m_options->setPlaceholderText(QStringLiteral("sslmode=verify-full"));
    m_attached->setObjectName(QStringLiteral("attached"));
    m_attached->setPlaceholderText(u"schema.table(NameColumn,TimeColumn) local stale 5m; …"_s);
    m_attached->setToolTip(
        u"Lock tables that were there before: a name and a time column are enough. Add “local” if the "
        "time is the server's local time instead of UTC, and “stale 5m” if a lock is stale after another "
        "time than %1."_s.arg(durationText(db::AttachedTable().staleAge)));
    m_engineNote->setWordWrap(true);
    m_engineNote->setObjectName(QStringLiteral("engineNote"));
    m_engineNote->setForegroundRole(QPalette::PlaceholderText);
    m_report->setWordWrap(true);
    m_report->setTextFormat(Qt::RichText);
    m_report->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_report->setObjectName(QStringLiteral("testReport"));
    m_report->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_reportArea->setWidget(m_report);
    m_reportArea->setWidgetResizable(true);
    m_reportArea->setFrameShape(QFrame::NoFrame);
    m_reportArea->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_test->setObjectName(QStringLiteral("test"));

    m_form->addRow(u"Name"_s, m_name);
    m_form->addRow(u"Engine"_s, m_engine);
    m_form->addRow(u"Host"_s, m_host);
    m_form->addRow(u"Port"_s, m_port);
    m_form->addRow(u"Database"_s, m_database);
    m_form->addRow(u"User"_s, m_user);
    m_form->addRow(u"Password"_s, m_password);
    m_sqlServer = new SqlServerFields(m_form, this);
    m_form->addRow(u"Options"_s, m_options);
    m_form->addRow(u"Attached lock tables"_s, m_attached);
    m_form->addRow(QString(), m_readOnly);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    buttons->addButton(m_test, QDialogButtonBox::ActionRole);
    m_save = buttons->button(QDialogButtonBox::Save);
    m_save->setText(u"Save and open"_s);
    connect(buttons, &QDialogButtonBox::accepted, this, &ConnectDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &ConnectDialog::reject);
    connect(m_test, &QPushButton::clicked, this, &ConnectDialog::runTest);
    connect(m_engine, &QComboBox::currentIndexChanged, this, &ConnectDialog::showEngine);
    connect(m_sqlServer, &SqlServerFields::changed, this, &ConnectDialog::showEngine);
    connect(m_engine, &QComboBox::currentIndexChanged, this, &ConnectDialog::forgetTest);
    connect(m_sqlServer, &SqlServerFields::changed, this, &ConnectDialog::forgetTest);
    connect(m_port, &QSpinBox::valueChanged, this, &ConnectDialog::forgetTest);
    for (const QLineEdit* field : {m_host, m_database, m_user, m_password, m_options})
        connect(field, &QLineEdit::textChanged, this, &ConnectDialog::forgetTest);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 18, 20, 16);
    column->setSpacing(14);
    column->addLayout(m_form);
    // Not a row of the form: Qt 6.4's QFormLayout gives rows no height if one wraps its words and another was
    // hidden.
    column->addWidget(m_engineNote);
    column->addWidget(m_reportArea);
    column->addStretch(1);
    column->addWidget(buttons);
    setMinimumWidth(usualWidth);
    orderTabs(buttons);
    fill(profile);
    showEngine();
}

/// As the rows are read: SQL Server's were made after the others.
void ConnectDialog::orderTabs(QWidget* last)
{
    QWidget* before = nullptr;
    for (int row = 0; row < m_form->rowCount(); ++row) {
        QWidget* const field = m_form->itemAt(row, QFormLayout::FieldRole)->widget();
        if (before)
            setTabOrder(before, field);
        before = field;
    }
    setTabOrder(before, last);
}

/// As high as the words need at this width – labels that wrap ask for too much by themselves – but once the
/// user sees it, it only grows.
void ConnectDialog::fitHeight()
{
    constexpr int mostLines = 14;
    const int wanted = isVisible() ? width() : usualWidth;
    const QMargins margins = layout()->contentsMargins();
    const int room =
        wanted - margins.left() - margins.right() - m_reportArea->verticalScrollBar()->sizeHint().width();
    const int report = m_report->text().isEmpty() ? 0 : m_report->heightForWidth(room);
    m_reportArea->setVisible(report > 0);
    m_reportArea->setFixedHeight(std::min(report, mostLines * fontMetrics().lineSpacing()));
    m_form->invalidate();
    layout()->invalidate();
    const int needed = layout()->totalHeightForWidth(wanted);
    resize(wanted, isVisible() ? std::max(height(), needed) : needed);
}

ConnectDialog::~ConnectDialog() = default;

void ConnectDialog::fill(const db::ServerProfile& profile)
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
}

Engine ConnectDialog::engine() const
{
    return static_cast<Engine>(m_engine->currentData().toInt());
}

bool ConnectDialog::isFile() const
{
    return !db::Dialect::of(engine()).can(db::Capability::LogIn);
}

/// It has fields of its own, for what the drivers of ODBC differ in.
bool ConnectDialog::isSqlServer() const
{
    return engine() == Engine::SqlServer;
}

void ConnectDialog::showEngine()
{
    const bool file = isFile();
    const bool sqlServer = isSqlServer();
    m_sqlServer->setVisible(sqlServer);
    m_engineNote->setText(file ? u"An SQLite file with a lock table. Give its absolute path."_s
            : sqlServer        ? m_sqlServer->note()
                               : QString());
    const auto show = [this](QWidget* field, bool wanted) { m_form->setRowVisible(field, wanted); };
    m_engineNote->setVisible(!m_engineNote->text().isEmpty());
    show(m_host, !file);
    show(m_port, !file);
    show(m_user, !file && (!sqlServer || m_sqlServer->needsUser()));
    show(m_password, !file && (!sqlServer || m_sqlServer->needsPassword()));
    show(m_options, !sqlServer);
    m_host->setPlaceholderText(
        sqlServer ? u"name, address, or host\\instance"_s : u"name, address or socket directory"_s);
    qobject_cast<QLabel*>(m_form->labelForField(m_database))->setText(file ? u"File"_s : u"Database"_s);
    fitHeight();
}

Result<QList<db::AttachedTable>> ConnectDialog::attachedTables() const
{
    static const QRegularExpression form(QStringLiteral(
        "^(?:([^.()]+)\\.)?([^.()]+)\\(([^,()]+),([^,()]+)\\)(\\s+local)?(?:\\s+stale\\s+(\\S+))?$"));
    QList<db::AttachedTable> tables;
    for (const QString& part : m_attached->text().split(QLatin1Char(';'), Qt::SkipEmptyParts)) {
        const auto match = form.match(part.trimmed());
        if (!match.hasMatch()) {
            return failure(ErrorKind::BadInput, u"“%1” does not name a lock table."_s.arg(part.trimmed()),
                u"Write it as schema.table(NameColumn,TimeColumn), then “local” and “stale 5m” as "
                "needed."_s);
        }
        db::AttachedTable table;
        table.schema = match.captured(1).trimmed();
        table.table = match.captured(2).trimmed();
        table.nameColumn = match.captured(3).trimmed();
        table.timeColumn = match.captured(4).trimmed();
        table.utc = match.captured(5).isEmpty();
        if (match.hasCaptured(6)) {
            const auto age = parseDuration(match.capturedView(6));
            if (!age || age->count() == 0) {
                return failure(ErrorKind::BadInput,
                    u"“%1” is not a time after which a lock is stale."_s.arg(match.captured(6)),
                    u"Write it as 90s, 5m or 1h30m."_s);
            }
            table.staleAge = *age;
        }
        tables.append(table);
    }
    return tables;
}

Result<db::ServerProfile> ConnectDialog::profile() const
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
    if (isSqlServer()) {
        result.url.options = m_sqlServer->options().toUrlOptions();
    } else {
        const QUrlQuery query(m_options->text().trimmed());
        for (const auto& [key, value] : query.queryItems(QUrl::FullyDecoded))
            result.url.options.insert(key.toLower(), value);
    }
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
    return m_password->text().isEmpty() ? db::defaultPasswords(m_keychain)
                                        : db::fixedPassword(m_password->text());
}

QString ConnectDialog::newPassword() const
{
    return m_password->text();
}

QString ConnectDialog::testReport() const
{
    return m_report->text();
}

void ConnectDialog::accept()
{
    const auto checked = profile();
    if (!checked) {
        m_worker.cancel();
        m_steps.clear();
        showStep(++m_generation, checked.error().toString(), Outcome::Failed);
        finishTest(m_generation, false);
        return;
    }
    QDialog::accept();
}

void ConnectDialog::runTest()
{
    m_worker.cancel();
    const int generation = ++m_generation;
    if (m_testing) {
        showStep(generation, u"Stopped."_s, Outcome::Failed);
        finishTest(generation, false);
        return;
    }
    m_steps.clear();
    m_report->clear();
    const auto checked = profile();
    if (!checked) {
        showStep(generation, checked.error().toString(), Outcome::Failed);
        finishTest(generation, false);
        return;
    }
    m_testing = true;
    m_test->setText(u"Stop"_s);
    m_worker.ask(
        this,
        [dialog = QPointer(this), generation, server = db::Server{*checked, passwords(), sandbox::resolve}](
            const std::stop_token& stop) {
            const auto show = [&](const db::CheckStep& step) {
                QString text = u"%1: %2"_s.arg(step.name, step.finding);
                if (!step.remedy.isEmpty())
                    text += QStringLiteral(" → ") + step.remedy;
                postTo(dialog, [generation, text, outcome = step.outcome](ConnectDialog& to) {
                    to.showStep(generation, text, outcome);
                });
            };
            return monitor::checkServer(server, show, stop);
        },
        [this, generation](bool good) { finishTest(generation, good); });
}

/// What was found out with other words says nothing about these.
void ConnectDialog::forgetTest()
{
    m_worker.cancel();
    ++m_generation;
    m_testing = false;
    m_test->setText(u"Test"_s);
    m_steps.clear();
    m_report->clear();
    fitHeight();
}

void ConnectDialog::showStep(int generation, const QString& text, Outcome outcome)
{
    if (generation != m_generation)
        return;
    const ThemeColors& colors = theme::colors(palette());
    const auto [sign, color] = outcome == Outcome::Good ? std::pair(QStringLiteral("✓"), colors.ok)
        : outcome == Outcome::Note                      ? std::pair(QStringLiteral("!"), colors.amber)
                                                        : std::pair(QStringLiteral("✗"), colors.red);
    m_steps << QStringLiteral("<b style='color:%1'>%2</b> %3").arg(color.name(), sign, text.toHtmlEscaped());
    m_report->setText(m_steps.join(QStringLiteral("<br>")));
    fitHeight();
}

void ConnectDialog::finishTest(int generation, bool good)
{
    if (generation != m_generation)
        return;
    m_testing = false;
    m_test->setText(u"Test"_s);
    Q_EMIT testFinished(good);
}

} // namespace lockscope::ui
