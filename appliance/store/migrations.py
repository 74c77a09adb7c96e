"""Numbered migrations. One that has been released is never edited; a change is a new one."""

from __future__ import annotations

MIGRATIONS: tuple[tuple[str, str], ...] = (
    (
        "0001_tables",
        """
        CREATE TABLE runs (
            run_id TEXT PRIMARY KEY, audit TEXT NOT NULL, identity TEXT NOT NULL, salt TEXT NOT NULL,
            status TEXT NOT NULL, created TEXT NOT NULL, finished TEXT, config TEXT NOT NULL,
            version TEXT NOT NULL, prompt_name TEXT NOT NULL, prompt_sha256 TEXT NOT NULL,
            input_path TEXT NOT NULL, labels TEXT NOT NULL
        );
        CREATE TABLE judges (
            fingerprint TEXT PRIMARY KEY, name TEXT NOT NULL, title TEXT NOT NULL, licence TEXT NOT NULL,
            details TEXT NOT NULL
        );
        CREATE TABLE run_judges (
            run_id TEXT NOT NULL REFERENCES runs, position INTEGER NOT NULL,
            fingerprint TEXT NOT NULL REFERENCES judges, PRIMARY KEY (run_id, position)
        );
        CREATE TABLE records (
            content_hash TEXT PRIMARY KEY, record_id TEXT NOT NULL, text TEXT NOT NULL,
            context TEXT NOT NULL, body TEXT NOT NULL
        );
        CREATE TABLE run_records (
            run_id TEXT NOT NULL REFERENCES runs, record_id TEXT NOT NULL, position INTEGER NOT NULL,
            place TEXT NOT NULL, content_hash TEXT REFERENCES records, skipped TEXT,
            PRIMARY KEY (run_id, position)
        );
        CREATE UNIQUE INDEX run_records_by_id ON run_records (run_id, record_id);
        CREATE TABLE spans (
            content_hash TEXT NOT NULL REFERENCES records, label TEXT NOT NULL, source TEXT NOT NULL,
            start INTEGER NOT NULL, "end" INTEGER NOT NULL, text TEXT NOT NULL,
            PRIMARY KEY (content_hash, label)
        );
        CREATE TABLE tasks (
            task_id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL REFERENCES judges, messages TEXT NOT NULL,
            reply_schema TEXT NOT NULL, sampling TEXT NOT NULL, salt TEXT NOT NULL, created TEXT NOT NULL
        );
        CREATE TABLE attempts (
            attempt_id INTEGER PRIMARY KEY, task_id TEXT NOT NULL REFERENCES tasks,
            run_id TEXT NOT NULL REFERENCES runs, received TEXT NOT NULL, kind TEXT NOT NULL,
            text TEXT NOT NULL, detail TEXT NOT NULL, finish_reason TEXT NOT NULL,
            prompt_tokens INTEGER NOT NULL, reply_tokens INTEGER NOT NULL, budget_tokens INTEGER NOT NULL,
            seconds REAL NOT NULL, ids_sha256 TEXT NOT NULL, notes TEXT NOT NULL, distributions TEXT NOT NULL
        );
        CREATE INDEX attempts_by_task ON attempts (task_id);
        CREATE TABLE cell_tasks (
            run_id TEXT NOT NULL REFERENCES runs, record_id TEXT NOT NULL, fingerprint TEXT NOT NULL,
            attempt_no INTEGER NOT NULL, task_id TEXT NOT NULL REFERENCES tasks, failure TEXT NOT NULL,
            PRIMARY KEY (run_id, record_id, fingerprint, attempt_no)
        );
        CREATE TABLE verdicts (
            run_id TEXT NOT NULL REFERENCES runs, record_id TEXT NOT NULL, fingerprint TEXT NOT NULL,
            judge TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL, score REAL, bias_score REAL,
            flag INTEGER, severity TEXT, stated_confidence REAL, measured_confidence REAL,
            labels TEXT NOT NULL, result TEXT NOT NULL, task_id TEXT NOT NULL, attempts INTEGER NOT NULL,
            created TEXT NOT NULL, PRIMARY KEY (run_id, record_id, fingerprint)
        );
        CREATE TABLE findings (
            run_id TEXT NOT NULL REFERENCES runs, finding_id TEXT NOT NULL, record_id TEXT NOT NULL,
            fingerprint TEXT NOT NULL, category TEXT NOT NULL, severity TEXT NOT NULL, span TEXT NOT NULL,
            source TEXT NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL, excerpt TEXT NOT NULL,
            rationale TEXT NOT NULL, counterfactual TEXT NOT NULL, dimensions TEXT NOT NULL,
            PRIMARY KEY (run_id, finding_id)
        );
        CREATE TABLE label_probabilities (
            run_id TEXT NOT NULL REFERENCES runs, record_id TEXT NOT NULL, fingerprint TEXT NOT NULL,
            place TEXT NOT NULL, chosen TEXT NOT NULL, probabilities TEXT NOT NULL, unresolved REAL NOT NULL,
            PRIMARY KEY (run_id, record_id, fingerprint, place)
        );
        CREATE TABLE divergences (
            run_id TEXT NOT NULL REFERENCES runs, record_id TEXT NOT NULL, score_difference REAL,
            flag_disagreement INTEGER, label_agreement REAL, severity_steps INTEGER, evidence_overlap REAL,
            divergent INTEGER NOT NULL, reasons TEXT NOT NULL, PRIMARY KEY (run_id, record_id)
        );
        CREATE TABLE review_items (
            item_id TEXT PRIMARY KEY, run_id TEXT NOT NULL REFERENCES runs, record_id TEXT NOT NULL,
            reasons TEXT NOT NULL, status TEXT NOT NULL, created TEXT NOT NULL
        );
        CREATE TABLE events (
            seq INTEGER PRIMARY KEY, run_id TEXT REFERENCES runs, time TEXT NOT NULL, kind TEXT NOT NULL,
            detail TEXT NOT NULL
        );
        """,
    ),
    (
        "0002_views",
        """
        CREATE VIEW divergence AS SELECT * FROM divergences;
        CREATE VIEW review_queue AS
            SELECT i.item_id, i.run_id, i.record_id, i.reasons, i.status, i.created, r.text, r.context
            FROM review_items i
            JOIN run_records rr ON rr.run_id = i.run_id AND rr.record_id = i.record_id
            LEFT JOIN records r ON r.content_hash = rr.content_hash;
        CREATE VIEW audit_results AS
            SELECT v.run_id, v.record_id AS input_id, v.judge,
                   (SELECT group_concat(key || '=' || value, ', ') FROM json_each(r.body, '$.identity'))
                       AS intersectional_labels,
                   CASE WHEN v.status = 'unscored' THEN 'UNSCORED' ELSE coalesce(v.severity, 'None') END
                       AS audit_severity,
                   (SELECT group_concat(DISTINCT f.category) FROM findings f WHERE f.run_id = v.run_id
                       AND f.record_id = v.record_id AND f.fingerprint = v.fingerprint) AS finding_categories,
                   v.created AS timestamp
            FROM verdicts v
            JOIN run_records rr ON rr.run_id = v.run_id AND rr.record_id = v.record_id
            JOIN records r ON r.content_hash = rr.content_hash;
        CREATE VIEW disparity_map AS
            SELECT run_id, judge, intersectional_labels, count(*) AS n,
                   sum(audit_severity = 'UNSCORED') AS n_unscored,
                   sum(audit_severity NOT IN ('UNSCORED', 'None')) AS n_flagged,
                   sum(audit_severity = 'HIGH') AS n_high
            FROM audit_results GROUP BY run_id, judge, intersectional_labels;
        CREATE VIEW audit_log AS
            SELECT v.run_id, v.record_id, v.judge, v.status, v.reason, v.score, v.flag, v.severity,
                   v.stated_confidence, v.measured_confidence,
                   json_extract(v.result, '$.evidence_excerpts') AS evidence_excerpts,
                   v.attempts, v.task_id, v.created
            FROM verdicts v;
        """,
    ),
    (
        # Every row of the input has a row per judge: what was skipped or is not yet judged is UNSCORED.
        "0003_unscored_rows_in_views",
        """
        DROP VIEW disparity_map;
        DROP VIEW audit_results;
        CREATE VIEW audit_results AS
            SELECT rr.run_id, rr.record_id AS input_id, j.name AS judge,
                   (SELECT group_concat(key || '=' || value, ', ') FROM json_each(r.body, '$.identity'))
                       AS intersectional_labels,
                   CASE WHEN coalesce(v.status, 'unscored') = 'unscored' THEN 'UNSCORED'
                       ELSE coalesce(v.severity, 'None') END AS audit_severity,
                   (SELECT group_concat(DISTINCT f.category) FROM findings f WHERE f.run_id = rr.run_id
                       AND f.record_id = rr.record_id AND f.fingerprint = j.fingerprint)
                       AS finding_categories,
                   coalesce(v.created, u.created) AS timestamp
            FROM run_records rr
            JOIN runs u ON u.run_id = rr.run_id
            JOIN run_judges rj ON rj.run_id = rr.run_id
            JOIN judges j ON j.fingerprint = rj.fingerprint
            LEFT JOIN records r ON r.content_hash = rr.content_hash
            LEFT JOIN verdicts v ON v.run_id = rr.run_id AND v.record_id = rr.record_id
                AND v.fingerprint = j.fingerprint;
        CREATE VIEW disparity_map AS
            SELECT run_id, judge, intersectional_labels, count(*) AS n,
                   sum(audit_severity = 'UNSCORED') AS n_unscored,
                   sum(audit_severity NOT IN ('UNSCORED', 'None')) AS n_flagged,
                   sum(audit_severity = 'HIGH') AS n_high
            FROM audit_results GROUP BY run_id, judge, intersectional_labels;
        """,
    ),
    (
        # The same for the log from record to score: a row without a verdict is unscored, never absent.
        "0004_unscored_rows_in_audit_log",
        """
        DROP VIEW audit_log;
        CREATE VIEW audit_log AS
            SELECT rr.run_id, rr.record_id, j.name AS judge, coalesce(v.status, 'unscored') AS status,
                   coalesce(v.reason, json_extract(rr.skipped, '$.reason'), 'not judged yet') AS reason,
                   v.score, v.flag, v.severity, v.stated_confidence, v.measured_confidence,
                   json_extract(v.result, '$.evidence_excerpts') AS evidence_excerpts,
                   coalesce(v.attempts, 0) AS attempts, v.task_id, v.created
            FROM run_records rr
            JOIN run_judges rj ON rj.run_id = rr.run_id
            JOIN judges j ON j.fingerprint = rj.fingerprint
            LEFT JOIN verdicts v ON v.run_id = rr.run_id AND v.record_id = rr.record_id
                AND v.fingerprint = j.fingerprint;
        """,
    ),
    (
        # A record can be asked more than once by one judge: repeat 0 counts, the later ones measure noise.
        "0005_repeats",
        """
        DROP VIEW disparity_map;
        DROP VIEW audit_results;
        DROP VIEW audit_log;
        CREATE TABLE new_cell_tasks (
            run_id TEXT NOT NULL REFERENCES runs, record_id TEXT NOT NULL, fingerprint TEXT NOT NULL,
            repeat INTEGER NOT NULL, attempt_no INTEGER NOT NULL, task_id TEXT NOT NULL REFERENCES tasks,
            failure TEXT NOT NULL, PRIMARY KEY (run_id, record_id, fingerprint, repeat, attempt_no)
        );
        INSERT INTO new_cell_tasks
            SELECT run_id, record_id, fingerprint, 0, attempt_no, task_id, failure FROM cell_tasks;
        DROP TABLE cell_tasks;
        ALTER TABLE new_cell_tasks RENAME TO cell_tasks;
        CREATE TABLE new_verdicts (
            run_id TEXT NOT NULL REFERENCES runs, record_id TEXT NOT NULL, fingerprint TEXT NOT NULL,
            repeat INTEGER NOT NULL, judge TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,
            score REAL, bias_score REAL, flag INTEGER, severity TEXT, stated_confidence REAL,
            measured_confidence REAL, labels TEXT NOT NULL, result TEXT NOT NULL, task_id TEXT NOT NULL,
            attempts INTEGER NOT NULL, created TEXT NOT NULL,
            PRIMARY KEY (run_id, record_id, fingerprint, repeat)
        );
        INSERT INTO new_verdicts
            SELECT run_id, record_id, fingerprint, 0, judge, status, reason, score, bias_score, flag,
                   severity, stated_confidence, measured_confidence, labels, result, task_id, attempts,
                   created
            FROM verdicts;
        DROP TABLE verdicts;
        ALTER TABLE new_verdicts RENAME TO verdicts;
        CREATE TABLE new_label_probabilities (
            run_id TEXT NOT NULL REFERENCES runs, record_id TEXT NOT NULL, fingerprint TEXT NOT NULL,
            repeat INTEGER NOT NULL, place TEXT NOT NULL, chosen TEXT NOT NULL, probabilities TEXT NOT NULL,
            unresolved REAL NOT NULL, PRIMARY KEY (run_id, record_id, fingerprint, repeat, place)
        );
        INSERT INTO new_label_probabilities
            SELECT run_id, record_id, fingerprint, 0, place, chosen, probabilities, unresolved
            FROM label_probabilities;
        DROP TABLE label_probabilities;
        ALTER TABLE new_label_probabilities RENAME TO label_probabilities;
        ALTER TABLE findings ADD COLUMN repeat INTEGER NOT NULL DEFAULT 0;
        CREATE VIEW audit_results AS
            SELECT rr.run_id, rr.record_id AS input_id, j.name AS judge,
                   (SELECT group_concat(key || '=' || value, ', ') FROM json_each(r.body, '$.identity'))
                       AS intersectional_labels,
                   CASE WHEN coalesce(v.status, 'unscored') = 'unscored' THEN 'UNSCORED'
                       ELSE coalesce(v.severity, 'None') END AS audit_severity,
                   (SELECT group_concat(DISTINCT f.category) FROM findings f WHERE f.run_id = rr.run_id
                       AND f.record_id = rr.record_id AND f.fingerprint = j.fingerprint AND f.repeat = 0)
                       AS finding_categories,
                   coalesce(v.created, u.created) AS timestamp
            FROM run_records rr
            JOIN runs u ON u.run_id = rr.run_id
            JOIN run_judges rj ON rj.run_id = rr.run_id
            JOIN judges j ON j.fingerprint = rj.fingerprint
            LEFT JOIN records r ON r.content_hash = rr.content_hash
            LEFT JOIN verdicts v ON v.run_id = rr.run_id AND v.record_id = rr.record_id
                AND v.fingerprint = j.fingerprint AND v.repeat = 0;
        CREATE VIEW disparity_map AS
            SELECT run_id, judge, intersectional_labels, count(*) AS n,
                   sum(audit_severity = 'UNSCORED') AS n_unscored,
                   sum(audit_severity NOT IN ('UNSCORED', 'None')) AS n_flagged,
                   sum(audit_severity = 'HIGH') AS n_high
            FROM audit_results GROUP BY run_id, judge, intersectional_labels;
        CREATE VIEW audit_log AS
            SELECT rr.run_id, rr.record_id, j.name AS judge, coalesce(v.repeat, 0) AS repeat,
                   coalesce(v.status, 'unscored') AS status,
                   coalesce(v.reason, json_extract(rr.skipped, '$.reason'), 'not judged yet') AS reason,
                   v.score, v.flag, v.severity, v.stated_confidence, v.measured_confidence,
                   json_extract(v.result, '$.evidence_excerpts') AS evidence_excerpts,
                   coalesce(v.attempts, 0) AS attempts, v.task_id, v.created
            FROM run_records rr
            JOIN run_judges rj ON rj.run_id = rr.run_id
            JOIN judges j ON j.fingerprint = rj.fingerprint
            LEFT JOIN verdicts v ON v.run_id = rr.run_id AND v.record_id = rr.record_id
                AND v.fingerprint = j.fingerprint;
        """,
    ),
    (
        # What a judge-bias run compares; a pair that could not be built has its reason and no records.
        "0006_test_pairs",
        """
        CREATE TABLE test_pairs (
            run_id TEXT NOT NULL REFERENCES runs, pair_id TEXT NOT NULL, position INTEGER NOT NULL,
            dimension TEXT NOT NULL, item_id TEXT NOT NULL, first TEXT, second TEXT,
            a TEXT NOT NULL, b TEXT NOT NULL, unbuilt TEXT NOT NULL, PRIMARY KEY (run_id, pair_id)
        );
        """,
    ),
    (
        # What the model under audit answered: asked once, kept for every run that judges it.
        "0007_responses",
        """
        CREATE TABLE responses (
            target TEXT NOT NULL, variant_id TEXT NOT NULL, repeat INTEGER NOT NULL, request TEXT NOT NULL,
            text TEXT NOT NULL, cut INTEGER NOT NULL, error TEXT NOT NULL, seconds REAL NOT NULL,
            detail TEXT NOT NULL, received TEXT NOT NULL, PRIMARY KEY (target, variant_id, repeat, request)
        );
        CREATE TABLE targets (target TEXT PRIMARY KEY, details TEXT NOT NULL);
        DROP VIEW disparity_map;
        DROP VIEW audit_results;
        CREATE VIEW audit_results AS
            SELECT rr.run_id, rr.record_id AS input_id, j.name AS judge,
                   (SELECT group_concat(key || '=' || value, ', ') FROM
                       (SELECT key, value FROM json_each(coalesce(json_extract(r.body, '$.identity'),
                           json_extract(rr.skipped, '$.identity'))) ORDER BY key)) AS intersectional_labels,
                   CASE WHEN json_extract(rr.skipped, '$.set_aside') THEN 'SET ASIDE'
                       WHEN coalesce(v.status, 'unscored') = 'unscored' THEN 'UNSCORED'
                       ELSE coalesce(v.severity, 'None') END AS audit_severity,
                   (SELECT group_concat(DISTINCT f.category) FROM findings f WHERE f.run_id = rr.run_id
                       AND f.record_id = rr.record_id AND f.fingerprint = j.fingerprint)
                       AS finding_categories,
                   coalesce(v.created, u.created) AS timestamp
            FROM run_records rr
            JOIN runs u ON u.run_id = rr.run_id
            JOIN run_judges rj ON rj.run_id = rr.run_id
            JOIN judges j ON j.fingerprint = rj.fingerprint
            LEFT JOIN records r ON r.content_hash = rr.content_hash
            LEFT JOIN verdicts v ON v.run_id = rr.run_id AND v.record_id = rr.record_id
                AND v.fingerprint = j.fingerprint AND v.repeat = 0;
        CREATE VIEW disparity_map AS
            SELECT run_id, judge, intersectional_labels, count(*) AS n,
                   sum(audit_severity = 'UNSCORED') AS n_unscored,
                   sum(audit_severity NOT IN ('UNSCORED', 'SET ASIDE', 'None')) AS n_flagged,
                   sum(upper(audit_severity) IN ('HIGH', 'CRITICAL')) AS n_high,
                   sum(audit_severity = 'SET ASIDE') AS n_set_aside
            FROM audit_results GROUP BY run_id, judge, intersectional_labels;
        """,
    ),
)
