// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/audit/AuditPage.h"

#include "core/admin/LocalAudit.h"
#include "core/admin/ServerAdminClient.h"
#include "core/base/Sentences.h"
#include "ui/kit/tables/ReportTable.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/NoticeBar.h"

#include <QPushButton>

#include <limits>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int newest = 500;

/// Returns the newest acts that were done from here on a server without an audit.
Result<QList<admin::AuditRecord>> recordsHere(const admin::LocalAudit& file, const QString& server)
{
    return file.read(std::numeric_limits<int>::max()).map([&server](QList<admin::AuditRecord> records) {
        records.removeIf([&server](const admin::AuditRecord& record) { return record.server != server; });
        return records.mid(0, newest);
    });
}

} // namespace

AuditPage::AuditPage(AppContext& context, QWidget* parent)
    : TablePage(pageName, context, parent)
    , m_model(new ReportModel(admin::toReport({}).sections.front()))
{
    setUp(m_model);
    m_reload = addActButton(u"Read again"_s, u"Read the newest %1 records"_s.arg(newest));
    connect(m_reload, &QPushButton::clicked, this, &AuditPage::reload);
    connect(&context, &AppContext::serverChanged, this, [this] {
        ++m_asked; // what the former one still answers is not this one's
        m_records.clear();
        m_model->show(admin::toReport({}).sections.front());
        m_failure.reset();
        m_wasRead = false;
        m_reload->setEnabled(true);
        notice().clear();
        updateEmptyState();
        if (isVisible())
            reload();
    });
}

void AuditPage::reload()
{
    if (!context().admin())
        return;
    m_reload->setEnabled(false);
    context().admin()->ask(
        this,
        [file = admin::LocalAudit(), server = context().profile().display()](admin::ServerAdmin& admin) {
            auto records = admin.audit(newest);
            if (records || records.error().kind != ErrorKind::MissingObject)
                return records;
            auto here = recordsHere(file, server);
            return !here || !here->isEmpty() ? here : records;
        },
        [this, question = ++m_asked](const Result<QList<admin::AuditRecord>>& result) {
            if (question == m_asked)
                showResult(result);
        });
}

void AuditPage::showResult(const Result<QList<admin::AuditRecord>>& result)
{
    m_reload->setEnabled(true);
    m_wasRead = true;
    m_failure = result ? std::nullopt : std::optional(result.error());
    if (result)
        m_records = *result;
    showRecords();
    const bool missing =
        m_failure && m_failure->kind == ErrorKind::MissingObject && m_model->counts().total == 0;
    if (m_failure && !missing)
        notice().say(BarNotice::of(*m_failure));
    else if (!m_records.isEmpty() && !m_records.first().server.isEmpty())
        notice().say({.level = AgeLevel::Normal,
            .text = u"This database has no audit table"_s,
            .detail = u"These records are from a file on this computer: %1."_s.arg(
                admin::LocalAudit::defaultPath())});
    else
        notice().clear();
    updateEmptyState();
}

void AuditPage::showEvent(QShowEvent* event)
{
    TablePage::showEvent(event);
    reload();
}

/// Shows, at a past time, the records that were there by then.
void AuditPage::showRecords()
{
    QList<admin::AuditRecord> shown = m_records;
    if (const auto& past = context().pastTime())
        shown.removeIf([&past](const admin::AuditRecord& record) { return record.at > past->at; });
    m_model->show(admin::toReport(shown).sections.front());
}

void AuditPage::showRows(const SnapshotPtr&)
{
    if (m_shownTime == context().pastTime())
        return;
    m_shownTime = context().pastTime();
    showRecords();
}

DetailSubject AuditPage::subjectAt(int viewRow) const
{
    return std::any_cast<const admin::AuditRecord&>(m_model->rowAt(viewRow).about);
}

bool AuditPage::reveal(const DetailSubject& subject)
{
    const auto* record = std::get_if<admin::AuditRecord>(&subject);
    const int row = record ? m_model->find(QString::number(record->id)) : -1;
    view().selectRow(row);
    return row >= 0;
}

QString AuditPage::countText() const
{
    const QString text = TablePage::countText();
    return m_records.size() < newest
        ? text
        : text + u" · older ones are not read here; lockctl audit --limit reads more"_s;
}

TablePage::EmptyText AuditPage::emptyText() const
{
    if (m_failure) {
        const QString file = context().allowsLocalAudit()
            ? u"Actions without it are recorded in %1."_s.arg(admin::LocalAudit::defaultPath())
            : QString();
        return {m_failure->what, sentences({m_failure->hint, file})};
    }
    if (context().pastTime() && context().pastTime()->ofFile)
        return {u"A recording has no audit"_s, u"Actions during the recording are marked in the time bar."_s};
    if (!m_wasRead && context().admin())
        return {u"Reading the audit…"_s, {}};
    if (context().pastTime() && !m_records.isEmpty())
        return {u"Nothing was done before that"_s,
            u"The newest %1 records are all of later times. Live shows them."_s.arg(m_records.size())};
    return {u"Nothing was done yet"_s,
        u"Each release, purge, cancel and end leaves a record here: who, from where, what, why and the outcome."_s};
}

} // namespace lockscope::ui
