// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/incidents/ItemDialog.h"

#include "core/alert/channels/Channel.h"
#include "core/base/EnumTable.h"
#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/watch/IncidentStore.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

void ChannelTester::send(const alert::ChannelSettings& settings, const QString& secret)
{
    if (m_isSending)
        return;
    m_isSending = true;
    Q_EMIT started();
    m_worker.ask(
        this,
        [settings, secret](const std::stop_token& stop) -> Result<alert::ChannelTest> {
            if (!secret.isEmpty())
                if (const auto written = alert::writeSecret(settings.secret, secret); !written)
                    return Failure(written.error());
            return alert::testChannel(settings, watch::ownAccountText(), stop);
        },
        [this](const Result<alert::ChannelTest>& sent) {
            m_isSending = false;
            Q_EMIT finished(sent.has_value(),
                sent ? sent->toString()
                     : sentences({u"It has not arrived, and is not sent again"_s, sent.error().toString()}));
        });
}

void ChannelTester::writeSecret(
    const QString& reference, const QString& secret, const std::function<void(const Result<void>&)>& show)
{
    m_worker.ask(
        this, [reference, secret](const std::stop_token&) { return alert::writeSecret(reference, secret); },
        show);
}

using alert::ChannelSettings;
using Kind = ChannelSettings::Kind;
using Form = ChannelSettings::Form;

namespace {

enum SecretPlace { NoSecret, InVariable, InFile };
enum MailWay { BySmtp, BySendmail };

/// "/usr/local/bin/tell 'with one argument'", as QProcess::splitCommand() reads it back.
QString commandText(const QStringList& command)
{
    QStringList words;
    for (QString word : command) {
        if (word.isEmpty() || word.contains(u' ') || word.contains(u'"'))
            word = u'"' + word.replace(u'"', u"\"\"\""_s) + u'"';
        words << word;
    }
    return words.join(u' ');
}

QComboBox* choice(
    const char* name, const QString& title, const QStringList& items, int chosen, QWidget* parent)
{
    auto* box = named(name, title, new QComboBox(parent));
    box->addItems(items);
    box->setCurrentIndex(chosen);
    return box;
}

QString addressExample(Form form)
{
    static constexpr EnumTable<Form> examples({u"https://hooks.example.net/lockscope",
        u"https://hooks.example.net/lockscope", u"empty: the secret is the address",
        u"empty: the secret is the address", u"empty: events.pagerduty.com"});
    return examples[form].toString();
}

/// Says what such a channel uses its secret for.
QString secretMeaning(const ChannelSettings& channel)
{
    if (channel.kind == Kind::Mail)
        return u"The password of the user at the mail server."_s;
    if (channel.form == Form::PagerDuty)
        return u"The routing key of the service."_s;
    if (channel.url.isEmpty())
        return u"Without an address above, the secret is the address: those of Slack and Teams are secret."_s;
    return u"It is sent as a bearer token."_s;
}

} // namespace

ChannelDialog::ChannelDialog(
    const std::optional<ChannelSettings>& channel, const QStringList& rules, QWidget* parent)
    : ItemDialog(u"channel"_s, channel ? u"Channel “%1”"_s.arg(channel->name) : u"New channel"_s,
        u"incidents.md#notifications"_s, parent)
    , m_before(channel)
    , m_form(new QFormLayout)
    , m_statements(named("channelStatements",
          new QCheckBox(u"Texts of s&tatements are sent, too: they leave this machine"_s, this)))
    , m_resolved(
          named("channelResolved", new QCheckBox(u"It is sent, too, that an incident is &over"_s, this)))
    , m_test(named("testChannel", pushButton(u"Send a &test"_s, this)))
    , m_testAnswer(faint(sentenceLabel("testAnswer", this)))
    , m_tester(new ChannelTester(this))
{
    addKind();
    m_name->setReadOnly(!rules.isEmpty());
    m_name->setToolTip(rules.isEmpty()
            ? QString()
            : inLines(u"The rule “%1” sends to it by this name."_s.arg(rules.first())));
    addPlace();
    addSecret();
    m_statements->setChecked(m_before && m_before->sendsStatements);
    m_resolved->setChecked(!m_before || m_before->sendsResolved);
    m_severity = choice("channelSeverity", u"Sent from"_s, {u"warning"_s, u"critical"_s},
        m_before ? int(m_before->minSeverity) : 0, this);
    appendRows(*m_form, {{u"Sent fro&m:"_s, m_severity}, {{}, m_statements}, {{}, m_resolved}});
    QVBoxLayout* column = dialogColumn(*this);
    column->addLayout(m_form);
    addTest(*column);
    for (const QComboBox* box : findChildren<QComboBox*>())
        connect(box, &QComboBox::currentIndexChanged, this, &ChannelDialog::check);
    for (const QCheckBox* box : findChildren<QCheckBox*>())
        connect(box, &QCheckBox::toggled, this, &ChannelDialog::check);
    finish(*column);
}

