import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compactTool, signature } from './compact.ts';

describe('compact tools', () => {
  test('one line with the signature, required parameters first', () => {
    const inputSchema = {
      type: 'object',
      properties: {
        body: { type: 'string' },
        title: { type: 'string' },
        labels: { type: 'array', items: { type: 'string' } },
        state: { enum: ['open', 'closed'] },
        count: { type: ['integer', 'null'] },
        where: { anyOf: [{ type: 'string' }, { type: 'object' }] },
        anything: true,
      },
      required: ['title', 'labels', 'state', 'count', 'where', 'anything'],
    };
    const operation = { verdict: 'write', source: 'annotation', inferred: 'write' } as const;
    const entry = {
      name: 'github:create_issue',
      description: 'Create an issue.\nMore text.',
      inputSchema,
      server: 'github',
      annotations: { title: 'Create', readOnlyHint: false, destructiveHint: false, idempotentHint: true },
      call_with: 'call_tool_write',
      operation,
      score: 0.5,
    } as const;
    expect(compactTool(entry)).toEqual({
      name: 'github:create_issue',
      description: 'Create an issue.',
      signature:
        '(title: string, labels: string[], state: "open"|"closed", count: integer|null, where: string|object, anything: any, body?)',
      annotations: { readOnlyHint: false, destructiveHint: false },
      call_with: 'call_tool_write',
      operation: 'write',
      score: 0.5,
    });
  });

  test('says why where that was asked, and that it has changed', () => {
    const why = [1, 2, 3, 4].map((score) => ({ term: 't', field: 'name', score }));
    const entry = {
      name: 's:t',
      description: '',
      inputSchema: {},
      server: 's',
      annotations: { readOnlyHint: 'yes' },
      score: 0.123456,
    } as const;
    const operation = { verdict: 'read', source: 'annotation', inferred: 'read' } as const;
    expect(
      compactTool({ ...entry, call_with: 'call_tool_read', operation, changed: true, why }),
    ).toMatchObject({
      annotations: {},
      score: 0.12,
      changed: true,
      why: why.slice(0, 3),
    });
  });

  test('stays short whatever the schema holds', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [`parameter_${i}`, { type: 'string' }]),
    );
    const text = signature({ properties });
    expect(text.length).toBeLessThan(250);
    expect(text.endsWith(', …)')).toBe(true);
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (schema) => signature(schema).length < 400),
    );
  });
});
