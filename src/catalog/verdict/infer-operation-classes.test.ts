import { describe, expect, test } from 'vitest';
import type { OperationType } from '../../contract/operation.ts';
import { inferOperation } from './infer-operation.ts';

// Classes of tools that real servers have and that must never pass for readers, and readers that look like them.

type Row = [
  name: string,
  description: string,
  properties: Record<string, unknown>,
  operation: OperationType | 'not read',
];

const text = { type: 'string' };
const flag = { type: 'boolean' };
const oneOf = (...values: string[]) => ({ type: 'string', enum: values });

function check([name, description, properties, expected]: Row): void {
  const { operation } = inferOperation({
    name,
    description,
    inputSchema: { type: 'object', properties },
  });
  if (expected === 'not read') expect(operation).not.toBe('read');
  else expect(operation).toBe(expected);
}

describe('tools that run what the caller writes', () => {
  test.each<Row>([
    ['exec', '', {}, 'destructive'],
    ['run_terminal_cmd', 'Propose a command', { cmd: text }, 'destructive'],
    ['ssh', 'Connect to a host', { shell_command: text }, 'destructive'],
    ['eval', 'Evaluate an expression', {}, 'destructive'],
    ['run_python', 'Runs Python code in a sandbox', { code: text }, 'destructive'],
    ['page_script', 'Run JavaScript in the page', { script: text }, 'destructive'],
    ['query_postgres', 'Query the warehouse', {}, 'destructive'],
    ['query_snowflake', 'Query Snowflake through the gateway', {}, 'destructive'],
    ['fetch_rows', 'Fetch rows', { rawSql: text }, 'destructive'],
    ['get_data', 'Get data', { sql_query: text }, 'destructive'],
    ['execute_graphql', 'Execute a GraphQL document', { query: text }, 'destructive'],
    ['graphql', 'Send a GraphQL query or mutation', { query: text }, 'destructive'],
    ['graphql_query', 'Query the API with GraphQL', { query: text }, 'destructive'],
    ['read_graph', 'Run a Cypher statement', { cypher: text }, 'destructive'],
    ['fetch', 'Fetches a URL', { url: text, method: oneOf('GET', 'POST', 'DELETE') }, 'destructive'],
    ['get_resource', 'Gets a resource', { http_method: { description: 'GET, POST or PUT' } }, 'destructive'],
    ['call_service', 'Call any service of the hub', {}, 'not read'],
    ['query_select', 'Run a read-only SQL query', { sql: text }, 'read'],
    ['query_issues', 'Query issues by label', { label: text }, 'read'],
    ['fetch_page', 'Fetches a page', { url: text, method: oneOf('GET', 'HEAD') }, 'read'],
    ['explain_statement', 'Explain a statement', { sql: text }, 'read'],
  ])('%s (%s)', (...row) => check(row));
});

describe('acts that cannot be taken back', () => {
  test.each<Row>([
    ['cancel_order', '', {}, 'destructive'],
    ['revoke_token', '', {}, 'destructive'],
    ['resetPassword', '', {}, 'destructive'],
    ['archive_channel', '', {}, 'destructive'],
    ['overwrite_file', '', {}, 'destructive'],
    ['restore_snapshot', '', {}, 'destructive'],
    ['rollback_release', '', {}, 'destructive'],
    ['transfer_funds', '', {}, 'destructive'],
    ['terminate_instance', '', {}, 'destructive'],
    ['unlink_account', '', {}, 'destructive'],
    ['detach_volume', '', {}, 'destructive'],
    ['disable_user', '', {}, 'destructive'],
    ['pop_message', 'Pop the next message and return it', {}, 'destructive'],
    ['invalidate_sessions', '', {}, 'destructive'],
    ['queue_reader', 'Takes the next job. Removes it from the queue.', {}, 'not read'],
    ['get_job', 'Gets the next job. Removes it from the queue.', {}, 'not read'],
    ['inbox', 'Reads new messages and deletes them', {}, 'destructive'],
    ['housekeeping', 'Returns the number of rows after permanently removing old ones', {}, 'destructive'],
  ])('%s (%s)', (...row) => check(row));
});

