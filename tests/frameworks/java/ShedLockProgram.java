// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

import java.time.Duration;
import java.time.Instant;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockingTaskExecutor.TaskResult;
import net.javacrumbs.shedlock.core.LockingTaskExecutor.TaskWithResult;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;

/** A task that runs once at a time. */
final class ShedLockProgram implements Frameworks.Program {
    private final boolean usesDatabaseTime;

    /** Its default is the time of the program, in its zone. */
    ShedLockProgram(boolean usesDatabaseTime) {
        this.usesDatabaseTime = usesDatabaseTime;
    }

    @Override
    public void run(Database database) throws Exception {
        // As its README has it.
        String time = database.isSqlite ? "timestamp" : "timestamp(3)";
        database.run("CREATE TABLE IF NOT EXISTS shedlock (name varchar(64) NOT NULL, lock_until " + time
                + " NOT NULL, locked_at " + time + " NOT NULL, locked_by varchar(255) NOT NULL, PRIMARY KEY (name))");
        JdbcTemplate template = new JdbcTemplate(database);
        JdbcTemplateLockProvider.Configuration.Builder configuration = JdbcTemplateLockProvider.Configuration
                .builder().withJdbcTemplate(template);
        if (database.isSqlite) {
            final int constraint = 19; // which Spring does not know
            template.setExceptionTranslator((task, sql, failed) -> failed.getErrorCode() == constraint
                    ? new DuplicateKeyException(task, failed)
                    : null);
            configuration.forceUtcTimeZone(); // it has no time of the database there
        } else if (usesDatabaseTime) {
            configuration.usingDbTime();
        }
        LockConfiguration lock = new LockConfiguration(Instant.now(), "nightly-report", Duration.ofMinutes(10),
                Duration.ZERO);
        TaskWithResult<String> task = () -> {
            Frameworks.underTheLock();
            return "";
        };
        TaskResult<String> result = null;
        try {
            result = new DefaultLockingTaskExecutor(new JdbcTemplateLockProvider(configuration.build()))
                    .executeWithLock(task, lock);
        } catch (Throwable failed) {
            throw new Exception(failed);
        }
        if (!result.wasExecuted()) {
            throw new Frameworks.Locked("the task was not run");
        }
    }
}
