import { describe, expect, test } from 'vitest';
import { filesOf } from './skill-files.ts';

const OWN = 'skill://acme/forms/SKILL.md';
const uris = (...resources: unknown[]) => filesOf({ uri: OWN, resources }).map(({ uri }) => uri);

describe('the files of a skill', () => {
  test.each([
    'skill://acme/forms/references/FORMS.md',
    'skill://acme/forms/.hidden',
    'skill://acme/forms/a/../b.md',
    'skill://acme/forms/a b.md',
    'skill://acme/forms/caf%C3%A9.md',
  ])('%s is one of them', (uri) => {
    expect(uris({ uri })).toEqual([OWN, uri]);
  });

  test.each([
    ['of another skill', 'skill://acme/other/SKILL.md'],
    ['of another scheme', 'file:///etc/passwd'],
    ['of another server', 'mcpproxy://files/file:///x'],
    ['that only begins like the directory', 'skill://acme/forms-of-others/a.md'],
    ['above the directory', 'skill://acme/forms/../../secrets.md'],
    ['above the directory, escaped', 'skill://acme/forms/%2e%2e/secrets.md'],
    ['above the directory, with backslashes', 'skill://acme/forms/..\\..\\secrets.md'],
  ])('a file %s belongs to another directory', (_, uri) => {
    expect(uris({ uri }, { uri: 5 }, null, 'x')).toEqual([OWN]);
  });

  test('a SKILL.md whose fields are not in the list has none that could be the right ones', () => {
    expect(filesOf({ uri: OWN, frontmatter: 'text', resources: 'dynamic' })).toEqual([
      { uri: OWN, digest: undefined, size: undefined, frontmatter: {} },
    ]);
  });
});
