// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** What a program does under a lock of its registry. */
final class SpringIntegrationProgram implements Frameworks.Program {
    @Override
    public void run(Database database) throws Exception {
        database.create("org/springframework/integration/jdbc/schema-postgresql.sql", "int_lock");
        DefaultLockRepository repository = new DefaultLockRepository(database);
        repository.setTransactionManager(new DataSourceTransactionManager(database));
        // What the container would call.
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        Lock lock = new JdbcLockRegistry(repository).obtain("nightly-report");
        if (!lock.tryLock(1, TimeUnit.SECONDS)) {
            throw new Frameworks.Locked("tryLock() did not get it");
        }
        try {
            Frameworks.underTheLock();
        } finally {
            lock.unlock();
        }
    }
}
