// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/servers/RecordingOpener.h"

#include <QDropEvent>
#include <QEvent>
#include <QFileInfo>
#include <QMimeData>
#include <QUrl>
#include <QWidget>

#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

Result<OpenedRecording> read(record::RecordingReader& reader, const QString& place)
{
    const auto span = reader.span();
    OpenedRecording recording{.place = place, .identity = reader.identity()};
    if (span)
        recording.span = *span;
    else
        recording.error = span.error();
    return recording;
}

} // namespace

RecordingOpener::RecordingOpener(QWidget& window)
    : QObject(&window)
{
    window.setAcceptDrops(true);
    window.installEventFilter(this);
}

bool RecordingOpener::isRecordingName(const QString& path)
{
    return path.endsWith(".lockscope"_L1, Qt::CaseInsensitive);
}

void RecordingOpener::open(const QString& place, const QString& at, const db::PasswordProvider& passwords)
{
    Q_EMIT opening(place);
    const bool isUrl = place.contains("://"_L1);
    const QString whole = isUrl ? place : QFileInfo(place).absoluteFilePath();
    m_clients.push_back(std::make_unique<record::RecordingClient>(whole, record::Identity(), passwords));
    record::RecordingClient* const client = m_clients.back().get();
    client->ask(
        this, [whole](record::RecordingReader& reader) { return read(reader, whole); },
        [this, whole, at, passwords, client](const Result<OpenedRecording>& recording) {
            std::erase_if(m_clients, [client](const auto& one) { return one.get() == client; });
            OpenedRecording result =
                recording ? *recording : OpenedRecording{.place = whole, .error = recording.error()};
            result.passwords = passwords;
            Q_EMIT opened(result, at);
        });
}

QStringList RecordingOpener::recordingsIn(const QMimeData& data)
{
    QStringList files;
    for (const QUrl& url : data.urls())
        if (url.isLocalFile() && isRecordingName(url.toLocalFile()))
            files << url.toLocalFile();
    return files;
}

bool RecordingOpener::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::DragEnter && event->type() != QEvent::DragMove
        && event->type() != QEvent::Drop)
        return QObject::eventFilter(watched, event);
    auto* drop = static_cast<QDropEvent*>(event);
    const QStringList files = recordingsIn(*drop->mimeData());
    if (files.isEmpty())
        return QObject::eventFilter(watched, event);
    // Not the proposed action: a program that hears of a moved file may delete it.
    drop->setDropAction(Qt::CopyAction);
    drop->accept();
    if (event->type() == QEvent::Drop) {
        for (const QString& file : files)
            open(file);
    }
    return true;
}

namespace {

constexpr auto pauseBetween = 15ms; // a hundred servers within two seconds
constexpr auto latestStart = 1s; // a window that is minimized is not painted

} // namespace

Reopener::Reopener(QWidget& window)
    : QObject(&window)
    , m_window(window)
{
    m_next.setSingleShot(true);
    connect(&m_next, &QTimer::timeout, this, &Reopener::openNext);
}

void Reopener::start(const QList<db::ServerProfile>& profiles)
{
    m_rest = profiles;
    m_isFirst = true;
    if (m_rest.isEmpty())
        return;
    m_window.installEventFilter(this);
    m_next.start(latestStart);
}

bool Reopener::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Paint) {
        m_window.removeEventFilter(this);
        m_next.start(0ms);
    }
    return QObject::eventFilter(watched, event);
}

void Reopener::openNext()
{
    m_window.removeEventFilter(this);
    if (m_rest.isEmpty())
        return;
    const bool isOnView = std::exchange(m_isFirst, false);
    const db::ServerProfile profile = isOnView ? m_rest.takeLast() : m_rest.takeFirst();
    if (!m_rest.isEmpty())
        m_next.start(pauseBetween);
    Q_EMIT due(profile, isOnView);
}

} // namespace lockscope::ui
