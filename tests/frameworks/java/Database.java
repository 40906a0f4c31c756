// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * Where the framework works: the SQLite file FRAMEWORK_FILE, or the PostgreSQL database of PGHOST, PGPORT, …, if need
 * be from this machine's address FRAMEWORK_FROM.
 */
final class Database implements DataSource {
    final boolean isSqlite = System.getenv("FRAMEWORK_FILE") != null;

    @Override
    public Connection getConnection() throws SQLException {
        if (isSqlite) {
            return DriverManager.getConnection("jdbc:sqlite:" + System.getenv("FRAMEWORK_FILE"));
        }
        String url = "jdbc:postgresql://" + System.getenv("PGHOST") + ":" + System.getenv("PGPORT") + "/"
                + System.getenv("PGDATABASE");
        if (System.getenv("FRAMEWORK_FROM") != null) {
            url += "?localSocketAddress=" + System.getenv("FRAMEWORK_FROM");
        }
        return getConnection(url);
    }

    private static Connection getConnection(String url) throws SQLException {
        return DriverManager.getConnection(url, System.getenv("PGUSER"), System.getenv("PGPASSWORD"));
    }

    void run(String sql) throws SQLException {
        try (Connection connection = getConnection(); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Runs a script of a library, once. */
    void create(String script, String table) throws Exception {
        try (Connection connection = getConnection()) {
            if (connection.getMetaData().getTables(null, "public", table, null).next()) {
                return;
            }
        }
        try (InputStream in = Database.class.getClassLoader().getResourceAsStream(script)) {
            run(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return getConnection();
    }

    @Override
    public PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {
        // nobody logs
    }

    @Override
    public void setLoginTimeout(int seconds) {
        // as the driver has it
    }

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("wraps nothing");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
