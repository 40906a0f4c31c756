// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDataMap;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.utils.ConnectionProvider;

/** Stores a job whose data takes its time: all under the lock TRIGGER_ACCESS. */
final class QuartzProgram implements Frameworks.Program {
    /** Named in the scheduler's properties, hence public. */
    public static final class Connections implements ConnectionProvider {
        private final Database database = new Database();

        @Override
        public Connection getConnection() throws SQLException {
            return database.getConnection();
        }

        @Override
        public void shutdown() {
            // nothing is kept
        }

        @Override
        public void initialize() {
            // nothing is needed
        }
    }

    public static final class Nothing implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            // it is only stored
        }
    }

    private static final class Data implements Serializable {
        private static final long serialVersionUID = 1;

        private void writeObject(ObjectOutputStream out) throws IOException {
            Frameworks.underTheLock();
            out.defaultWriteObject();
        }
    }

    @Override
    public void run(Database database) throws Exception {
        database.create("org/quartz/impl/jdbcjobstore/tables_postgres.sql", "qrtz_locks");
        Properties settings = new Properties();
        settings.setProperty("org.quartz.scheduler.instanceName", "reports");
        settings.setProperty("org.quartz.scheduler.instanceId", "AUTO");
        settings.setProperty("org.quartz.scheduler.skipUpdateCheck", "true");
        settings.setProperty("org.quartz.threadPool.threadCount", "1");
        settings.setProperty("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
        settings.setProperty("org.quartz.jobStore.driverDelegateClass",
                "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate");
        settings.setProperty("org.quartz.jobStore.isClustered", "true");
        settings.setProperty("org.quartz.jobStore.dataSource", "server");
        settings.setProperty("org.quartz.dataSource.server.connectionProvider.class", Connections.class.getName());
        Scheduler scheduler = new StdSchedulerFactory(settings).getScheduler();
        JobDataMap data = new JobDataMap();
        data.put("report", new Data());
        JobDetail job = JobBuilder.newJob(Nothing.class).withIdentity("nightly").usingJobData(data).storeDurably().build();
        scheduler.addJob(job, true);
        scheduler.shutdown(true);
    }
}
