// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/acts/ActRunner.h"

#include "core/admin/ByHand.h"
#include "core/admin/ServerAdminClient.h"
#include "core/base/PlainFile.h"
#include "core/base/Sentences.h"
#include "core/domain/Engine.h"
#include "core/domain/FrameworkText.h"
#include "core/watch/ServerWatch.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QTimer>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using db::Capability;
using locks::AcquireMode;
using locks::LockKind;

namespace {

template <class Value> struct LockChoice {
    Value value;
    QString text;
    Capability needed;
};

template <class Value>
void addLockChoices(
    QComboBox& box, const db::Dialect& dialect, std::initializer_list<LockChoice<Value>> choices)
{
    for (const LockChoice<Value>& choice : choices)
        if (dialect.can(choice.needed))
            box.addItem(choice.text, static_cast<int>(choice.value));
}

constexpr std::chrono::milliseconds followEvery{1'000};

template <class... Handlers> struct Overloaded : Handlers... {
    using Handlers::operator()...;
};
template <class... Handlers> Overloaded(Handlers...) -> Overloaded<Handlers...>;

/// Returns a call of a function of the administration that acts on `subject`.
template <class Subject>
auto callOf(Result<admin::Done> (admin::ServerAdmin::*act)(const Subject&, const QString& reason),
    const Subject& subject)
{
    return
        [act, subject](admin::ServerAdmin& admin, const QString& why) { return (admin.*act)(subject, why); };
}

/// Returns the rights on those of whom one may not be acted on; else on the last.
Result<admin::ActRights> rightsOnAll(admin::ServerAdmin& admin, const QList<Session>& sessions)
{
    Result<admin::ActRights> rights = admin.rights(&sessions.first());
    for (qsizetype i = 1; i < sessions.size() && rights && rights->mayAct != false; ++i)
        rights = admin.rights(&sessions[i]);
    return rights;
}

} // namespace

AcquireDialog::AcquireDialog(const QString& name, Engine engine, QWidget* parent)
    : QDialog(parent)
    , m_name(new QLineEdit(name, this))
    , m_kind(named("lockKind", new QComboBox(this)))
    , m_mode(named("lockMode", new QComboBox(this)))
    , m_owner(named("lockOwner", new QComboBox(this)))
    , m_wait(new QCheckBox(u"&Wait in the queue if somebody else has it"_s, this))
    , m_complaint(wrapped(new QLabel(this)))
    , m_form(new QFormLayout)
{
    setWindowTitle(u"Acquire a lock"_s);
    explain(*this, QStringLiteral("lock-table.md#acquire"));
    setMinimumWidth(460);
    offer(engine);
    m_wait->setChecked(true);
    QLabel* hint = faint(wrapped(new QLabel(
        u"This window holds the lock until you release it below the lock table, or close the window. Programs that request the same name wait for you."_s,
        this)));
    QDialogButtonBox* buttons = cancelButtons(*this);
    m_acquire = buttons->addButton(u"Acquire"_s, QDialogButtonBox::AcceptRole);
    appendRows(*m_form,
        {{u"&Name:"_s, m_name}, {u"&Kind:"_s, m_kind}, {u"&Mode:"_s, m_mode}, {u"&Belongs to:"_s, m_owner},
            {{}, m_wait}});
    m_form->addRow(hint);
    m_form->addRow(m_complaint);
    addAll(*dialogColumn(*this), {m_form, stretch(1), buttons});
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        Q_EMIT lockRequested(lock());
        accept();
    });
    connect(m_name, &QLineEdit::textChanged, this, &AcquireDialog::updateButton);
    connect(m_kind, &QComboBox::currentIndexChanged, this, &AcquireDialog::showWhatMatters);
    showWhatMatters();
    updateButton();
}

/// Offers the kinds of lock that the engine has; the first of each is the usual one.
void AcquireDialog::offer(Engine engine)
{
    const db::Dialect& dialect = db::Dialect::of(engine);
    addLockChoices<LockKind>(*m_kind, dialect,
        {{LockKind::Table, u"Lock table: a row, outlives a lost connection"_s, Capability::LockTables},
            {LockKind::Application, u"Application lock: ends with the connection"_s,
                Capability::ApplicationLocks},
            {LockKind::LockedTable, u"Locked table: belongs to a transaction"_s, Capability::SurrogateLocks},
            {LockKind::LockedKey, u"Locked key: belongs to a transaction"_s, Capability::SurrogateLocks}});
    addLockChoices<AcquireMode>(*m_mode, dialect,
        {{AcquireMode::Exclusive, u"exclusive"_s, Capability::ApplicationLocks},
            {AcquireMode::Shared, u"shared"_s, Capability::SharedApplicationLocks},
            {AcquireMode::Update, u"update"_s, Capability::UpdateAndIntentModes},
            {AcquireMode::IntentShared, u"intent shared"_s, Capability::UpdateAndIntentModes},
            {AcquireMode::IntentExclusive, u"intent exclusive"_s, Capability::UpdateAndIntentModes}});
    addLockChoices<LockOwner>(*m_owner, dialect,
        {{LockOwner::Session, u"the session"_s, Capability::SessionLocks},
            {LockOwner::Transaction, u"a transaction"_s, Capability::TransactionOwnedLocks}});
}

