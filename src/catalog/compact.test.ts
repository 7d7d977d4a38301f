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
      required: ['title'],
    };
    const operation = { verdict: 'write', source: 'annotation', inferred: 'write' } as const;
    const entry = {
      name: 'github:create_issue',
      description: 'Create an issue.\nMore text.',
      inputSchema,
      server: 'github',
      call_with: 'call_tool_write',
      operation,
      score: 0.5,
    } as const;
    expect(compactTool(entry)).toEqual({
      name: 'github:create_issue',
      description: 'Create an issue.',
      signature:
        'create_issue(title: string, body?: string, labels?: string[], state?: "open"|"closed", count?: integer|null, where?: string|object, anything?: any)',
      call_with: 'call_tool_write',
      operation: 'write',
      score: 0.5,
    });
  });

  test('stays short whatever the schema holds', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [`parameter_${i}`, { type: 'string' }]),
    );
    const text = signature('t', { properties });
    expect(text.length).toBeLessThan(320);
    expect(text.endsWith(', …)')).toBe(true);
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        (schema) => signature('t', schema).length < 400,
      ),
    );
  });
});
