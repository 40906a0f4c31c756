// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/metrics/OpenMetrics.h"

#include "core/alert/channels/Channel.h"
#include "core/base/PlainFile.h"

#include <QCryptographicHash>
#include <QHostAddress>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>

#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace lockscope::metrics {

using namespace Qt::StringLiterals;

namespace {

constexpr unsigned maxReaders = 64;
constexpr unsigned secondsForAReader = 3; // of silence
// From here on one reader makes place for the next, of the same address or of all. The daemon takes
// up to ten that connect before it reads from those that are there: far fewer.
constexpr std::ptrdiff_t maxOfAnAddress = 32;
constexpr size_t maxOfAll = 48;
constexpr size_t blockSize = 32 * 1'024; // of an answer
constexpr qint64 maxPem = 1 << 20;

/// A key that others can read is none. As with those of PostgreSQL, a group of root's may read it.
Result<QByteArray> pem(const QString& path, PlainFile::Others allowed)
{
    const PlainFile file(path);
    if (const auto reason = file.reasonAgainst(allowed))
        return failure(ErrorKind::Permission,
            (reason->kind == ErrorKind::Permission ? u"The key %1 is not used: %2."_s
                                                   : u"%1 can't be read: %2."_s)
                .arg(path, reason->what),
            reason->hint);
    const auto text = file.read(maxPem + 1);
    if (!text || text->trimmed().isEmpty() || text->size() > maxPem)
        return failure(ErrorKind::BadInput, u"%1 is no certificate and no key."_s.arg(path));
    return text;
}

/// In the same time whatever is equal, and however long both are.
bool isSame(const QByteArray& one, const QByteArray& other)
{
    const auto digest = [](const QByteArray& text) {
        return QCryptographicHash::hash(text, QCryptographicHash::Sha256);
    };
    const QByteArray first = digest(one);
    const QByteArray second = digest(other);
    unsigned difference = 0;
    for (qsizetype i = 0; i < first.size(); ++i)
        difference |= unsigned(quint8(first[i]) ^ quint8(second[i]));
    return difference == 0;
}

/// The address in the form of the system.
struct Socket {
    sockaddr_storage address{};
    bool isIpv6 = false;

    explicit Socket(const ListenSettings& settings)
    {
        const QHostAddress host(settings.address);
        isIpv6 = host.protocol() == QHostAddress::IPv6Protocol;
        if (isIpv6) {
            sockaddr_in6 six{};
            six.sin6_family = AF_INET6;
            six.sin6_port = htons(settings.port);
            const Q_IPV6ADDR bytes = host.toIPv6Address();
            std::copy_n(std::begin(bytes.c), sizeof bytes.c, std::begin(six.sin6_addr.s6_addr));
            std::memcpy(&address, &six, sizeof six);
        } else {
            sockaddr_in four{};
            four.sin_family = AF_INET;
            four.sin_port = htons(settings.port);
            four.sin_addr.s_addr = htonl(host.toIPv4Address());
            std::memcpy(&address, &four, sizeof four);
        }
    }
};

/// The readers that are connected; those that have got on last come last. One that is slow or many keeps
/// no place from the next: the reader that has not got on for the longest time goes. A reader gets on when it
/// connects, has asked, and takes another block of its answer. Of the daemon's thread.
class Readers {
public:
    void add(MHD_Connection* connection)
    {
        const auto* const peer = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
        const auto* const socket = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        if (!peer || !socket)
            return;
        const QHostAddress address(peer->client_addr);
        const auto isNeighbour = [&address](const Reader& each) { return each.address == address; };
        if (std::count_if(m_readers.begin(), m_readers.end(), isNeighbour) >= maxOfAnAddress)
            removeOne(isNeighbour);
        else if (m_readers.size() >= maxOfAll)
            removeOne([](const Reader&) { return true; });
        m_readers.push_back({connection, socket->connect_fd, address});
    }
    void noteProgress(const MHD_Connection* connection)
    {
        const auto reader = std::find_if(m_readers.begin(), m_readers.end(),
            [connection](const Reader& each) { return each.connection == connection; });
        if (reader != m_readers.end())
            m_readers.splice(m_readers.end(), m_readers, reader);
    }
    void remove(const MHD_Connection* connection)
    {
        m_readers.remove_if([connection](const Reader& each) { return each.connection == connection; });
    }
    static void note(
        void* self, MHD_Connection* connection, void** /*kept*/, MHD_ConnectionNotificationCode what)
    {
        if (what == MHD_CONNECTION_NOTIFY_STARTED)
            static_cast<Readers*>(self)->add(connection);
        else
            static_cast<Readers*>(self)->remove(connection);
    }

private:
    struct Reader {
        const MHD_Connection* connection;
        MHD_socket socket;
        QHostAddress address;
    };
    template <class Among> void removeOne(const Among& isAmong)
    {
        const auto leaves = std::find_if(m_readers.begin(), m_readers.end(), isAmong);
        ::shutdown(leaves->socket, SHUT_RDWR); // the daemon closes it
        m_readers.erase(leaves);
    }
    std::list<Reader> m_readers;
};

struct ResponseEnd {
    void operator()(MHD_Response* response) const { MHD_destroy_response(response); }
};
using Response = std::unique_ptr<MHD_Response, ResponseEnd>;

/// A text on its way to a reader, block by block.
struct OngoingAnswer {
    QByteArray text;
    Readers& readers;
    MHD_Connection* connection;