/// Only application locks have modes and a choice of owners.
void AcquireDialog::showWhatMatters()
{
    for (QComboBox* box : {m_mode, m_owner})
        m_form->setRowVisible(box, kind() == LockKind::Application);
}

void AcquireDialog::updateButton()
{
    const QString name = m_name->text();
    const bool tooLong = name.size() > db::maxLockNameLength;
    m_complaint->setText(
        tooLong ? u"A name has at most %1 characters."_s.arg(db::maxLockNameLength) : QString());
    m_acquire->setEnabled(!name.isEmpty() && !tooLong);
}

LockKind AcquireDialog::kind() const
{
    return static_cast<LockKind>(m_kind->currentData().toInt());
}

locks::LockOptions AcquireDialog::lock() const
{
    locks::LockOptions options{
        .name = m_name->text(), .kind = kind(), .wait = milliseconds(m_wait->isChecked() ? -1 : 0)};
    if (kind() == LockKind::Application) {
        options.mode = static_cast<AcquireMode>(m_mode->currentData().toInt());
        options.owner = static_cast<LockOwner>(m_owner->currentData().toInt());
    }
    return options;
}

ActOn ActRunner::Target::kind() const
{
    if (!sessions.isEmpty())
        return ActOn::Session;
    const bool anyOfOthers = std::any_of(
        rows.begin(), rows.end(), [](const LockTableEntry& row) { return row.framework != nullptr; });
    return anyOfOthers ? ActOn::AttachedRow : ActOn::Entry;
}

ActRunner::ActRunner(AppContext& context, QWidget* window)
    : QObject(window)
    , m_context(context)
    , m_window(window)
{
}

void ActRunner::run(const Action& action)
{
    if (const QString reason = m_context.reasonAgainstActing(); !reason.isEmpty()) {
        Q_EMIT refused(reason);
        return;
    }
    const SnapshotPtr latest = snapshot();
    const ServerTime now = m_context.serverNow();
    const db::ServerProfile& profile = m_context.profile();
    std::visit(
        Overloaded{
            [&](const ReleaseEntryAction& act) {
                if (const QString reason = reasonAgainstFreeing(act.entry); !reason.isEmpty()) {
                    Q_EMIT refused(reason);
                    return;
                }
                DangerText text = describeRelease(act.entry, latest.get(), now);
                text.statement = admin::releaseByHand(profile, act.entry);
                ask(text, callOf(&admin::ServerAdmin::releaseEntry, act.entry), Target{{}, {act.entry}});
            },
            [&](const PurgeStaleAction&) { purge(); },
            [&](const CancelStatementAction& act) {
                DangerText text = describeCancel(act.session, latest.get(), now);
                text.statement = admin::cancelByHand(profile.url.engine, act.session);
                ask(text, callOf(&admin::ServerAdmin::cancelSession, act.session), Target{{act.session}, {}});
            },
            [&](const CancelStatementsAction& act) {
                ask(describeCancels(act.sessions, latest.get(), now),
                    callOf(&admin::ServerAdmin::cancelSessions, act.sessions), Target{act.sessions, {}});
            },
            [&](const EndSessionAction& act) {
                DangerText text = describeEnd(act.session, latest.get(), now);
                text.statement = admin::endByHand(profile.url.engine, act.session);
                ask(text, callOf(&admin::ServerAdmin::endSession, act.session), Target{{act.session}, {}},
                    act.session);
            },
            [&](const AcquireAction& act) { acquire(act.name); },
            [&](const InstallSchemaAction&) { install(); },
        },
        action);
}

DangerDialog* ActRunner::makeDialog()
{
    auto* dialog = deletedOnClose(new DangerDialog(m_context.settings(), m_window));
    addServerStrip(*dialog, m_context.profile());
    closeWithPresent(*dialog, m_context);
    return dialog;
}

void ActRunner::ask(
    const DangerText& text, const Call& call, const Target& target, const std::optional<Session>& ended)
{
    DangerDialog* dialog = makeDialog();
    // first, so that the dialog has space for the answer
    askRights(dialog, target, !text.statement.isEmpty());
    dialog->setText(text);
    actOnConfirmation(dialog, call, text.afterwards, ended, {}, target);
    dialog->open();
}

