// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/channels/Channel.h"

#include <QUrl>

#include <curl/curl.h>

#include <memory>

namespace lockscope::alert {

/// One transfer by libcurl: verified TLS, no redirect followed, the answer cut at 64 KB, all of it in the
/// time that the options allow.
class Transfer {
public:
    explicit Transfer(const ChannelOptions& options);
    ~Transfer();
    Q_DISABLE_COPY_MOVE(Transfer)

    template <class Value> void set(CURLoption option, Value value)
    {
        curl_easy_setopt(m_handle.get(), option, value);
    }
    void setUrl(const QUrl& url, const char* protocols);
    void addTo(CURLoption option, const QByteArray& line); ///< a line of a list, such as a header
    void upload(const QByteArray& content); ///< what is to be read from us (mail)

    struct Answer {
        CURLcode code = CURLE_OK;
        long status = 0; ///< of HTTP or SMTP; 0: none came
        QByteArray body;
        std::chrono::seconds retryAfter{0}; ///< of HTTP, whether it was given in seconds or as a time
        bool wasStopped = false;
    };
    Answer perform(const std::stop_token& stop);
    /// Returns what went wrong, without anything of what was sent or received.
    static QString reasonOf(const Answer& answer);

private:
    static size_t receive(char* bytes, size_t size, size_t count, void* transfer);
    static size_t give(char* place, size_t size, size_t count, void* transfer);

    struct Lists;
    template <auto free> struct Free {
        template <class T> void operator()(T* object) const { free(object); }
    };
    const std::unique_ptr<Lists> m_lists;
    const std::unique_ptr<CURL, Free<curl_easy_cleanup>> m_handle;
    QByteArray m_upload;
    qsizetype m_uploaded = 0;
    QByteArray m_received;
};

/// Returns whether the address is this machine's own, as it is written.
bool isLoopback(const QUrl& url);
/// Returns `text` as an address with one of those protocols, a host, and no password in it. BadInput: it is
/// none. A secret may go there only by TLS or on this machine. The text itself may be secret and is in no
/// error.
Result<QUrl> checkedAddress(const QString& text, const QStringList& protocols);

} // namespace lockscope::alert