    static ssize_t nextBlock(void* self, uint64_t from, char* block, size_t size)
    {
        const auto& [text, readers, connection] = *static_cast<OngoingAnswer*>(self);
        readers.noteProgress(connection);
        const auto rest = QByteArrayView(text)
                              .sliced(qsizetype(from))
                              .first(std::min(qsizetype(size), text.size() - qsizetype(from)));
        std::copy(rest.begin(), rest.end(), block);
        return rest.size();
    }
    static void end(void* self) { delete static_cast<OngoingAnswer*>(self); }
};

Response response(OngoingAnswer answer, const QByteArray& type)
{
    const auto size = uint64_t(answer.text.size());
    Response made(MHD_create_response_from_callback(size, blockSize, &OngoingAnswer::nextBlock,
        new OngoingAnswer(std::move(answer)), &OngoingAnswer::end));
    if (made) {
        MHD_add_response_header(made.get(), MHD_HTTP_HEADER_CONTENT_TYPE, type.constData());
        MHD_add_response_header(made.get(), MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
        // A reader that was answered keeps no place.
        MHD_add_response_header(made.get(), MHD_HTTP_HEADER_CONNECTION, "close");
        MHD_add_response_header(made.get(), "X-Content-Type-Options", "nosniff");
    }
    return made;
}

} // namespace

Result<void> checkListening(const ListenSettings& settings)
{
    const QHostAddress address(settings.address);
    if (address.isNull())
        return failure(ErrorKind::BadInput, u"'%1' is no address."_s.arg(settings.address),
            u"Use one like 127.0.0.1 or ::1."_s);
    if (settings.certificate.isEmpty() != settings.key.isEmpty())
        return failure(ErrorKind::BadInput, u"TLS needs both, a certificate and its key."_s);
    if (settings.user.isEmpty() != settings.password.isEmpty())
        return failure(ErrorKind::BadInput, u"A user needs a password, and a password a user."_s);
    if (!settings.password.isEmpty())
        LOCKSCOPE_TRY(alert::checkSecretReference(settings.password));
    if (settings.user.contains(u':'))
        return failure(
            ErrorKind::BadInput, u"A user's name has no colon: basic authentication ends it there."_s);
    const bool isOpen = !address.isLoopback();
    if (isOpen && (settings.certificate.isEmpty() || settings.user.isEmpty()))
        return failure(ErrorKind::BadInput,
            u"Others than this machine could ask at %1 without a password, or hear it."_s.arg(
                settings.address),
            u"Set a certificate, its key, a user and a password, or listen at 127.0.0.1."_s);
    return {};
}

struct MetricsServer::Daemon {
    ListenSettings settings;
    Source source;
    QByteArray user;
    QByteArray password;
    Readers readers;
    MHD_Daemon* daemon = nullptr;
    quint16 port = 0;

    ~Daemon()
    {
        if (daemon)
            MHD_stop_daemon(daemon);
    }

