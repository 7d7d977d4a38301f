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

describe('the descriptions', () => {
  const texts = (mode: (typeof MODES)[number], client?: string) =>
    Object.fromEntries(listFor(mode, client).map(({ name, description }) => [name, description!]));

  test('explain annotations, call_with and the three variants, and that the intent must match', () => {
    const { retrieve_tools: search } = texts('required');
    for (const said of ['readOnlyHint', 'destructiveHint', 'call_with', ...ToolVariant.options])
      expect(search).toContain(said);
    expect(search).toContain('Intent must match the tool variant');
  });

  test.each(ToolVariant.options)(
    '%s says what it is for, what it requires and what is refused',
    (variant) => {
      const operation = operationOf(variant);
      const [flat, nested] = [texts('required')[variant], texts('required', CODEX)[variant]];
      expect(flat).toContain(`Requires intent_operation_type='${operation}'`);
      expect(nested).toContain(`Requires intent.operation_type='${operation}'`);
      for (const text of [flat, nested]) {
        expect(text).toContain('retrieve_tools');
        expect(text).toContain(
          operation === 'destructive' ? 'regardless of annotations' : 'Refused if the server',
        );
      }
    },
  );

  test('ask for no intent where the variant says it all', () => {
    for (const client of [undefined, CODEX])
      for (const text of Object.values(texts('inferred', client))) expect(text).not.toMatch(/intent/i);
  });

  test('every tool has a title, in both places where clients look for it', () => {
    for (const { title, annotations } of listFor('required'))
      expect([title, annotations!.title]).toEqual([expect.any(String), title]);
  });
});

describe.each(MODES)('the advertised intent, operation %s', (mode) => {
  test.each(ToolVariant.options)('%s: flat, for clients in general', (variant) => {
    for (const client of [undefined, 'claude-code/2.1.0', 'not-codex-mcp-client/1', 'codex-mcp-clients/1']) {
      const { properties, required } = schemaOf(variant, mode, client);
      expect(Object.keys(properties).toSorted()).toEqual([
        'args_json',
        'intent_data_sensitivity',
        ...(mode === 'required' ? ['intent_operation_type'] : []),
        'intent_reason',
        'name',
      ]);
      if (mode === 'required') expect(properties.intent_operation_type!.enum).toEqual([operationOf(variant)]);
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
        expect(Object.keys(intent!.properties)).toEqual([
          ...(mode === 'required' ? ['operation_type'] : []),
          'data_sensitivity',
          'reason',
        ]);
        if (mode === 'required')
          expect(intent!.properties.operation_type!.enum).toEqual([operationOf(variant)]);
        const expected =
          mode === 'required' ? [['name', 'intent'], ['operation_type']] : [['name'], undefined];
        expect([required, intent!.required]).toEqual(expected);
      }
    },
  );
});
