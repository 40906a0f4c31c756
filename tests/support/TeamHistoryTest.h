// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/postgres/HistorySchema.h"
#include "core/record/postgres/HistoryStore.h"
#include "core/record/postgres/HistoryUpload.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace lockscope::test {

/// Returns where two recordings answer differently; empty if nowhere.
QString differenceOf(record::RecordingReader& a, record::RecordingReader& b);

/// The waits and holds of a range, sorted.
QStringList heldIn(record::RecordingReader& reader, ServerTime from, ServerTime to);

/// A watcher and its file, with data of a busy server.
class Watcher {
public:
    Watcher(const QString& path, const QString& id, const QString& server, quint32 seed)
        : m_path(path)
        , m_id(id)
        , m_server(server)
        , m_random(seed)
        , m_noted{1'795'387'821'000'000 + qint64(seed) * 1'000} // no two poll at the same time
    {
        m_writer = orDie(record::RecordingWriter::open(
            path, {id, server, Engine::Postgres, m_noted, false, u"tst_TeamHistory"_s}));
    }
    bool recordPolls(int times = 1)
    {
        for (int i = 0; i < times; ++i) {
            Snapshot snapshot = m_random.next();
            snapshot.server = m_server;
            snapshot.engine = Engine::Postgres;
            snapshot.index();
            m_noted = m_noted + std::chrono::seconds(1);
            ++m_pollCount;
            const monitor::Surroundings around{{}, {{monitor::measures::active, {}, m_pollCount}}, {}};
            if (!m_writer->append(std::make_shared<const Snapshot>(std::move(snapshot)), m_noted, {}, around))
                return false;
        }
        return true;
    }
    const QString& path() const { return m_path; }
    const QString& id() const { return m_id; }
    int pollCount() const { return m_pollCount; }
    ServerTime noted() const { return m_noted; }
    record::RecordingWriter& writer() { return *m_writer; }
    void stop() { m_writer.reset(); }

private:
    QString m_path;
    QString m_id;
    QString m_server;
    RandomSnapshots m_random;
    ServerTime m_noted;
    int m_pollCount = 0;
    std::unique_ptr<record::RecordingWriter> m_writer;
};

/// A test of a history, of which each function has one of its own: empty, with a writer and a reader.
class TeamHistoryTest : public QObject {
protected:
    static constexpr ServerTime ever{1};
    static constexpr ServerTime never{4'000'000'000'000'000};
    static inline const QString reading = u"GRANT lockscope_history_reader TO {role}"_s;
    static inline const QString writing = u"GRANT lockscope_history_writer TO {role}"_s;

    void makeHistory()
    {
        m_history = server().freshDatabase(TestServer::Schema::None);
        const auto connection = server().connect(m_history);
        const auto installed = record::installHistory(*connection);
        VERIFY_DONE(installed);
        QCOMPARE(installed->before, 0);
        m_writer = server().asRole(m_history, writing);
        m_reader = server().asRole(m_history, reading);
    }
    static QString placeOf(const db::ServerUrl& url, const QString& recording)
    {
        return url.toString() + u'#' + recording;
    }
    static TestServer& server() { return TestServer::shared(); }
    db::Server asWriter() const { return server().at(m_writer); }
    /// Brings all that the watcher has seen so far.
    bool bring(const Watcher& watcher) const
    {
        record::HistoryUpload upload(watcher.path(), asWriter());
        return upload.finish(patience);
    }
    QString newPath() { return m_folder.filePath(u"w%1.lockscope"_s.arg(++m_files)); }
    std::unique_ptr<record::RecordingReader> read(const QString& place)
    {
        auto opened = record::RecordingReader::open(place);
        if (!opened)
            qWarning("%s", qPrintable(opened.error().toString()));
        return opened ? std::move(*opened) : nullptr;
    }
    /// Returns the difference between the answers of the history and of the watcher's file.
    QString difference(const Watcher& watcher)
    {
        const auto file = read(watcher.path());
        const auto there = read(placeOf(m_reader, watcher.id()));
        return file && there ? differenceOf(*file, *there) : u"can't be opened"_s;
    }
    /// Returns the error of an SQL statement by this login; empty: it succeeded.
    static QString refusal(const db::ServerUrl& who, const QString& sql)
    {
        const auto connection = server().connect(who);
        const auto done = runSql(*connection, sql);
        return done ? QString() : done.error().detail;
    }
    QString askAsOwner(const QString& sql) const { return ask(*server().connect(m_history), sql); }

    QTemporaryDir m_folder;
    int m_files = 0;
    db::ServerUrl m_history; // as superuser, to whom the schema belongs
    db::ServerUrl m_writer;
    db::ServerUrl m_reader;
};

} // namespace lockscope::test