void ChannelDialog::addKind()
{
    const ChannelSettings channel = m_before.value_or(ChannelSettings());
    m_name =
        addLine(*m_form, u"&Name:"_s, "channelName", channel.name, u"a name that no other channel has"_s);
    m_kind = choice("channelKind", u"Kind"_s, {u"Webhook"_s, u"Mail"_s, u"Program"_s, u"systemd journal"_s},
        int(channel.kind), this);
    m_formOfBody = choice("channelForm", u"Form"_s,
        {u"Lockscope's own JSON"_s, u"Alertmanager (API v2)"_s, u"Slack"_s, u"Teams (adaptive card)"_s,
            u"PagerDuty (Events v2)"_s},
        int(channel.form), this);
    m_mailWay = choice("mailWay", u"Sent by"_s, {u"an SMTP server"_s, u"the local sendmail"_s},
        channel.kind == Kind::Mail && channel.url.isEmpty() ? BySendmail : BySmtp, this);
    appendRows(*m_form, {{u"&Kind:"_s, m_kind}, {u"&Form:"_s, m_formOfBody}, {u"Sent &by:"_s, m_mailWay}});
}

void ChannelDialog::addPlace()
{
    const ChannelSettings channel = m_before.value_or(ChannelSettings());
    m_url = addLine(*m_form, u"&Address:"_s, "channelUrl", channel.url, {});
    m_from = addLine(*m_form, u"F&rom:"_s, "channelFrom", channel.from, u"lockscope@example.net"_s);
    m_to = addLine(
        *m_form, u"T&o:"_s, "channelTo", channel.to.join(u", "_s), u"dba@example.net; several by commas"_s);
    m_command = addLine(*m_form, u"&Command:"_s, "channelCommand", commandText(channel.command),
        u"/usr/local/bin/tell --team dba"_s);
    m_command->setToolTip(u"It gets the notice as JSON on its standard input. No shell is started."_s);
    m_user =
        addLine(*m_form, u"&User:"_s, "channelUser", channel.user, u"none: the server asks for no login"_s);
}

void ChannelDialog::addSecret()
{
    const QString secret = m_before ? m_before->secret : QString();
    m_secretPlace = choice("secretPlace", u"Place of the secret"_s,
        {u"none"_s, u"in a variable of the environment"_s, u"in a file"_s},
        secret.isEmpty()                   ? NoSecret
            : secret.startsWith(u"env:"_s) ? InVariable
                                           : InFile,
        this);
    m_form->addRow(u"S&ecret:"_s, m_secretPlace);
    m_secret = addLine(*m_form, u"&Place:"_s, "channelSecret", secret.section(u':', 1), {});
    m_newSecret = addLine(*m_form, u"Ne&w secret:"_s, "newSecret", {}, u"empty: the file is as it is"_s);
    m_newSecret->setEchoMode(QLineEdit::Password);
    m_newSecret->setToolTip(
        u"It is written into the file when you save or send a test; only this account can read that."_s);
    connect(m_secretPlace, &QComboBox::activated, this, [this](int place) {
        if (place == InFile && m_secret->text().isEmpty()) {
            static const QRegularExpression unfit(u"[^A-Za-z0-9_-]+"_s);
            const QString name = m_name->text().trimmed().replace(unfit, u"-"_s);
            m_secret->setText(QFileInfo(alert::ruleFilePath()).path() + u'/'
                + (name.isEmpty() ? u"channel"_s : name) + u".secret"_s);
        }
    });
}

void ChannelDialog::addTest(QBoxLayout& column)
{
    m_testAnswer->setText(u"A test is sent at once, as the form stands, and never a second time."_s);
    QHBoxLayout* line = rowOf({{m_test, 0, Qt::AlignTop}, {m_testAnswer, 1}});
    column.addLayout(line);
    connect(m_test, &QPushButton::clicked, this, [this] {
        if (m_tester->isSending())
            return m_tester->stop();
        if (const auto made = channel())
            m_tester->send(*made, keepsSecretInFile() ? m_newSecret->text() : QString());
    });
    connect(m_tester, &ChannelTester::started, this, [this] {
        m_test->setText(u"S&top"_s);
        showTest(u"Sending…"_s, palette().color(QPalette::WindowText));
    });
    connect(m_tester, &ChannelTester::finished, this, [this](bool hasArrived, const QString& text) {
        m_test->setText(u"Send a &test"_s);
        showTest(text, hasArrived ? theme::colors().ok : theme::colors().red);
        check();
    });
    m_test->setMinimumWidth(m_test->sizeHint().width()); // “Stop” is shorter
}

