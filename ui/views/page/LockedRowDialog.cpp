// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/page/LockedRowDialog.h"

#include "core/base/ShownText.h"
#include "core/domain/BlockingGraph.h"
#include "ui/kit/help/Chapter.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/page/AskServer.h"
#include "ui/views/page/Page.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// Reading a whole index of SQL Server takes as long as it takes.
constexpr milliseconds lockTimeout = std::chrono::hours(1);

QString nameOf(const monitor::LockedRowPlace& place)
{
    return inOneLine(place.schema + u'.' + place.table);
}

/// A row each.
QString linesOf(QStringList rows)
{
    for (QString& row : rows)
        row = inOneLine(row);
    return rows.join(u'\n');
}

} // namespace

LockedRowDialog::LockedRowDialog(db::Server server, const Resource& resource, QWidget* parent)
    : QDialog(parent)
    , m_server(std::move(server))
    , m_resource(resource)
    , m_text(named("lockedRowText", selectable(wrapped(new QLabel(this)))))
    , m_rows(named("lockedRow", u"The row"_s, new QPlainTextEdit(this)))
    , m_read(named("readLockedRow", new QPushButton(u"&Read the table"_s, this)))
{
    setWindowTitle(u"Row behind %1"_s.arg(inOneLine(resource.name)));
    setAttribute(Qt::WA_DeleteOnClose);
    explain(*this, QStringLiteral("locks.md#the-row-behind-a-lock"));
    m_text->setMinimumWidth(460);
    m_rows->setReadOnly(true);
    m_rows->hide();
    QDialogButtonBox* buttons = cancelButtons(*this, QDialogButtonBox::Close);
    buttons->addButton(m_read, QDialogButtonBox::ActionRole);
    addAll(*new QVBoxLayout(this), {m_text, {m_rows, 1}, buttons});
    addServerStrip(*this, m_server.profile);
    connect(m_read, &QPushButton::clicked, this, [this] {
        if (m_place.table.isEmpty())
            searchPlace(); // again, after an error
        else
            read();
    });
    searchPlace();
}

void LockedRowDialog::searchPlace()
{
    m_read->setEnabled(false);
    m_text->setText(u"Asking the server which table that is…"_s);
    askServer(
        m_worker, m_server, lockTimeout, this,
        [resource = m_resource](db::Connection& connection, const std::stop_token& stop) {
            return monitor::lockedRowPlace(connection, resource, stop);
        },
        [this](const Result<monitor::LockedRowPlace>& place) { showPlace(place); });
}

void LockedRowDialog::showPlace(const Result<monitor::LockedRowPlace>& place)
{
    if (!place)
        return showError(place.error());
    m_place = *place;
    if (m_place.warning.isEmpty())
        return read();
    m_text->setText(inOneLine(m_place.warning));
    m_read->setEnabled(true);
}

void LockedRowDialog::read()
{
    m_read->setEnabled(false);
    m_rows->hide();
    m_text->setText(u"Reading %1… Close this window to stop it."_s.arg(nameOf(m_place)));
    askServer(
        m_worker, m_server, lockTimeout, this,
        [place = m_place](db::Connection& connection, const std::stop_token& stop) {
            return monitor::findLockedRow(connection, place, stop);
        },
        [this](const Result<QStringList>& rows) { showRows(rows); });
}

void LockedRowDialog::showRows(const Result<QStringList>& rows)
{
    if (!rows)
        return showError(rows.error());
    m_read->setEnabled(true);
    if (rows->isEmpty()) {
        m_text->setText(u"The row is not there (any more), or its lock has gone."_s);
        return;
    }
    m_text->setText(rows->size() == 1
            ? u"The row in %1:"_s.arg(nameOf(m_place))
            : u"One of these rows in %1: they have the same hash."_s.arg(nameOf(m_place)));
    m_rows->setPlainText(linesOf(*rows));
    m_rows->show();
}

void LockedRowDialog::showError(const Error& error)
{
    m_text->setText(error.toString());
    m_read->setEnabled(true);
}

void addRowSearch(QMenu& menu, Page& page, const Snapshot& snapshot, const LockRequest& request)
{
    AppContext& context = page.context();
    const Resource* target =
        request.isWaiting() ? WaitTargets(snapshot).of(request) : &snapshot.resourceOf(request);
    if (!target || !context.server() || !monitor::hasLockedRow(snapshot.engine, *target))
        return;
    const auto find = [&page, &context, resource = *target] {
        if (!context.server() || !context.reasonAgainstAsking().isEmpty())
            return;
        auto* dialog = new LockedRowDialog(*context.server(), resource, &page);
        // It would read on a server that nobody sees any more.
        closeWithPresent(*dialog, context);
        dialog->open();
    };
    addEntry(menu, page, u"Find the row behind this lock…"_s, context.reasonAgainstAsking(), find);
    menu.addSeparator();
}

} // namespace lockscope::ui
