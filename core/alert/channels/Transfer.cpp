// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/channels/Transfer.h"

#include <QFile>
#include <QHostAddress>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>
#include <mutex>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxAnswer = 65'536;

/// OpenSSL writes to sockets that may be closed; libcurl can't catch the signal where there are threads.
class NoBrokenPipe {
public:
    NoBrokenPipe()
    {
        sigemptyset(&m_signals);
        sigaddset(&m_signals, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &m_signals, &m_before);
    }
    ~NoBrokenPipe()
    {
        if (sigismember(&m_before, SIGPIPE) == 1)
            return;
        const timespec none{};
        while (sigtimedwait(&m_signals, nullptr, &none) == SIGPIPE) { }
        pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
    }
    Q_DISABLE_COPY_MOVE(NoBrokenPipe)

private:
    sigset_t m_signals{};
    sigset_t m_before{};
};

struct EndMulti {
    void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};

CURLcode codeOf(CURLM* multi)
{
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi, &left)) {
        if (message->msg == CURLMSG_DONE)
            return message->data.result;
    }
    return CURLE_FAILED_INIT;
}

} // namespace

struct Transfer::Lists {
    ~Lists()
    {
        for (const auto& [option, list] : ofOption)
            curl_slist_free_all(list);
    }
    std::map<CURLoption, curl_slist*> ofOption;
};

Transfer::Transfer(const ChannelOptions& options)
    : m_lists([] {
        static std::once_flag once;
        std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
        return std::make_unique<Lists>();
    }())
    , m_handle(curl_easy_init())
{
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_QUICK_EXIT, 1L); // a name service that hangs does not keep us
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(options.timeout.count()));
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_SSL_VERIFYPEER, 1L);
    set(CURLOPT_SSL_VERIFYHOST, 2L);
    set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    set(CURLOPT_WRITEFUNCTION, &Transfer::receive);
    set(CURLOPT_WRITEDATA, this);
    if (!options.authorities.isEmpty())
        set(CURLOPT_CAINFO, QFile::encodeName(options.authorities).constData());
    for (const QString& each : options.addresses)
        addTo(CURLOPT_RESOLVE, each.toLatin1());
}

Transfer::~Transfer() = default;

void Transfer::setUrl(const QUrl& url, const char* protocols)
{
    set(CURLOPT_URL, url.toEncoded().constData());
    set(CURLOPT_PROTOCOLS_STR, protocols);
    if (isLoopback(url))
        set(CURLOPT_NOPROXY, "*"); // it would send it over the network
}

void Transfer::addTo(CURLoption option, const QByteArray& line)
{
    curl_slist*& list = m_lists->ofOption[option];
    if (curl_slist* const longer = curl_slist_append(list, line.constData()))
        list = longer;
    set(option, list);
}

void Transfer::upload(const QByteArray& content)
{
    m_upload = content;
    set(CURLOPT_UPLOAD, 1L);
    set(CURLOPT_READFUNCTION, &Transfer::give);
    set(CURLOPT_READDATA, this);
}

size_t Transfer::receive(char* bytes, size_t size, size_t count, void* transfer)
{
    QByteArray& received = static_cast<Transfer*>(transfer)->m_received;
    const auto all = static_cast<qsizetype>(size) * static_cast<qsizetype>(count);
    const qsizetype taken = std::min(all, maxAnswer - received.size());
    received.append(bytes, taken);
    return static_cast<size_t>(taken); // less than there is ends the transfer
}

size_t Transfer::give(char* place, size_t size, size_t count, void* transfer)
{
    auto& self = *static_cast<Transfer*>(transfer);
    const qsizetype given =
        std::min(static_cast<qsizetype>(size * count), self.m_upload.size() - self.m_uploaded);
    std::memcpy(place, self.m_upload.constData() + self.m_uploaded, static_cast<size_t>(given));
    self.m_uploaded += given;
    return static_cast<size_t>(given);
}

Transfer::Answer Transfer::perform(const std::stop_token& stop)
{
    const NoBrokenPipe quiet;
    const std::unique_ptr<CURLM, EndMulti> multi(curl_multi_init());
    const std::stop_callback wake(stop, [&] { curl_multi_wakeup(multi.get()); });
    curl_multi_add_handle(multi.get(), m_handle.get());
    int running = 1;
    Answer answer;
    while (running > 0 && !stop.stop_requested()) {
        if (curl_multi_perform(multi.get(), &running) != CURLM_OK)
            break;
        if (running > 0)
            curl_multi_poll(multi.get(), nullptr, 0, 1'000, nullptr);
    }
    answer.wasStopped = running > 0 && stop.stop_requested();
    answer.code = codeOf(multi.get());
    curl_easy_getinfo(m_handle.get(), CURLINFO_RESPONSE_CODE, &answer.status);
    curl_off_t retryAfter = 0;
    curl_easy_getinfo(m_handle.get(), CURLINFO_RETRY_AFTER, &retryAfter);
    answer.retryAfter = std::chrono::seconds(retryAfter);
    curl_multi_remove_handle(multi.get(), m_handle.get());
    answer.body = m_received;
    return answer;
}

QString Transfer::reasonOf(const Answer& answer)
{
    // Not the text of CURLOPT_ERRORBUFFER, which quotes addresses and answers.
    return QString::fromLatin1(curl_easy_strerror(answer.code));
}

bool isLoopback(const QUrl& url)
{
    const QString host = url.host();
    return host == u"localhost" || QHostAddress(host).isLoopback();
}

Result<QUrl> checkedAddress(const QString& text, const QStringList& protocols)
{
    const QUrl url(text, QUrl::StrictMode);
    if (!url.isValid() || url.host().isEmpty() || !protocols.contains(url.scheme()))
        return failure(ErrorKind::BadInput,
            u"The channel's address is none with %1 and a host."_s.arg(protocols.join(u" or "_s)));
    if (!url.userInfo().isEmpty())
        return failure(ErrorKind::BadInput, u"The channel's address has a user or password in it."_s,
            u"Name the user in \"user\" and the place of the password in \"secret\"."_s);
    return url;
}

} // namespace lockscope::alert