QString ActRunner::localAuditFile() const
{
    return m_context.allowsLocalAudit() ? admin::LocalAudit::defaultPath() : QString();
}

void ActRunner::askRights(DangerDialog* dialog, const Target& target, bool hasStatement)
{
    if (!m_context.admin())
        return;
    ActAdvice asking = askingAdvice();
    asking.offersStatement = target.kind() != ActOn::AttachedRow;
    dialog->setAdvice(asking);
    m_context.admin()->ask(
        dialog,
        [target](admin::ServerAdmin& admin) {
            return target.sessions.isEmpty() ? admin.rightsOnRows(target.rows)
                                             : rightsOnAll(admin, target.sessions);
        },
        [this, dialog, what = target.kind(), hasStatement](const Result<admin::ActRights>& rights) {
            if (rights)
                dialog->setMore(describeFired(rights->fired));
            dialog->setAdvice(adviceOn(rights, what, localAuditFile(), hasStatement));
            connect(dialog, &DangerDialog::localAuditAllowed, this, [=, this] {
                m_context.allowLocalAudit();
                dialog->setAdvice(adviceOn(rights, what, localAuditFile(), hasStatement));
            });
        });
}

void ActRunner::actOnConfirmation(DangerDialog* dialog, const Call& call, const QStringList& afterwards,
    const std::optional<Session>& ended, const Failed& failed, const Target& target)
{
    connect(dialog, &DangerDialog::confirmed, this, [=, this](const QString& reason) {
        if (!m_context.admin())
            return;
        dialog->setBusy(u"Asking the server…"_s);
        // The window outlives the dialog: the answer is shown even if the dialog was closed meanwhile.
        m_context.admin()->ask(
            this,
            [call, reason, file = localAuditFile()](admin::ServerAdmin& admin) {
                if (!file.isEmpty())
                    admin.recordLocally(admin::LocalAudit(file));
                return call(admin, reason);
            },
            [this, open = QPointer(dialog), afterwards, ended, failed, target, server = m_context.profile(),
                title = dialog->windowTitle()](const Result<admin::Done>& result) {
                Q_EMIT acted(server,
                    result ? result->message : u"%1: %2"_s.arg(title, result.error().toString()),
                    result ? result->auditId : 0, target.sessions);
                if (result) {
                    if (open && ended && result->lingers)
                        follow(open, *ended, afterwards, std::make_shared<Backoff>(followEvery));
                    else if (open)
                        open->accept();
                    tell(server, result->toString(afterwards), result->auditId, target.rows);
                } else if (open && failed) {
                    failed(open, result.error());
                } else if (open) {
                    open->showFailure(result.error());
                } else {
                    tell(server, Failure(result.error()), 0, {});
                }
            });
    });
}

/// The answer may come when another server is on view already.
void ActRunner::tell(const db::ServerProfile& server, const Result<QString>& text, qint64 auditId,
    const QList<LockTableEntry>& released)
{
    const bool isShown = m_context.hasServer() && m_context.profile().url == server.url
        && m_context.profile().name == server.name;
    const QString said = text ? *text : text.error().toString();
    const QString whose = isShown ? said : u"%1: %2"_s.arg(server.display(), said);
    if (!text)
        Q_EMIT refused(whose);
    else
        // its audit is not on view, nor are its rows
        Q_EMIT done(whose, isShown ? auditId : 0, isShown ? released : QList<LockTableEntry>());
}

/// Shows how far an ended session is, until it is gone or the dialog is closed. A question that fails is
/// asked again after a while: the server goes on meanwhile.
void ActRunner::follow(DangerDialog* dialog, const Session& session, const QStringList& afterwards,
    const std::shared_ptr<Backoff>& pauses)
{
    if (!m_context.admin())
        return;
    const auto show = [=, this](const Result<admin::RollbackProgress>& progress) {
        const auto askAgainIn = [=, this](std::chrono::milliseconds pause) {
            QTimer::singleShot(pause, dialog, [=, this] { follow(dialog, session, afterwards, pauses); });
        };
        if (!progress) {
            dialog->showProgressUnknown(
                u"The end of session %1 was requested"_s.arg(session.id.value), progress.error());
            if (progress.error().kind != ErrorKind::Login) // that again and again locks an account
                askAgainIn(pauses->next());
            return;
        }
        pauses->reset();
        if (progress->gone) {
            dialog->accept();
            admin::Done gone;
            gone.message =
                u"Session %1 is gone: what it had not committed is undone."_s.arg(session.id.value);
            Q_EMIT done(gone.toString(afterwards), 0, {});
            return;
        }
        dialog->showProgress(
            u"Session %1: %2"_s.arg(session.id.value).arg(progress->toString()), progress->percent);
        askAgainIn(followEvery);
    };
    m_context.admin()->askUnattended(
        dialog, [session](admin::ServerAdmin& admin) { return admin.rollbackProgress(session); }, show);
}

