// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Worker.h"
#include "core/record/RecordingReader.h"

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace lockscope::record {

/// A RecordingReader on a thread of its own, for windows. Each call returns at once; answers come on the main
/// thread, in the order of the requests, or never if `context` or the client is gone by then. Of the main
/// thread.
///
/// Damaged, foreign or missing files are the answer's error. After an error, and where another file is at its
/// place, the next request opens the recording again: it may have been made, replaced or restored since.
class RecordingClient {
public:
    /// Called, on the other thread, with damage in the file that is at its place now.
    using DamageSink = std::function<void(const Error&)>;
    /// `place`: what RecordingReader::open takes. Nothing is opened before the first question. `of`: the
    /// server that it must be of (isOfOneServer), whatever lies there by then; without a name: of any.
    /// `passwords`: as of RecordingReader::open; asked on the other thread.
    explicit RecordingClient(
        QString place, Identity of = {}, db::PasswordProvider passwords = {}, DamageSink damaged = {});
    /// Returns at once; what is under way is not answered any more.
    ~RecordingClient() = default;
    Q_DISABLE_COPY_MOVE(RecordingClient)

    const QString& place() const { return m_place; }
    const QString& server() const { return m_of.server; }
    const Identity& of() const { return m_of; }

    /// `request(RecordingReader&)` gives a Result, on the other thread, and must own what it touches:
    ///
    ///   client.ask(this, [from, to](RecordingReader& reader) { return reader.recordedSnapshots(from, to,
    ///   800); },
    ///       [this](const Result<QList<RecordedSnapshot>>& answer) { … });
    template <class Request, class Reply> void ask(QObject* context, Request request, Reply reply)
    {
        m_worker.ask(
            context,
            [recording = m_recording, request = std::move(request)](
                const std::stop_token&) { return answer(*recording, request); },
            std::move(reply));
    }

private:
    struct Recording { ///< of the worker's thread
        QString place;
        Identity of;
        db::PasswordProvider passwords;
        DamageSink damaged;
        std::unique_ptr<RecordingReader> reader;
        Result<void> open();
        void fail(const Error& error); ///< the reader could not answer
    };

    template <class Request>
    static std::invoke_result_t<const Request&, RecordingReader&> answer(
        Recording& recording, const Request& request)
    {
        LOCKSCOPE_TRY(recording.open());
        auto answered = request(*recording.reader);
        if (!answered)
            recording.fail(answered.error());
        return answered;
    }

    QString m_place;
    Identity m_of;
    std::shared_ptr<Recording> m_recording;
    Worker m_worker;
};

} // namespace lockscope::record