    Result<void> start();
    bool isAllowed(MHD_Connection* connection) const;
    MHD_Result answer(MHD_Connection* connection, const char* path, const char* method);
    static MHD_Result answer(void* self, MHD_Connection* connection, const char* path, const char* method,
        const char* version, const char* body, size_t* bodySize, void** request);
};

Result<void> MetricsServer::Daemon::start()
{
    LOCKSCOPE_TRY(checkListening(settings));
    QByteArray certificate;
    QByteArray key;
    if (!settings.certificate.isEmpty()) {
        const auto read = pem(settings.certificate, PlainFile::Others::Anything);
        LOCKSCOPE_TRY_GET(
            const auto readKey, read ? pem(settings.key, PlainFile::Others::ReadByRootsGroup) : read);
        certificate = *read;
        key = readKey;
    }
    if (!settings.user.isEmpty()) {
        LOCKSCOPE_TRY_GET(const auto secret, alert::readSecret(settings.password));
        user = settings.user.toUtf8();
        password = secret.toUtf8();
    }
    const Socket socket(settings);
    std::vector<MHD_OptionItem> options{
        {MHD_OPTION_SOCK_ADDR, 0, const_cast<sockaddr_storage*>(&socket.address)},
        {MHD_OPTION_CONNECTION_LIMIT, maxReaders, nullptr},
        {MHD_OPTION_CONNECTION_TIMEOUT, secondsForAReader, nullptr},
        {MHD_OPTION_NOTIFY_CONNECTION, reinterpret_cast<intptr_t>(&Readers::note), &readers},
    };
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO;
    if (socket.isIpv6)
        flags |= MHD_USE_IPv6;
    if (!settings.certificate.isEmpty()) {
        flags |= MHD_USE_TLS;
        options.push_back({MHD_OPTION_HTTPS_MEM_CERT, 0, certificate.data()});
        options.push_back({MHD_OPTION_HTTPS_MEM_KEY, 0, key.data()});
        options.push_back({MHD_OPTION_HTTPS_PRIORITIES, 0,
            const_cast<char*>("SECURE128:-VERS-ALL:+VERS-TLS1.2:+VERS-TLS1.3")});
    }
    options.push_back({MHD_OPTION_END, 0, nullptr});
    errno = 0;
    daemon = MHD_start_daemon(flags, settings.port, nullptr, nullptr, &Daemon::answer, this, MHD_OPTION_ARRAY,
        options.data(), MHD_OPTION_END);
    if (!daemon) {
        const QString why = errno == EADDRINUSE ? u"the address is in use by another program"_s
            : errno                             ? QString::fromLocal8Bit(std::strerror(errno))
                                                : u"the certificate or its key is not valid"_s;
        return failure(ErrorKind::Connection,
            u"Metrics can't be given at %1, port %2: %3."_s.arg(settings.address)
                .arg(settings.port)
                .arg(why));
    }
    const MHD_DaemonInfo* const bound = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    port = bound ? bound->port : settings.port;
    return {};
}

bool MetricsServer::Daemon::isAllowed(MHD_Connection* connection) const
{
    if (user.isEmpty())
        return true;
    char* given = nullptr;
    char* const name = MHD_basic_auth_get_username_password(connection, &given);
    const bool isUser = isSame(name, user);
    const bool isPassword = isSame(given, password);
    const bool isGiven = name && given;
    MHD_free(name);
    MHD_free(given);
    return isGiven && isUser && isPassword;
}

MHD_Result MetricsServer::Daemon::answer(MHD_Connection* connection, const char* path, const char* method)
{
    const auto sentence = [&](const char* text) {
        return response({text, readers, connection}, "text/plain; charset=utf-8"_qba);
    };
    const auto refuse = [&](unsigned code, const char* text) {
        const Response refused = sentence(text);
        return refused ? MHD_queue_response(connection, code, refused.get()) : MHD_NO;
    };
    if (!isAllowed(connection)) {
        const Response denied = sentence("A user and a password are needed.\n");
        return denied ? MHD_queue_basic_auth_fail_response(connection, "Lockscope", denied.get()) : MHD_NO;
    }
    if (std::strcmp(path, "/metrics") != 0)
        return refuse(MHD_HTTP_NOT_FOUND, "There is /metrics, and nothing else.\n");
    if (std::strcmp(method, MHD_HTTP_METHOD_GET) != 0 && std::strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return refuse(MHD_HTTP_METHOD_NOT_ALLOWED, "Metrics can only be read.\n");
    const Format format =
        formatFor(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT));
    const Response answered = response({source(format), readers, connection}, contentType(format));
    return answered ? MHD_queue_response(connection, MHD_HTTP_OK, answered.get()) : MHD_NO;
}

MHD_Result MetricsServer::Daemon::answer(void* self, MHD_Connection* connection, const char* path,
    const char* method, const char*, const char*, size_t* bodySize, void** request)
{
    // The first call has only the head, and of a body nothing is kept.
    static char begun;
    if (!*request) {
        *request = &begun;
        return MHD_YES;
    }
    if (*bodySize > 0) {
        *bodySize = 0;
        return MHD_YES;
    }
    auto& daemon = *static_cast<Daemon*>(self);
    daemon.readers.noteProgress(connection);
    return daemon.answer(connection, path, method);
}

Result<std::unique_ptr<MetricsServer>> MetricsServer::start(const ListenSettings& settings, Source source)
{
    auto daemon = std::make_unique<Daemon>();
    daemon->settings = settings;
    daemon->source = std::move(source);
    LOCKSCOPE_TRY(daemon->start());
    return std::unique_ptr<MetricsServer>(new MetricsServer(std::move(daemon)));
}

MetricsServer::MetricsServer(std::unique_ptr<Daemon> daemon)
    : m_daemon(std::move(daemon))
{
}

MetricsServer::~MetricsServer() = default;

QString MetricsServer::url() const
{
    const bool isIpv6 = QHostAddress(m_daemon->settings.address).protocol() == QHostAddress::IPv6Protocol;
    return u"%1://%2:%3/metrics"_s
        .arg(m_daemon->settings.certificate.isEmpty() ? u"http"_s : u"https"_s,
            isIpv6 ? u'[' + m_daemon->settings.address + u']' : m_daemon->settings.address)
        .arg(m_daemon->port);
}

} // namespace lockscope::metrics