void ChannelDialog::showTest(const QString& text, const QColor& ink)
{
    m_testAnswer->setText(inLines(text));
    m_testAnswer->setForegroundRole(QPalette::WindowText);
    theme::setInk(m_testAnswer, ink);
}

/// Only the fields that such a channel has.
void ChannelDialog::showFields()
{
    const auto kind = Kind(m_kind->currentIndex());
    const bool isWebhook = kind == Kind::Webhook;
    const bool isMail = kind == Kind::Mail;
    const bool isSmtp = isMail && m_mailWay->currentIndex() == BySmtp;
    const bool hasSecret = isWebhook || (isSmtp && !m_user->text().trimmed().isEmpty());
    const int place = m_secretPlace->currentIndex();
    const std::pair<QWidget*, bool> rows[] = {{m_formOfBody, isWebhook}, {m_mailWay, isMail},
        {m_url, isWebhook || isSmtp}, {m_from, isMail}, {m_to, isMail}, {m_command, kind == Kind::Program},
        {m_user, isSmtp}, {m_secretPlace, hasSecret}, {m_secret, hasSecret && place != NoSecret},
        {m_newSecret, hasSecret && place == InFile}};
    for (const auto& [field, isShown] : rows)
        m_form->setRowVisible(field, isShown);
    const auto form = Form(m_formOfBody->currentIndex());
    m_url->setPlaceholderText(isMail ? u"smtp://mail.example.net:587"_s : addressExample(form));
    m_secret->setPlaceholderText(
        place == InVariable ? u"LOCKSCOPE_SECRET"_s : u"/home/ann/.config/lockscope/team.secret"_s);
    ChannelSettings settings;
    settings.kind = kind;
    settings.form = form;
    settings.url = m_url->text().trimmed();
    m_secretPlace->setToolTip(secretMeaning(settings));
}

QString ChannelDialog::secretReference() const
{
    const int place = m_secretPlace->currentIndex();
    const QString text = m_secret->text().trimmed();
    return place == NoSecret ? QString() : (place == InVariable ? u"env:"_s : u"file:"_s) + text;
}

bool ChannelDialog::keepsSecretInFile() const
{
    return m_form->isRowVisible(m_newSecret) && !m_newSecret->text().isEmpty();
}

Result<ChannelSettings> ChannelDialog::channel() const
{
    ChannelSettings made;
    made.name = m_name->text().trimmed();
    if (made.name.isEmpty())
        return failure(ErrorKind::BadInput, u"A channel needs a name."_s);
    made.kind = Kind(m_kind->currentIndex());
    made.minSeverity = alert::Severity(m_severity->currentIndex());
    made.sendsStatements = m_statements->isChecked();
    made.sendsResolved = m_resolved->isChecked();
    const auto textIn = [this](QLineEdit* line) {
        return m_form->isRowVisible(line) ? line->text().trimmed() : QString();
    };
    if (made.kind == Kind::Webhook)
        made.form = Form(m_formOfBody->currentIndex());
    made.url = textIn(m_url);
    made.user = textIn(m_user);
    made.from = textIn(m_from);
    made.to = made.kind == Kind::Mail ? namesIn(*m_to) : QStringList();
    // What the line can't say, such as an empty argument, stays as long as nothing is changed there.
    if (made.kind == Kind::Program)
        made.command = m_before && m_command->text() == commandText(m_before->command)
            ? m_before->command
            : QProcess::splitCommand(m_command->text());
    if (m_form->isRowVisible(m_secretPlace))
        made.secret = secretReference();
    if (const auto usable = alert::Channel::make(made); !usable)
        return Failure(usable.error());
    return made;
}

Result<alert::RuleFileChange> ChannelDialog::change() const
{
    return changeTo(channel(), m_before);
}

void ChannelDialog::check()
{
    showFields();
    const auto made = channel();
    showCheck(made ? std::nullopt : std::optional(made.error()),
        made && (!m_before || *made != *m_before || keepsSecretInFile()));
    m_test->setEnabled(made || m_tester->isSending());
    m_test->setToolTip(made ? QString() : u"First the form must be right."_s);
}

void ChannelDialog::save()
{
    if (!keepsSecretInFile())
        return ItemDialog::save();
    m_tester->writeSecret(secretReference(), m_newSecret->text(), [this](const Result<void>& written) {
        if (written)
            ItemDialog::save();
        else
            takeAnswer(written);
    });
}

} // namespace lockscope::ui
