// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jobrunr.storage.sql.common.DatabaseCreator;
import org.jobrunr.storage.sql.common.migrations.SqlMigration;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;

/** The migrations of its tables, the first of which takes its time. */
final class JobRunrProgram implements Frameworks.Program {
    private static final class SlowCreator extends DatabaseCreator {
        SlowCreator(Database database) {
            super(database, PostgresStorageProvider.class);
        }

        @Override
        protected void runMigration(SqlMigration migration) {
            super.runMigration(migration);
            if (!migration.getFileName().startsWith("v000")) { // which makes the table that has the lock
                Frameworks.underTheLock();
            }
        }
    }

    @Override
    public void run(Database database) throws Exception {
        CompletableFuture<Void> migrations = CompletableFuture.runAsync(() -> new SlowCreator(database).runMigrations());
        try {
            migrations.get(Frameworks.patience(), TimeUnit.SECONDS);
        } catch (TimeoutException waits) {
            throw new Frameworks.Locked("it waits for migrations to finish");
        } catch (ExecutionException failed) {
            if (failed.getMessage().contains("timed out")) {
                throw new Frameworks.Locked(failed.getMessage());
            }
            throw failed;
        }
    }
}
