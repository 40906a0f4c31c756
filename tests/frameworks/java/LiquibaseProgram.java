// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

import java.sql.Connection;
import java.util.Map;
import liquibase.Contexts;
import liquibase.Liquibase;
import liquibase.Scope;
import liquibase.change.custom.CustomTaskChange;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.exception.LiquibaseException;
import liquibase.exception.LockException;
import liquibase.exception.ValidationErrors;
import liquibase.resource.ClassLoaderResourceAccessor;
import liquibase.resource.ResourceAccessor;
import liquibase.ui.LoggerUIService;

/** An update with one change set. */
final class LiquibaseProgram implements Frameworks.Program {
    /** The change of liquibase.xml. */
    public static final class Change implements CustomTaskChange {
        @Override
        public void execute(liquibase.database.Database database) {
            Frameworks.underTheLock();
        }

        @Override
        public String getConfirmationMessage() {
            return "changed";
        }

        @Override
        public void setUp() {
            // nothing is needed
        }

        @Override
        public void setFileOpener(ResourceAccessor resources) {
            // it reads no files
        }

        @Override
        public ValidationErrors validate(liquibase.database.Database database) {
            return new ValidationErrors();
        }
    }

    private final int minutesToWait;

    LiquibaseProgram(int minutesToWait) {
        this.minutesToWait = minutesToWait;
    }

    @Override
    public void run(Database database) throws Exception {
        Map<String, Object> settings = Map.of("liquibase.changelogLockWaitTimeInMinutes", minutesToWait, //
                "liquibase.changelogLockPollRate", 1, "liquibase.analytics.enabled", false, Scope.Attr.ui.name(), new LoggerUIService());
        Scope.child(settings, () -> {
            try (Connection connection = database.getConnection()) {
                liquibase.database.Database target = DatabaseFactory.getInstance()
                        .findCorrectDatabaseImplementation(new JdbcConnection(connection));
                new Liquibase("liquibase.xml", new ClassLoaderResourceAccessor(), target).update(new Contexts());
            } catch (LiquibaseException failed) {
                for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
                    if (cause instanceof LockException) {
                        throw new Frameworks.Locked(cause.getMessage());
                    }
                }
                throw failed;
            }
        });
    }
}
