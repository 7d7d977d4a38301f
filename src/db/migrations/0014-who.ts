import { statements } from '../statements.ts';

/**
 * Who did what: the caller, the client program, the approval and who decided are columns with an index, computed from what the chain
 * covers, so that nobody can change them alone. A facet also has the operations that a call has by its variant or by the verdict on
 * the tool; records of earlier versions move to such a facet. Their words are indexed again in the background.
 */
const OPERATIONS = ['destructive', 'read', 'write'];

/** `variant` and `verdict` are SQL for what the metadata holds. */
function others(variant: string, verdict: string): string {
  const one = (name: string) =>
    `CASE WHEN f.operation_type <> '${name}' AND (${variant} = 'call_tool_${name}' OR ${verdict} = '${name}') THEN '${name},' ELSE '' END`;
  return `rtrim(${OPERATIONS.map(one).join(' || ')}, ',')`;
}

const CALLS = `f.type = 'tool_call' AND f.operation_type IS NOT NULL`;
const KEY = ['type', 'source', 'status', 'operation_type', 'server_name', 'tool_name', 'unlisted'];
const ofFacet = KEY.map((name) => `f.${name}`).join();

const json = (path: string) => `CASE WHEN json_valid(metadata) THEN json_extract(metadata, '$.${path}') END`;
const approval = (value: string) => `CASE WHEN instr(metadata, '"approval"') THEN ${value} END`;

/** The principal is nearly always the first field, which takes no parsing. */
const FIRST = `substr(metadata, 15, instr(substr(metadata, 15), '"') - 1)`;
const PRINCIPAL = `CASE WHEN substr(metadata, 1, 14) = '{"principal":"' AND NOT instr(${FIRST}, '\\')
  THEN ${FIRST} ELSE ${json('principal')} END`;
/** Decisions of earlier versions name the person only as principal. */
const DECIDED_BY = approval(
  `coalesce(${json('approval.decided_by')}, ${json('approval.granted_by')}, CASE WHEN ${json('action')} IN ('approve', 'deny') THEN ${json('principal')} END)`,
);
/** Up to and with the last slash; the whole name if it has none. */
const PROGRAM = `CASE WHEN instr(client, '/') THEN rtrim(client, replace(client, '/', '')) ELSE client END`;

const SQLITE_COLUMNS = {
  principal: PRINCIPAL,
  approval_id: approval(json('approval.id')),
  decided_by: DECIDED_BY,
  client_program: PROGRAM,
};

const column = (name: string, expression: string) =>
  `ALTER TABLE activity ADD COLUMN ${name} TEXT GENERATED ALWAYS AS (${expression}) VIRTUAL`;

const bucketOf = (level: number) =>
  `(SELECT max(first_seq) FROM activity_bucket b WHERE b.level = ${level} AND b.first_seq <= m.seq)`;
const countMoved = (level: number, facet: string, sign: string) => `
  INSERT INTO activity_count (level, facet_id, bucket, n)
  SELECT ${level}, ${facet}, ${bucketOf(level)}, ${sign}count(*) FROM activity_moved m
  WHERE ${bucketOf(level)} IS NOT NULL GROUP BY 2, 3 ON CONFLICT DO UPDATE SET n = n + excluded.n`;

export const whoOnSqlite = statements([
  ...Object.entries(SQLITE_COLUMNS).map(([name, expression]) => column(name, expression)),
  `CREATE INDEX activity_by_principal ON activity (principal)`,
  `CREATE INDEX activity_by_client ON activity (client_program)`,
  // Few records have these: the others do not pay for the index.
  `CREATE INDEX activity_by_approval ON activity (approval_id) WHERE approval_id IS NOT NULL`,
  `CREATE INDEX activity_by_decider ON activity (decided_by) WHERE decided_by IS NOT NULL`,
  `ALTER TABLE activity_facet ADD COLUMN other_operations TEXT`,
  `CREATE TABLE activity_moved (seq INTEGER PRIMARY KEY, facet_id INTEGER NOT NULL, others TEXT NOT NULL, target INTEGER)`,
  `INSERT INTO activity_moved (seq, facet_id, others)
   SELECT seq, facet_id, others FROM (
     SELECT a.seq, a.facet_id, ${others(`coalesce(json_extract(a.metadata, '$.tool_variant'), '')`, `coalesce(json_extract(a.metadata, '$.operation.verdict'), '')`)} AS others
     FROM activity a JOIN activity_facet f ON f.id = a.facet_id WHERE ${CALLS} AND json_valid(a.metadata)) WHERE others <> ''`,
  `INSERT INTO activity_facet (${KEY.join()}, other_operations)
   SELECT DISTINCT ${ofFacet}, m.others FROM activity_moved m JOIN activity_facet f ON f.id = m.facet_id`,
  `UPDATE activity_moved AS m SET target = (SELECT g.id FROM activity_facet f JOIN activity_facet g ON
     ${KEY.map((name) => `g.${name} IS f.${name}`).join(' AND ')} WHERE f.id = m.facet_id AND g.other_operations = m.others)`,
  `UPDATE activity SET facet_id = (SELECT target FROM activity_moved m WHERE m.seq = activity.seq)
   WHERE seq IN (SELECT seq FROM activity_moved)`,
  ...[0, 1].flatMap((level) => [countMoved(level, 'm.facet_id', '-'), countMoved(level, 'm.target', '')]),
  `DELETE FROM activity_count WHERE n <= 0`,
  `DROP TABLE activity_moved`,
  `INSERT OR IGNORE INTO activity_reindex
   SELECT seq FROM activity WHERE seq <= (SELECT value FROM activity_state WHERE key = 'indexed_to')`,
]);