void ActRunner::purge()
{
    DangerDialog* dialog = makeDialog();
    dialog->setBusy(u"Looking for stale locks…"_s);
    dialog->open();
    const auto show = [this, dialog](const Result<QList<LockTableEntry>>& found) {
        if (!found) {
            dialog->showNothingToDo(found.error().toString());
            return;
        }
        if (found->isEmpty()) {
            dialog->showNothingToDo(u"No lock is stale now"_s);
            return;
        }
        DangerText text = describePurge(*found, snapshot().get(), m_context.serverNow());
        text.statement = admin::purgeByHand(m_context.profile(), *found);
        askRights(dialog, Target{{}, *found}, !text.statement.isEmpty());
        dialog->setText(text);
        actOnConfirmation(dialog, callOf(&admin::ServerAdmin::purgeStale, *found));
    };
    m_context.admin()->ask(
        dialog, [](admin::ServerAdmin& admin) { return admin.previewPurge(); }, show);
}

void ActRunner::acquire(const QString& name)
{
    if (!m_context.heldLocks().canAcquire()) {
        Q_EMIT refused(u"This window can't hold locks on that server."_s);
        return;
    }
    auto* dialog = deletedOnClose(new AcquireDialog(name, m_context.profile().url.engine, m_window));
    addServerStrip(*dialog, m_context.profile());
    closeWithPresent(*dialog, m_context);
    connect(dialog, &AcquireDialog::lockRequested, &m_context.heldLocks(), &HeldLocks::acquire);
    dialog->open();
}

void ActRunner::install()
{
    const db::ServerUrl& url = m_context.profile().url;
    const QByteArray script =
        builtInFile(QStringLiteral("/schema/%1/install.sql").arg(engineKey(url.engine)));
    DangerDialog* dialog = makeDialog();
    dialog->setText(describeInstall(QString::fromUtf8(script), m_context.profile().display(), url.user));
    installOnConfirmation(dialog, {});
    dialog->open();
}

/// `adopted`: roles that are used although somebody else seems to have made them.
void ActRunner::installOnConfirmation(DangerDialog* dialog, const QStringList& adopted)
{
    disconnect(dialog, &DangerDialog::confirmed, this, nullptr);
    const Call install = [adopted](admin::ServerAdmin& admin, const QString&) {
        return admin.installSchema(adopted).map([](const db::InstallReport& done) {
            admin::Done result;
            result.message = done.before == done.after
                ? u"The schema was installed already (version %1)."_s.arg(done.after)
                : u"Schema installed (version %1). Locks can be taken by name now."_s.arg(done.after);
            return result;
        });
    };
    actOnConfirmation(dialog, install, {}, {}, [this, adopted](DangerDialog* open, const Error& error) {
        if (const QString role = db::refusedRole(error); role.isEmpty() || !m_context.admin())
            open->showFailure(error);
        else
            offerRole(open, adopted + QStringList{role}, error);
    });
}

/// The last of `adopted` was refused: shows who is a member of it, and lets it be used all the same.
void ActRunner::offerRole(DangerDialog* dialog, const QStringList& adopted, const Error& error)
{
    const auto offer = [=, this](const Result<QList<QStringList>>& members) {
        if (!members) {
            dialog->showFailure(error);
            return;
        }
        QStringList consequences;
        for (qsizetype i = 0; i < adopted.size(); ++i)
            consequences << describeAdopted(adopted[i], members->at(i));
        Error failure = error;
        failure.detail = sentences({failure.detail, describeMembers(adopted.last(), members->last())});
        dialog->showFailure(failure, u"Use this role all the same"_s);
        disconnect(dialog, &DangerDialog::remedyChosen, this, nullptr);
        connect(dialog, &DangerDialog::remedyChosen, this, [=, this] {
            dialog->clearFailure();
            dialog->setMore(consequences);
            installOnConfirmation(dialog, adopted);
        });
    };
    m_context.admin()->ask(
        dialog,
        [adopted](admin::ServerAdmin& admin) -> Result<QList<QStringList>> {
            QList<QStringList> members;
            for (const QString& role : adopted) {
                auto found = admin.membersOf(role);
                if (!found)
                    return Failure(found.error());
                members << *found;
            }
            return members;
        },
        offer);
}

SnapshotPtr ActRunner::snapshot() const
{
    return m_context.watch() ? m_context.watch()->monitor().snapshot() : SnapshotPtr();
}

} // namespace lockscope::ui
