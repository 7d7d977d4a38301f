import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Syntax } from '../../parse-document.ts';
import { editDocument, undoDocument } from './edit-document.ts';
import type { Edit } from './edits.ts';

const FIXTURES = fileURLToPath(new URL('../../../../test/fixtures/clients/files/', import.meta.url));

const syntaxOf = (file: string): Syntax =>
  file.endsWith('toml') ? 'toml' : file.endsWith('yaml') ? 'yaml' : 'json';

const ENTRY = { type: 'http', url: 'http://h/mcp', headers: { Authorization: 'Bearer x' } };
const EDITS: Record<Syntax, Edit[]> = {
  json: [
    { at: ['mcpServers', 'mcpproxy'], value: ENTRY },
    { at: ['inputs2', { item: 'a', by: 'id' }], value: { id: 'a' } },
    { list: ['permissions', 'allow'], values: ['a', 'b'] },
    { at: ['permission', 'x'], value: 'ask' },
  ],
  toml: [
    {
      at: ['mcp_servers', 'mcpproxy'],
      value: { url: 'http://h', tools: { a: { approval_mode: 'approve' } } },
    },
  ],
  yaml: [
    { at: ['extensions', 'mcpproxy'], value: ENTRY },
    { at: ['list', { item: 'mcpproxy' }], value: { name: 'mcpproxy', ...ENTRY } },
    { list: ['user', 'always_allow'], values: ['a', 'b'] },
  ],
};

async function thereAndBack(text: string, syntax: Syntax, edits: readonly Edit[] = EDITS[syntax]) {
  const edited = await editDocument(text, syntax, edits);
  if ('problem' in edited) throw new Error(edited.problem);
  const again = await editDocument(edited.text, syntax, edits);
  const undone = await undoDocument(edited.text, syntax, edited.undo);
  return {
    edited: edited.text,
    again: 'text' in again ? again.text : again.problem,
    undone: 'text' in undone ? undone.text : undone.problem,
  };
}

describe.each([
  ['as it is', (text: string) => text],
  ['with CRLF', (text: string) => text.replaceAll('\n', '\r\n')],
  ['with a byte order mark', (text: string) => `\uFEFF${text}`],
])('a document %s', (_, change) => {
  test.each(readdirSync(FIXTURES))(
    '%s: edited twice is edited once, and the way back leads to the same bytes',
    async (file) => {
      const text = change(readFileSync(FIXTURES + file, 'utf8'));
      const { edited, again, undone } = await thereAndBack(text, syntaxOf(file));
      expect(edited).toContain('mcpproxy');
      expect(again).toBe(edited);
      expect(undone).toBe(text);
      if (text.includes('\r')) expect(edited.replaceAll('\r\n', '')).not.toContain('\n');
    },
  );
});

describe('comments and commas stay', () => {
  test.each([
    ['{ // first\n  "a": 1, // one\n  // last\n}\n'],
    ['{\n  "mcpServers": {\n    "a": {} // mine\n  } /* end */ ,\n}'],
    ['{"mcpServers":{"a":{}},"permissions":{"allow":["x"]}}'],
    ['{\n\t"mcpServers": {\n\t}\n}\n'],
    ['{}'],
    ['// nothing\n{\n}\n'],
  ])('JSON %j', async (text) => {
    const { edited, undone } = await thereAndBack(text, 'json');
    for (const comment of text.match(/\/\/ \w+|\/\* \w+/g) ?? []) expect(edited).toContain(comment);
    // A container that was written over lines may come back as {}.
    expect(undone.replace(/\{\s*\}/g, '{}')).toBe(text.replace(/\{\s*\}/g, '{}'));
  });

  test.each([
    ['extensions: {}\n'],
    ['extensions: { a: { type: x } }\nlist: [ { name: b } ]\n'],
    ['# head\nlist:\n- name: b # mine\n- name: c\n# tail\n'],
    ['a: 1'],
  ])('YAML %j', async (text) => {
    const { edited, undone } = await thereAndBack(text, 'yaml');
    for (const comment of text.match(/# \w+/g) ?? []) expect(edited).toContain(comment);
    expect(undone.trimEnd()).toBe(text.trimEnd());
  });

  test('TOML: a comment above the next table is not ours', async () => {
    const text =
      'a = 1\n\n[mcp_servers.mcpproxy]\nurl = "old"\n\n# of b\n[b]\nc = """\n[mcp_servers.mcpproxy]\n"""\n';
    expect(await editDocument(text, 'toml', EDITS.toml)).toEqual({
      problem: expect.stringMatching(/cannot be edited/),
    });
    const plain = text.replace(/c = [^]*$/, 'c = 1\n');
    const { edited, undone } = await thereAndBack(plain, 'toml');
    expect(edited).toContain('\n# of b\n[b]\nc = 1\n');
    expect(edited.match(/\[mcp_servers\.mcpproxy\]/g)).toHaveLength(1);
    expect(undone).toContain('url = "old"');
  });
});