/** The text of a JSON string as it is written, with its escapes: no value can make the expression fail. */
const written = (before: string) => `substring(metadata from '${before}"((?:[^"\\\\]|\\\\.)*)"')`;
const PG_PRINCIPAL = `left(${written('"principal":')}, 256)`;
const PG_DECIDED_BY = `left(CASE WHEN strpos(metadata, '"approval":{') > 0 THEN coalesce(${written('"decided_by":')},
  ${written('"granted_by":')}, CASE WHEN metadata ~ '"action":"(approve|deny)"' THEN ${written('"principal":')} END) END, 256)`;

const PG_COLUMNS = {
  principal: PG_PRINCIPAL,
  approval_id: `left(${written('"approval":\\{"id":')}, 256)`,
  decided_by: PG_DECIDED_BY,
  client_program: `left(regexp_replace(client, '/[^/]*$', ''), 256)`,
};

const pgColumn = (name: string, expression: string) =>
  `ALTER TABLE activity ADD COLUMN ${name} TEXT GENERATED ALWAYS AS (${expression}) STORED`;
const pgIndex = (name: string, of: string, where = '') =>
  `CREATE INDEX ${name} ON activity (${of}, seq, log)${where}`;
const pgJson = (path: string) => `coalesce(a.metadata::json ${path}, '')`;
interface Count {
  table: string;
  /** Empty: over all time. */
  bucket: string;
  facet: string;
  sign: string;
}

const pgCountMoved = ({ table, bucket, facet, sign }: Count) => `
  INSERT INTO ${table} (${bucket && 'bucket, '}facet_id, log, n)
  SELECT ${bucket && `${bucket}, `}${facet}, m.log, ${sign}count(*) FROM activity_moved m GROUP BY ${bucket ? '1, 2, 3' : '1, 2'}
  ON CONFLICT (${bucket && 'bucket, '}facet_id, log) DO UPDATE SET n = ${table}.n + excluded.n`;

/** The key of a facet, as the writers make it. */
const PG_KEY = `f.type || ' ' || f.source || ' ' || f.status || ' ' || coalesce(f.operation_type, 'null') || ' ' ||
  CASE WHEN f.unlisted = 1 THEN '*' ELSE coalesce(f.server_name, '') || E'\n' || coalesce(f.tool_name, '') END || E'\n' || m.others`;
const PG_HASH = `translate(encode(sha256(convert_to(${PG_KEY}, 'UTF8')), 'base64'), '+/=', '-_')`;

export const whoOnPostgres = statements([
  ...Object.entries(PG_COLUMNS).map(([name, expression]) => pgColumn(name, expression)),
  pgIndex('activity_by_principal', 'principal'),
  pgIndex('activity_by_client', 'client_program'),
  pgIndex('activity_by_approval', 'approval_id', ' WHERE approval_id IS NOT NULL'),
  pgIndex('activity_by_decider', 'decided_by', ' WHERE decided_by IS NOT NULL'),
  `ALTER TABLE activity_facet ADD COLUMN other_operations TEXT`,
  `CREATE TABLE activity_moved AS
   SELECT * FROM (SELECT a.seq, a.log, a.ts, a.facet_id, NULL::int AS target, ${others(pgJson(`->> 'tool_variant'`), pgJson(`-> 'operation' ->> 'verdict'`))} AS others
     FROM activity a JOIN activity_facet f ON f.id = a.facet_id WHERE ${CALLS}) AS found WHERE others <> ''`,
  `INSERT INTO activity_facet (key_hash, ${KEY.join()}, other_operations)
   SELECT DISTINCT ${PG_HASH}, ${ofFacet}, m.others FROM activity_moved m JOIN activity_facet f ON f.id = m.facet_id
   ON CONFLICT (key_hash) DO NOTHING`,
  `UPDATE activity_moved AS m SET target = g.id FROM activity_facet f, activity_facet g
   WHERE f.id = m.facet_id AND g.key_hash = ${PG_HASH}`,
  `UPDATE activity a SET facet_id = m.target FROM activity_moved m WHERE a.seq = m.seq AND a.log = m.log`,
  ...[
    { facet: 'm.facet_id', sign: '-' },
    { facet: 'm.target', sign: '' },
  ].flatMap((moved) => [
    pgCountMoved({ table: 'activity_count_hour', bucket: '(m.ts / 3600000)::int', ...moved }),
    pgCountMoved({ table: 'activity_count_day', bucket: '(m.ts / 86400000)::int', ...moved }),
    pgCountMoved({ table: 'activity_count_all', bucket: '', ...moved }),
  ]),
  `DROP TABLE activity_moved`,
  `DELETE FROM activity_state WHERE key = 'words_at'`,
  `UPDATE activity_state SET value = CASE WHEN EXISTS (SELECT 1 FROM activity) THEN 2 ELSE 3 END WHERE key = 'words_form'`,
]);

export const WHO_COLUMNS = Object.keys(SQLITE_COLUMNS);

const rowValue = (values: string[]) => `(${values.join()})`;

/** SQL: a record whose columns about who did what are not what follows from it, because somebody has replaced them by others. */
export const WRONG_WHO = {
  sqlite: `${rowValue(Object.keys(SQLITE_COLUMNS))} IS NOT ${rowValue(Object.values(SQLITE_COLUMNS))}`,
  postgres: `ROW${rowValue(Object.keys(PG_COLUMNS))} IS DISTINCT FROM ROW${rowValue(Object.values(PG_COLUMNS))}`,
};
