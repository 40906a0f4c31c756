// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>

namespace lockscope::test {

/// Settings of PostgreSQL that a database or a role may preset and that our sessions leave as they are, each
/// with the reason why that does us no harm. A setting in neither this list nor the statement
/// session/settings is a fault: tst_SessionSettings finds it, in a new version of the server, too.
struct HarmlessSettings {
    const char* why;
    const char* names; ///< with spaces between
};

inline constexpr std::array harmlessSettings{
    HarmlessSettings{"how fast, not what: the planner's costs and choices",
        "constraint_exclusion cpu_index_tuple_cost cpu_operator_cost cpu_tuple_cost cursor_tuple_fraction default_statistics_target effective_cache_size enable_async_append enable_bitmapscan enable_distinct_reordering enable_gathermerge enable_group_by_reordering enable_hashagg "
        "enable_hashjoin enable_incremental_sort enable_indexonlyscan enable_indexscan enable_material enable_memoize enable_mergejoin enable_nestloop enable_parallel_append enable_parallel_hash enable_partition_pruning enable_partitionwise_aggregate enable_partitionwise_join "
        "enable_presorted_aggregate enable_self_join_elimination enable_sort enable_tidscan from_collapse_limit geqo geqo_effort geqo_generations geqo_pool_size geqo_seed geqo_selection_bias geqo_threshold jit_above_cost jit_expressions jit_inline_above_cost jit_optimize_above_cost "
        "jit_tuple_deforming join_collapse_limit max_parallel_maintenance_workers max_parallel_workers max_parallel_workers_per_gather min_parallel_index_scan_size min_parallel_table_scan_size parallel_leader_participation parallel_setup_cost parallel_tuple_cost random_page_cost "
        "recursive_worktable_factor seq_page_cost synchronize_seqscans"},
    HarmlessSettings{"how fast, not what: memory, disk and log of changes",
        "backend_flush_after commit_delay commit_siblings effective_io_concurrency file_copy_method gin_pending_list_limit hash_mem_multiplier io_combine_limit logical_decoding_work_mem maintenance_io_concurrency maintenance_work_mem temp_buffers wal_compression "
        "wal_consistency_checking wal_init_zero wal_recycle wal_skip_threshold work_mem"},
    HarmlessSettings{
        "PL/pgSQL: no name in our functions is ambiguous, or they would fail with the default; none has an assertion; warnings and details of errors stop nothing",
        "plpgsql.check_asserts plpgsql.extra_warnings plpgsql.print_strict_params plpgsql.variable_conflict"},
    HarmlessSettings{"what is too much for it ends in an error", "max_stack_depth temp_file_limit"},
    HarmlessSettings{"of vacuum, which we never run",
        "vacuum_buffer_usage_limit vacuum_cost_delay vacuum_cost_limit vacuum_cost_page_dirty vacuum_cost_page_hit vacuum_cost_page_miss vacuum_failsafe_age vacuum_freeze_min_age vacuum_freeze_table_age vacuum_max_eager_freeze_failure_rate vacuum_multixact_failsafe_age "
        "vacuum_multixact_freeze_min_age vacuum_multixact_freeze_table_age vacuum_truncate"},
    HarmlessSettings{"of replication, which our sessions take no part in",
        "debug_logical_replication_streaming log_replication_commands output_plugin_libraries wal_sender_timeout"},
    HarmlessSettings{
        "of objects that we do not make or read: full text, XML, large objects, passwords, collations, composite types in PL/pgSQL",
        "default_text_search_config gin_fuzzy_search_limit icu_validation_level lo_compat_privileges md5_password_warnings password_encryption scram_iterations xmlbinary xmloption composite_type_mismatch"},
    HarmlessSettings{"where a table's bytes are kept; who may choose that owns the database",
        "default_tablespace default_toast_compression temp_tablespaces"},
    HarmlessSettings{
        "of texts that we do not let the server write or read: numbers, money and times by to_char, bytea, names of time zones, backslashes in a mode that we do not use",
        "backslash_quote bytea_output escape_string_warning lc_monetary lc_numeric lc_time timezone_abbreviations"},
    HarmlessSettings{
        "times travel as microseconds; what has no zone is read by the rule of its file", "TimeZone"},
    HarmlessSettings{"messages are told apart by their codes", "lc_messages"},
    HarmlessSettings{"of one transaction, or of the one that logs in: the next begins with the default",
        "transaction_deferrable transaction_isolation"},
    HarmlessSettings{"an error where rows would be hidden; without policies the same", "row_security"},
    HarmlessSettings{"a function is checked when it is made, or when it is called", "check_function_bodies"},
    HarmlessSettings{
        "what who makes a role gets by it; he may grant that to himself", "createrole_self_grant"},
    HarmlessSettings{"how current figures are, of which we ask one at a time", "stats_fetch_consistency"},
    HarmlessSettings{
        "loads what the server's administrator has put into its folder plugins, and nothing else; see security.md",
        "local_preload_libraries"},
    HarmlessSettings{"only written to the server's log",
        "debug_pretty_print debug_print_parse debug_print_plan debug_print_rewritten log_parameter_max_length_on_error trace_notify trace_sort"},
    HarmlessSettings{"a superuser's: only written to the server's log",
        "backtrace_functions log_connections log_disconnections log_duration log_error_verbosity log_executor_stats log_lock_failures log_lock_waits log_min_duration_sample log_min_duration_statement log_min_error_statement log_min_messages log_parameter_max_length "
        "log_parser_stats log_planner_stats log_statement log_statement_sample_rate log_statement_stats log_temp_files log_transaction_sample_rate"},
    HarmlessSettings{"a superuser's: what of us others see, and what we see of others; the check tells",
        "compute_query_id track_activities track_cost_delay_timing track_counts track_functions track_io_timing track_wal_io_timing update_process_title"},
    HarmlessSettings{
        "a superuser's, or who gave him the right: who may preset these needs no lock of ours to do harm",
        "allow_in_place_tablespaces allow_system_table_mods debug_discard_caches dynamic_library_path event_triggers extension_control_path extension_destdir ignore_checksum_failure jit_dump_bitcode session_preload_libraries zero_damaged_pages"},
    HarmlessSettings{"a superuser's: when a circle of waiters is noticed", "deadlock_timeout"},
    HarmlessSettings{"can't be preset: of the way in",
        "ignore_system_indexes jit_debugging_support jit_profiling_support post_auth_delay"},
};

} // namespace lockscope::test
