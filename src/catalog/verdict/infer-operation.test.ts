import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OperationType } from '../../contract/operation.ts';
import { inferOperation } from './infer-operation.ts';
import { nameParts } from './inference.ts';

function infer(name: string, description = '', properties: Record<string, unknown> = {}): OperationType {
  return inferOperation({ name, description, inputSchema: { type: 'object', properties } }).operation;
}

describe('inferOperation', () => {
  test.each<[string, string, OperationType]>([
    ['get_issue', 'Get an issue', 'read'],
    ['listPullRequests', '', 'read'],
    ['search-code', 'Search for code', 'read'],
    ['git_log', 'Shows the log of commits', 'read'],
    ['player-match-history', 'Retrieve the match history of a player', 'read'],
    ['convert_currency', 'Converts an amount from one currency to another', 'read'],
    ['get_deleted_items', 'List items in the trash', 'read'],
    ['item-build', 'A tool for retrieving builds of an item', 'read'],
    ['type-analysis', 'Analyzes types and provides mappings', 'read'],
    ['run_security_audit', 'Audit of the current page', 'read'],
    ['web_lookup', 'Performs a web search with the given words', 'read'],
    ['current_time', '', 'read'],
    ['hn_top_stories', '', 'read'],
    ['meta-maps', 'Map statistics of the current season', 'read'],
    ['generate_uuid', 'Generate a random identifier', 'read'],
    ['generate_url', 'Generate an authorization URL. This tool does not create or change anything.', 'read'],
    ['ui', 'Capture a snapshot of the user interface', 'read'],
    ['capture_payment', 'Capture an authorized payment', 'write'],
    ['monitor_run', 'Queue an immediate check of a monitor', 'write'],
    ['create_report', 'Create a report', 'write'],
    ['update_thing', 'Update a thing. This is a read-only tool.', 'write'],
    ['scan_and_fix', '', 'write'],
    ['record_deletion', 'Deletion of a record', 'destructive'],
    ['poll_queue', 'Polls the queue, removing what it returns', 'destructive'],
    ['shell', 'Read-only commands', 'destructive'],
    ['run_command', 'Run a command. The tool itself is read-only.', 'destructive'],
    ['query_db', 'Query the database with SQL', 'destructive'],
    ['read_query', 'Execute a SELECT query on the database', 'read'],
    ['create_issue', 'Create an issue', 'write'],
    ['sendMessage', '', 'write'],
    ['manage_contexts', 'Manage contexts', 'write'],
    ['markAllNotificationsAsRead', '', 'write'],
    ['convert_issue_to_subtask', 'Convert an issue to a subtask', 'write'],
    ['frobnicate', '', 'write'],
    ['get_or_create_user', '', 'write'],
    ['check_in', 'Check in a guest', 'write'],
    ['tabs', 'List, create, close, or select a tab.', 'write'],
    ['read_queue', 'Reads messages from the queue and deletes them', 'destructive'],
    ['get_next', 'Gets the next entry and removes it from the list', 'destructive'],
    ['delete_file', 'Delete a file', 'destructive'],
    ['purgeCache', '', 'destructive'],
    ['find_and_delete', '', 'destructive'],
    ['list_then_purge', '', 'destructive'],
    ['wipe_all', 'Get a fresh start', 'destructive'],
    ['maintenance', 'Permanently deletes all old records', 'destructive'],
    ['get_rid', 'Deletes the given entry', 'destructive'],
    ['move_page', 'Moves a page. This cannot be undone.', 'destructive'],
    ['bash', '', 'destructive'],
    ['exec_in_pod', 'Execute a command in a pod', 'destructive'],
    ['run_query', 'Runs a SQL statement', 'destructive'],
    ['browser_evaluate', 'Evaluate JavaScript expression on page', 'destructive'],
    ['query', 'Run a SQL query against the database', 'destructive'],
    ['query', 'Run a read-only SQL query', 'read'],
  ])('%s (%s) → %s', (name, description, operation) => {
    expect(infer(name, description)).toBe(operation);
  });

  test('a parameter that holds a program makes the tool run it', () => {
    expect(infer('query_database', 'Query the database', { sql: { type: 'string' } })).toBe('destructive');
    expect(infer('process_manager', '', { command: { type: 'string' } })).toBe('destructive');
    expect(infer('explain_query', 'Explain a query plan', { sql: { type: 'string' } })).toBe('read');
  });

  test('an action parameter makes a writer, unless every action reads', () => {
    expect(infer('get_records', '', { action: { enum: ['list', 'delete'] } })).toBe('write');
    expect(infer('get_records', '', { action: { enum: ['list', 'count'] } })).toBe('read');
  });

  test('says why', () => {
    expect(inferOperation({ name: 'drop_table', inputSchema: {} }).reason).toBe('its name says "drop"');
  });

  test('a destructive verb in front is never outvoted by anything that follows', () => {
    const verb = fc.constantFrom('delete', 'remove', 'purge', 'destroy', 'wipe', 'erase', 'truncate');
    fc.assert(
      fc.property(
        verb,
        fc.string({ maxLength: 20 }),
        fc.string({ maxLength: 200 }),
        (first, rest, description) => {
          expect(infer(`${first}_${rest}`, description)).not.toBe('read');
        },
      ),
    );
  });

  test('takes any text and any schema without failing, and always the same way', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary' }),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (name, description, inputSchema) => {
          expect(inferOperation({ name, description, inputSchema })).toEqual(
            inferOperation({ name, description, inputSchema }),
          );
        },
      ),
    );
  });

  test('long hostile text is cut, not chewed', () => {
    expect(infer('get', 'run '.repeat(500_000))).toBe('read');
    expect(infer('x'.repeat(1_000_000))).toBe('write');
  });

  test('nameParts', () => {
    expect(nameParts('getHTTPResponse2')).toEqual(['get', 'http', 'response']);
  });
});
