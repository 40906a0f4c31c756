// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Result.h"
#include "core/report/Writer.h"

#include <QByteArray>
#include <QString>
#include <QToolButton>

#include <chrono>
#include <functional>

class QMenu;
class QObject;
class QWidget;

namespace lockscope::ui {

/// Asks where to write a file, without waiting for the answer: `chosen` gets the path, if there is one, while
/// `parent` lives. A name typed without an ending gets that of `fileName`.
void askWhereToSave(QWidget& parent, const QString& title, const QString& filter, const QString& fileName,
    const std::function<void(const QString& path)>& chosen);

/// Makes the content of a file and writes it as writeFile() does, on another thread: a folder may be on a
/// network. `content` owns what it needs, and draws nothing. `tell` gets `done` or the error on this thread,
/// and before that, if it takes longer than a second, that the file is being written; not if `context` is
/// gone by then, but the file is written all the same: waitForWriting(). Main thread.
void writeLater(QObject& context, const QString& path, const std::function<Result<QByteArray>()>& content,
    const QString& done, const std::function<void(const QString&)>& tell);
/// Does the same with a content that is there.
void writeLater(QObject& context, const QString& path, const QByteArray& content, const QString& done,
    const std::function<void(const QString&)>& tell);

/// Waits, at most so long, until all that writeLater() began is written: at the end of the program.
void waitForWriting(std::chrono::milliseconds atMost);

/// A button with a menu of the forms in which something can be given away. Files are written on another
/// thread. GUI thread.
class ExportMenu : public QToolButton {
    Q_OBJECT

public:
    enum class Form { Html, Svg, Png, Csv, Json, Xdl, Text, Markdown };
    /// Called on the thread that writes: owns what it needs, and draws nothing.
    using Content = std::function<Result<QByteArray>()>;

Q_SIGNALS:
    void statusMessage(const QString& text);

protected:
    ExportMenu(const QString& name, const QString& tip, QWidget* parent);

    void addEntry(const QString& text, const std::function<void()>& chosen);
    void addSeparator();
    /// Returns the form of a report in files of that form; text, where reports have none.
    static report::Form reportForm(Form form);
    /// Asks where to, without waiting for the answer; proposes "name.html".
    void askWhereTo(Form form, const QString& name, const std::function<void(const QString& path)>& chosen);
    /// Emits `statusMessage` when it is done.
    void write(const QString& path, const Content& content);

private:
    QMenu* m_menu;
};

/// Writes a report into a file in any of its forms, or copies it. GUI thread.
class ReportExport : public ExportMenu {
    Q_OBJECT

public:
    /// `name` is proposed for files, without an ending.
    ReportExport(const QString& name, QWidget* parent);

    /// Exports this report from now on; as CSV only its table `table`, unless that is empty. Null: nothing.
    void show(std::shared_ptr<const report::Report> report, const QString& table = {});
    /// The report in a form, as it is exported.
    QString exported(report::Form form) const;

private:
    void ask(Form form);

    const QString m_name;
    std::shared_ptr<const report::Report> m_report;
    QString m_table;
};

} // namespace lockscope::ui