describe('acts that change something', () => {
  test.each<Row>([
    ['publish_post', '', {}, 'write'],
    ['deploy_service', '', {}, 'write'],
    ['merge_pull_request', 'Merge a pull request', {}, 'write'],
    ['move_file', '', {}, 'write'],
    ['apply_manifest', '', {}, 'write'],
    ['sync_folder', '', {}, 'write'],
    ['close_issue', '', {}, 'write'],
    ['browser_navigate', 'Go to a page', {}, 'write'],
    ['click', 'Click an element', {}, 'write'],
    ['set_field', 'Set a field to empty', {}, 'write'],
    ['manage_users', 'List, invite or remove users', {}, 'not read'],
    ['API-post-search', 'Search by title', {}, 'write'],
    [
      'todo',
      'Provides functionality for managing tasks, including the ability to delete one',
      {},
      'not read',
    ],
    ['notes', 'A full to-do list tool where you can add, delete and list notes', {}, 'not read'],
    ['charts', 'A tool that can create and display charts', {}, 'write'],
    ['ensure_folder', 'Ensure the folder exists and return its path', {}, 'write'],
    ['report_abuse', 'Report an abusive address to the operators', {}, 'write'],
    ['collect_data', 'Collect data during an experiment', {}, 'write'],
    ['car_rental', 'Provides rental services for cars', {}, 'write'],
    ['simulate_query', 'A long-running research query', {}, 'write'],
    ['render_map', 'Render the current view to a file', {}, 'write'],
  ])('%s (%s)', (...row) => check(row));
});

describe('parameters that give an act away', () => {
  test.each<Row>([
    ['get_items', 'Get items', { action: oneOf('list', 'delete') }, 'write'],
    ['issue', 'Get an issue', { operation: { description: 'list, create or delete' } }, 'write'],
    ['get_messages', 'Get messages', { delete_after_read: flag }, 'write'],
    ['list_drafts', 'List drafts', { confirm: flag }, 'write'],
    ['get_config', 'Get the configuration', { dryRun: flag }, 'write'],
    ['read_file', 'Read a file', { overwrite: flag }, 'write'],
    ['list_files', 'List files', { recursive: flag, include_deleted: flag }, 'read'],
    ['get_actions', 'Get runs', { method: oneOf('get_workflow_run', 'list_workflow_runs') }, 'read'],
    ['get_page', 'Get a page', { force_refresh: flag }, 'read'],
  ])('%s (%s)', (...row) => check(row));
});

describe('readers whose names hold a noun that could be a verb', () => {
  test.each<Row>([
    ['release_list', 'List all releases of a project', {}, 'read'],
    ['pull_request_read', 'Get information on a pull request', {}, 'read'],
    ['deploy_key_get', 'Get a deploy key by its id', {}, 'read'],
    ['repository_merge_base', 'Find the common ancestor of two branches', {}, 'read'],
    ['commit_diff', 'List the changed files of a commit', {}, 'read'],
    ['get_job_logs', 'Download the logs of a job', {}, 'read'],
    ['list_tables', 'START HERE: list the tables of the database', {}, 'read'],
    ['take_screenshot', 'Take a screenshot of the page', {}, 'read'],
    ['query_index', 'Executes a search query against the index', {}, 'read'],
    ['web_search', 'Search the web', {}, 'read'],
    ['release_lock', 'Returns the lock to the pool', {}, 'write'],
    ['label_delete', 'Get rid of a label', {}, 'destructive'],
  ])('%s (%s)', (...row) => check(row));
});

describe('other languages', () => {
  test.each<Row>([
    ['user_info', '删除用户信息', {}, 'destructive'],
    ['get_user', '删除用户', {}, 'not read'],
    ['datos', 'Elimina un archivo', {}, 'destructive'],
    ['fichiers', 'Supprime le fichier donné', {}, 'destructive'],
    ['datei_loeschen', '', {}, 'destructive'],
    ['записи', 'Удаляет запись', {}, 'destructive'],
    ['ファイル', 'ファイルを削除します', {}, 'destructive'],
    ['tarea', 'Crear una tarea', {}, 'write'],
    ['weather_info', '获取天气信息', {}, 'read'],
    ['wetter', 'Zeigt das Wetter einer Stadt', {}, 'read'],
    ['git_blame', 'Show who last modified each line', {}, 'read'],
    ['environment_info', 'Get information about the environment', {}, 'read'],
  ])('%s (%s)', (...row) => check(row));
});
