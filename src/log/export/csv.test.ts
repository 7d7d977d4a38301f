import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ActivityRecord } from '../../contract/activity.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { CSV_HEADER, csvCell, csvLine } from './csv.ts';

const record: ActivityRecord = {
  id: '01KMVV0000000000000000000A',
  type: 'tool_call',
  source: 'mcp',
  client: 'claude-code 2',
  server_name: 'files',
  tool_name: 'read_file',
  arguments: { path: 'a,b', quote: '"' },
  response_truncated: false,
  status: 'refused',
  error_code: 'INTENT_MISMATCH',
  error_message: 'line one\nline two',
  duration_ms: 12,
  timestamp: '2026-03-01T12:00:00.000Z',
  session_id: 's1',
  request_id: 'r1',
  operation_type: 'read',
  metadata: {
    tool_variant: 'call_tool_read',
    intent: { operation_type: 'read', data_sensitivity: 'private', reason: '=1+1' },
  },
};

/** A reader of RFC 4180, written for the test alone. */
function parse(text: string): string[] {
  const cells: string[] = [];
  for (let i = 0; i < text.length && text[i] !== '\r';) {
    let cell = '';
    if (text[i] === '"') {
      for (i++; !(text[i] === '"' && text[i + 1] !== '"'); i++) {
        if (text[i] === '"') i++;
        cell += text[i];
      }
      i++;
    } else while (i < text.length && text[i] !== ',' && text[i] !== '\r') cell += text[i++];
    cells.push(cell);
    if (text[i] === ',') {
      i++;
      if (text[i] === '\r') cells.push('');
    }
  }
  return cells;
}

describe('CSV', () => {
  test('has a column for everything that an intent says', () => {
    expect(CSV_HEADER).toBe(
      'id,timestamp,source,client,server,tool,operation_type,tool_variant,data_sensitivity,reason,status,error_code,error_message,duration_ms,request_id,session_id,arguments,type,principal,decision,approval_id,decided_by,client_address,conversation_id,user_id,user_intent,operation_declared,operation_by_variant,operation_by_verdict\r\n',
    );
    const line = csvLine(record);
    expect(parse(line)).toEqual([
      record.id,
      record.timestamp,
      'mcp',
      'claude-code 2',
      'files',
      'read_file',
      'read',
      'call_tool_read',
      'private',
      "'=1+1",
      'refused',
      'INTENT_MISMATCH',
      'line one\nline two',
      '12',
      'r1',
      's1',
      '{"path":"a,b","quote":"\\""}',
      'tool_call',
      ...Array.from({ length: 11 }, () => ''),
    ]);
    expect(line.endsWith('\r\n')).toBe(true);
  });

  test('says who did what: caller, client, address, approval, decider, conversation, user and what the user wanted', () => {
    const cells = parse(
      csvLine({
        ...record,
        principal: 'token:cursor',
        approval_id: 'A1',
        decided_by: 'anna',
        client_address: '192.0.2.7',
        conversation_id: 'c1',
        metadata: { ...record.metadata, user_id: 'u1', user_intent: { intent_type: 'DELETE_TASK' } },
      }),
    );
    const columns = CSV_HEADER.trim().split(',');
    const of = (name: string) => cells[columns.indexOf(name)];
    expect(
      [
        'principal',
        'client',
        'approval_id',
        'decided_by',
        'client_address',
        'conversation_id',
        'user_id',
      ].map(of),
    ).toEqual(['token:cursor', 'claude-code 2', 'A1', 'anna', '192.0.2.7', 'c1', 'u1']);
    expect(of('user_intent')).toBe('{"intent_type":"DELETE_TASK"}');
  });

  test('tells which of the three gave a call its operation', () => {
    const operations = { declared: 'read', variant: 'read', verdict: 'destructive' } as const;
    expect(parse(csvLine({ ...record, operations })).slice(-3)).toEqual(['read', 'read', 'destructive']);
  });

  test('leaves out what a record does not have', () => {
    expect(
      parse(csvLine({ ...record, client: undefined, arguments: undefined, metadata: {} })).filter(
        (cell) => cell === '',
      ),
    ).toHaveLength(16);
  });

  test('control characters are shown, so that no terminal obeys them', () => {
    const cells = csvLine({ ...record, error_message: 'a\u001b]0;title\u0007\r\u202e' });
    expect(cells).toContain('a\\u{1b}]0;title\\u{7}\\u{d}\\u{202e}');
    expect(cells.replace(/\r\n$/, '')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });

  test('no cell begins like a formula, and every cell can be read back', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('', '=', '+', '-', '@', '\t', '\r', '\n', '＝'),
        (text, start) => {
          const [cell] = parse(`${csvCell(`${start}${text}`)},x\r\n`);
          expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
          const shown = visibleText(`${start}${text}`);
          expect([shown, `'${shown}`]).toContain(cell);
        },
      ),
    );
  });
});
