// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/connect/ImportDialog.h"

#include "core/base/PlainFile.h"
#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/profiles/ProfileFile.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QApplication>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <map>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using profiles::ClientFile;
using profiles::FoundServers;
using profiles::ImportItem;

namespace {

constexpr int ownFile = -1; ///< among the sources; the others are of ClientFile
constexpr int shownFaults = 3;
enum ImportColumn { ServerColumn, AddressColumn, KindColumn, WhyColumn };

Result<FoundServers> readOwnFile(const QString& path)
{
    const auto text = readTextFile(path);
    if (!text)
        return Failure(text.error());
    auto found = profiles::readProfiles(QFileInfo(path).fileName(), *text);
    if (found)
        return std::move(*found);
    QStringList faults;
    for (const json::FileFault& fault : found.error())
        if (faults.size() < shownFaults)
            faults << fault.toString();
    return failure(ErrorKind::BadInput, faults.join(u'\n'));
}

QString planCounts(const QList<ImportItem>& plan)
{
    std::map<ImportItem::Kind, int> counts;
    for (const ImportItem& item : plan)
        ++counts[item.kind];
    const QStringList words = textOfEach(counts, [](const auto& each) {
        return u"%1 %2"_s.arg(QString::number(each.second), profiles::importKindName(each.first));
    });
    return words.isEmpty() ? u"There is no server in it."_s
                           : u"%1. Tick what is to be saved."_s.arg(words.join(u", "_s));
}

void markSkipped(QTreeWidgetItem& row)
{
    row.setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    for (int column = 0; column < row.columnCount(); ++column)
        row.setForeground(column, qApp->palette().brush(QPalette::PlaceholderText));
}

} // namespace

ImportDialog::ImportDialog(QList<db::ServerProfile> saved, QWidget* parent)
    : QDialog(parent)
    , m_saved(std::move(saved))
    , m_source(named("source", u"Where the servers are"_s, new QComboBox(this)))
    , m_read(pushButton(u"&Read"_s, this))
    , m_items(named("items", u"Servers to import"_s, new QTreeWidget(this)))
    , m_message(named("message", new QLabel(this)))
{
    setObjectName(u"importDialog"_s);
    setWindowTitle(u"Import servers"_s);
    setChapter(*this, u"connecting.md#import-and-export"_s);
    addParts();
    connect(m_read, &QPushButton::clicked, this, &ImportDialog::readSource);
    connect(m_items, &QTreeWidget::itemChanged, this, &ImportDialog::updateButton);
    // A long reason is cut in its row: the one of the current row stands below, whole.
    connect(m_items, &QTreeWidget::currentItemChanged, this, [this] {
        const int row = m_items->currentIndex().row();
        QString text = planCounts(m_plan);
        if (row >= 0 && row < m_plan.size() && !m_plan[row].why.isEmpty())
            text += u"\n%1: %2"_s.arg(inOneLine(m_plan[row].name), inOneLine(m_plan[row].why));
        m_message->setText(text);
    });
    updateButton();
    resize(760, 420);
}

void ImportDialog::addParts()
{
    m_source->addItem(u"A file of Lockscope…"_s, ownFile);
    m_source->addItem(u"PostgreSQL's services (pg_service.conf)"_s, int(ClientFile::Services));
    m_source->addItem(u"Hosts in .pgpass, without its passwords"_s, int(ClientFile::Passwords));
    m_source->addItem(u"ODBC data sources of SQL Server (odbc.ini)"_s, int(ClientFile::DataSources));
    m_items->setRootIsDecorated(false);
    m_items->setUniformRowHeights(true);
    m_items->setHeaderLabels({u"Server"_s, u"Address"_s, u"Is"_s, u"Why"_s});
    m_items->header()->setStretchLastSection(true);
    m_items->header()->resizeSection(ServerColumn, 180);
    m_items->header()->resizeSection(AddressColumn, 240);
    m_items->header()->resizeSection(KindColumn, 80);
    wrapped(m_message);
    m_message->setMinimumHeight(3 * fontMetrics().lineSpacing()); // the rows above do not jump
    m_message->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_message->setText(u"Passwords are never imported. Nothing is saved before you have seen it here."_s);
    QHBoxLayout* top = rowOf({{m_source, 1}, m_read});
    QDialogButtonBox* buttons = acceptButtons(*this, QDialogButtonBox::Cancel);
    m_import = named("import", buttons->addButton(u"&Import"_s, QDialogButtonBox::AcceptRole));
    addAll(*new QVBoxLayout(this), {top, {m_items, 1}, m_message, buttons});
}

void ImportDialog::readSource()
{
    const int source = m_source->currentData().toInt();
    if (source != ownFile)
        return read([kind = static_cast<ClientFile>(source)] { return profiles::readClientFiles(kind); });
    auto* dialog = new QFileDialog(this, u"Servers of a file"_s, {}, u"Servers (*.json);;All files (*)"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &ImportDialog::readFile);
    dialog->open();
}

void ImportDialog::readFile(const QString& path)
{
    read([path] { return readOwnFile(path); });
}

void ImportDialog::read(std::function<Result<FoundServers>()> source)
{
    m_read->setEnabled(false);
    m_message->setText(u"Reading…"_s);
    m_worker.ask(
        this,
        [source = std::move(source), saved = m_saved](const std::stop_token&) -> Result<QList<ImportItem>> {
            const auto found = source();
            if (!found)
                return Failure(found.error());
            return profiles::planImport(saved, *found);
        },
        [this](const Result<QList<ImportItem>>& plan) { show(plan); });
}

void ImportDialog::show(const Result<QList<ImportItem>>& plan)
{
    const QSignalBlocker quiet(m_items);
    m_read->setEnabled(true);
    m_items->clear();
    m_plan = plan.value_or(QList<ImportItem>());
    m_message->setText(inLines(plan ? planCounts(m_plan) : plan.error().toString()));
    for (const ImportItem& item : std::as_const(m_plan)) {
        const bool isSkipped = item.kind == ImportItem::Kind::Skipped;
        const QString address = isSkipped ? QString() : item.profile.url.toString();
        auto* row = new QTreeWidgetItem(m_items,
            {inOneLine(item.name), inOneLine(address), profiles::importKindName(item.kind),
                inOneLine(item.why)});
        for (int column = 0; column < row->columnCount(); ++column)
            row->setToolTip(column, htmlText(row->text(column)));
        if (isSkipped)
            markSkipped(*row);
        else // what is there already is changed on purpose only
            row->setCheckState(
                ServerColumn, item.kind == ImportItem::Kind::New ? Qt::Checked : Qt::Unchecked);
    }
    updateButton();
}

QList<ImportItem> ImportDialog::chosen() const
{
    QList<ImportItem> items;
    for (int row = 0; row < m_items->topLevelItemCount(); ++row)
        if (m_items->topLevelItem(row)->checkState(ServerColumn) == Qt::Checked
            && m_plan[row].kind != ImportItem::Kind::Skipped)
            items << m_plan[row];
    return items;
}

void ImportDialog::updateButton()
{
    const qsizetype count = chosen().size();
    m_import->setEnabled(count > 0);
    m_import->setText(count > 1 ? u"&Import %1"_s.arg(count) : u"&Import"_s);
}

} // namespace lockscope::ui
