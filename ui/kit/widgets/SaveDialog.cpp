// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/widgets/SaveDialog.h"

#include "core/base/BackgroundThread.h"
#include "core/base/EnumTable.h"
#include "core/base/PlainFile.h"
#include "core/base/PostToThread.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QClipboard>
#include <QDeadlineTimer>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMenu>
#include <QPointer>
#include <QThread>
#include <QTimer>

#include <atomic>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

std::atomic<int>& writing()
{
    static std::atomic<int> files = 0;
    return files;
}

} // namespace

void askWhereToSave(QWidget& parent, const QString& title, const QString& filter, const QString& fileName,
    const std::function<void(const QString& path)>& chosen)
{
    auto* dialog = deletedOnClose(new QFileDialog(&parent, title, {}, filter));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QFileInfo(fileName).suffix());
    dialog->selectFile(fileName);
    QObject::connect(dialog, &QFileDialog::fileSelected, &parent, chosen);
    dialog->open();
}

void writeLater(QObject& context, const QString& path, const std::function<Result<QByteArray>()>& content,
    const QString& done, const std::function<void(const QString&)>& tell)
{
    auto* slow = new QTimer(&context);
    slow->setSingleShot(true);
    QObject::connect(slow, &QTimer::timeout, &context,
        [tell, path] { tell(u"Writing %1…"_s.arg(QDir::toNativeSeparators(path))); });
    slow->start(1s);
    // Detached at once: on a thread of the pool, a disk that hangs would keep the program from ending.
    ++writing();
    const BackgroundThread writer(
        [to = QPointer(&context), path, content, done, tell, slow](const std::stop_token&) {
            const auto made = content();
            const Result<void> written = made ? writeFile(path, *made) : Failure(made.error());
            --writing();
            postTo(to, [slow, tell, text = written ? done : written.error().toString()](QObject&) {
                delete slow; // a child of the context, which lives
                tell(text);
            });
        });
}

void waitForWriting(std::chrono::milliseconds atMost)
{
    for (const QDeadlineTimer end(atMost); writing() > 0 && !end.hasExpired();)
        QThread::msleep(10);
}

void writeLater(QObject& context, const QString& path, const QByteArray& content, const QString& done,
    const std::function<void(const QString&)>& tell)
{
    writeLater(
        context, path, [content]() -> Result<QByteArray> { return content; }, done, tell);
}

namespace {

struct FileForm {
    QString filter;
    QString ending;
    report::Form form = report::Form::Text; ///< of a report in such a file
};

FileForm fileFormOf(ExportMenu::Form form)
{
    static const EnumTable<ExportMenu::Form, FileForm> forms(
        {{u"Page (*.html)"_s, u"html"_s, report::Form::Html}, {u"Drawing (*.svg)"_s, u"svg"_s},
            {u"Picture (*.png)"_s, u"png"_s}, {u"Table (*.csv)"_s, u"csv"_s, report::Form::Csv},
            {u"JSON (*.json)"_s, u"json"_s, report::Form::Json}, {u"Deadlock graph (*.xdl)"_s, u"xdl"_s},
            {u"Text (*.txt)"_s, u"txt"_s}, {u"Markdown (*.md)"_s, u"md"_s, report::Form::Markdown}});
    return forms[form];
}

} // namespace

ExportMenu::ExportMenu(const QString& name, const QString& tip, QWidget* parent)
    : QToolButton(parent)
    , m_menu(new QMenu(this))
{
    setObjectName(name);
    setText(u"E&xport ▾"_s);
    setToolTip(tip);
    setAutoRaise(true);
    setEnabled(false);
    // Not by setMenu(): its arrow sits on the last letter.
    connect(this, &QToolButton::clicked, this,
        [this] { m_menu->popup(mapToGlobal(QPoint(width() - m_menu->sizeHint().width(), height()))); });
}

void ExportMenu::addEntry(const QString& text, const std::function<void()>& chosen)
{
    connect(m_menu->addAction(text), &QAction::triggered, this, chosen);
}

void ExportMenu::addSeparator()
{
    m_menu->addSeparator();
}

report::Form ExportMenu::reportForm(Form form)
{
    return fileFormOf(form).form;
}

void ExportMenu::askWhereTo(
    Form form, const QString& name, const std::function<void(const QString& path)>& chosen)
{
    const FileForm file = fileFormOf(form);
    askWhereToSave(*this, u"Export"_s, file.filter, name + u'.' + file.ending, chosen);
}

void ExportMenu::write(const QString& path, const Content& content)
{
    writeLater(*this, path, content, u"Written to %1."_s.arg(QDir::toNativeSeparators(path)),
        [this](const QString& text) { Q_EMIT statusMessage(text); });
}

ReportExport::ReportExport(const QString& name, QWidget* parent)
    : ExportMenu(u"exportReport"_s, u"The whole report into a file, or copied"_s, parent)
    , m_name(name)
{
    for (const auto& [text, form] :
        {std::pair(u"As a &page (HTML)…"_s, Form::Html), std::pair(u"As &text…"_s, Form::Text),
            std::pair(u"As &Markdown…"_s, Form::Markdown), std::pair(u"This table as &CSV…"_s, Form::Csv),
            std::pair(u"For programs (&JSON)…"_s, Form::Json)})
        addEntry(text, [this, form = form] { ask(form); });
    addSeparator();
    const auto addCopy = [this](const QString& text, report::Form form) {
        addEntry(text, [this, form] {
            if (!m_report)
                return;
            QGuiApplication::clipboard()->setText(exported(form));
            Q_EMIT statusMessage(u"Copied."_s);
        });
    };
    addCopy(u"Cop&y as text"_s, report::Form::Text);
    addCopy(u"Copy as M&arkdown"_s, report::Form::Markdown);
}

void ReportExport::show(std::shared_ptr<const report::Report> report, const QString& table)
{
    m_report = std::move(report);
    m_table = table;
    setEnabled(m_report != nullptr);
}

QString ReportExport::exported(report::Form form) const
{
    if (form != report::Form::Csv || m_table.isEmpty())
        return rendered(*m_report, form);
    report::Report table{.title = {}};
    if (const report::Section* section = m_report->section(m_table))
        table.sections = {*section};
    return rendered(table, form);
}

void ReportExport::ask(Form form)
{
    if (!m_report)
        return;
    askWhereTo(form, form == Form::Csv && !m_table.isEmpty() ? m_table : m_name,
        [this, content = exported(reportForm(form)).toUtf8()](
            const QString& path) { write(path, [content]() -> Result<QByteArray> { return content; }); });
}

} // namespace lockscope::ui
