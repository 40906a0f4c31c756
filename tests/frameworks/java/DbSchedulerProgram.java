// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A task that is to run once. */
final class DbSchedulerProgram implements Frameworks.Program {
    private final Duration heartbeat;

    DbSchedulerProgram(Duration heartbeat) {
        this.heartbeat = heartbeat;
    }

    @Override
    public void run(Database database) throws Exception {
        // As its README has it.
        database.run("CREATE TABLE IF NOT EXISTS scheduled_tasks (task_name text NOT NULL, task_instance text NOT NULL, "
                + "task_data bytea, execution_time timestamp with time zone NOT NULL, picked boolean NOT NULL, "
                + "picked_by text, last_success timestamp with time zone, last_failure timestamp with time zone, "
                + "consecutive_failures int, last_heartbeat timestamp with time zone, version bigint NOT NULL, "
                + "priority smallint, PRIMARY KEY (task_name, task_instance))");
        CountDownLatch ran = new CountDownLatch(1);
        OneTimeTask<Void> task = Tasks.oneTime("report").execute((instance, context) -> {
            Frameworks.underTheLock();
            ran.countDown();
        });
        Scheduler scheduler = Scheduler.create(database, task).threads(1).heartbeatInterval(heartbeat)
                .pollingInterval(Duration.ofMillis(200)).shutdownMaxWait(Duration.ofSeconds(10)).build();
        scheduler.scheduleIfNotExists(task.instance("nightly"), Instant.now());
        scheduler.start();
        // A holder stays in the task.
        while (!ran.await(3, TimeUnit.SECONDS)) {
            boolean isElsewhere = scheduler.getScheduledExecution(task.instance("nightly")).map(e -> e.isPicked())
                    .orElse(false) && scheduler.getCurrentlyExecuting().isEmpty();
            if (isElsewhere) {
                throw new Frameworks.Locked("the task is picked by another");
            }
        }
        scheduler.stop();
    }
}
