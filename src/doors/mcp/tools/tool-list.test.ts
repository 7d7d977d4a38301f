import { describe, expect, test } from 'vitest';
import { tokensOf } from '../../../../bench/count-tokens.ts';
import { Config } from '../../../contract/config.ts';
import { operationOf, ToolVariant } from '../../../contract/operation.ts';
import { listProxyTools } from './tool-list.ts';

const CODEX = 'codex-mcp-client/0.166.0';
const MODES = ['required', 'inferred'] as const;

interface Schema {
  properties: Record<string, Schema & { enum?: string[]; type?: string }>;
  required?: string[];
}

function listFor(mode: (typeof MODES)[number], client?: string) {
  return listProxyTools(Config.parse({ intent_declaration: { operation_type: mode } }), client);
}

function schemaOf(variant: ToolVariant, mode: (typeof MODES)[number], client?: string): Schema {
  return listFor(mode, client).find(({ name }) => name === variant)!.inputSchema as unknown as Schema;
}

test.each(MODES.flatMap((mode) => [undefined, CODEX].map((client) => [mode, client] as const)))(
  'with the operation %s, for %s, the whole list costs an agent less than 1,500 tokens',
  (mode, client) => {
    expect(tokensOf({ tools: listFor(mode, client) })).toBeLessThan(1500);
  },
);

test('every tool asks to be in the first request of clients that defer tools', () => {
  for (const tool of listFor('required')) expect(tool._meta).toEqual({ 'anthropic/alwaysLoad': true });
});

describe.each(MODES)('the advertised intent, operation %s', (mode) => {
  test.each(ToolVariant.options)('%s: flat, for clients in general', (variant) => {
    for (const client of [undefined, 'claude-code/2.1.0', 'not-codex-mcp-client/1', 'codex-mcp-clients/1']) {
      const { properties, required } = schemaOf(variant, mode, client);
      expect(Object.keys(properties).toSorted()).toEqual([
        'args_json',
        'intent_data_sensitivity',
        'intent_operation_type',
        'intent_reason',
        'name',
      ]);
      expect(properties.intent_operation_type!.enum).toEqual([operationOf(variant)]);
      expect(required).toEqual(mode === 'required' ? ['name', 'intent_operation_type'] : ['name']);
    }
  });

  test.each(ToolVariant.options)(
    '%s: Codex, which shows three arguments, shows the name of the tool',
    (variant) => {
      for (const client of [CODEX, 'codex-mcp-client']) {
        const { properties, required } = schemaOf(variant, mode, client);
        expect(Object.keys(properties).toSorted().slice(0, 3)).toContain('name');
        const { intent } = properties;
        expect(Object.keys(intent!.properties)).toEqual(['operation_type', 'data_sensitivity', 'reason']);
        expect(intent!.properties.operation_type!.enum).toEqual([operationOf(variant)]);
        const expected =
          mode === 'required' ? [['name', 'intent'], ['operation_type']] : [['name'], undefined];
        expect([required, intent!.required]).toEqual(expected);
      }
    },
  );
});
