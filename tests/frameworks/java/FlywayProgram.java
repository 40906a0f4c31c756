// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.api.migration.BaseJavaMigration;
import org.flywaydb.core.api.migration.Context;
import org.flywaydb.core.api.migration.JavaMigration;

/** A migration in Java. */
final class FlywayProgram implements Frameworks.Program {
    private static final class Migration extends BaseJavaMigration {
        @Override
        protected void init() {
            // Else read from the class's name.
        }

        @Override
        public MigrationVersion getVersion() {
            return MigrationVersion.fromVersion("1");
        }

        @Override
        public String getDescription() {
            return "slow";
        }

        @Override
        public void migrate(Context context) {
            Frameworks.underTheLock();
        }
    }

    @Override
    public void run(Database database) throws Exception {
        try {
            Flyway.configure().dataSource(database).javaMigrations(new JavaMigration[] {new Migration()}) //
                    .locations(new String[0]).lockRetryCount(1).load().migrate();
        } catch (FlywayException failed) {
            if (failed.getMessage().contains("lock")) {
                throw new Frameworks.Locked(failed.getMessage().lines().findFirst().orElse(""));
            }
            throw failed;
        }
    }
}
