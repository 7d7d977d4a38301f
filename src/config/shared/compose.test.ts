import { describe, expect, test } from 'vitest';
import { Config, SETTING_PLACES, isSharedSetting } from '../../contract/config.ts';
import { parseConfig } from '../parse.ts';
import { composeText, ineffectiveSettings, sharedText } from './compose.ts';

test('each setting is local or shared, and the local ones are read at the start', () => {
  expect(Object.keys(SETTING_PLACES).sort()).toEqual(Object.keys(Config.shape).sort());
  const local = Object.keys(SETTING_PLACES).filter((name) => !isSharedSetting(name));
  expect(local).toEqual([
    '$schema',
    'listen',
    'data_dir',
    'database_url',
    'config_source',
    'workers',
    'api_key',
  ]);
});

const FILE = `{
  // who we are
  "listen": "127.0.0.1:1",
  "quarantine": "new", // strict
  "mcpServers": { "a": { "command": "x" } }
}
`;

describe('the parts of a file', () => {
  test('the shared part has no local setting, and keeps its comments', () => {
    const text = sharedText(FILE);
    expect(text).not.toContain('listen');
    expect(text).toContain('// strict');
    expect(parseConfig(text, 'f')).toMatchObject({ quarantine: 'new', mcpServers: { a: { command: 'x' } } });
  });

  test('a configuration has the shared settings of one text and the local ones of another, whatever else these say', () => {
    const text = composeText(
      FILE,
      '{ "listen": "127.0.0.1:2", "api_key": "0123456789abcdef", "quarantine": "warn" }',
    );
    expect(parseConfig(text, 'f')).toMatchObject({
      listen: '127.0.0.1:2',
      api_key: '0123456789abcdef',
      quarantine: 'new',
    });
    expect(parseConfig(composeText('', ''), 'f')).toEqual(parseConfig('{}', 'f'));
  });

  test.each([
    ['{}', []],
    ['{ "mcpServers": {}, "listen": "127.0.0.1:3" }', []],
    ['{ "quarantine": "new" }', []],
    ['{ "quarantine": "warn", "scanner": "warn" }', ['quarantine']],
    [
      '{ "mcpServers": { "a": { "command": "y" }, "b": { "command": "z" } } }',
      ['mcpServers.a', 'mcpServers.b'],
    ],
    ['{ "servers": { "b": { "command": "z" } } }', ['mcpServers.b', 'mcpServers.a']],
  ])('of %s these have no effect: %j', (text, names) => {
    expect(ineffectiveSettings(text, parseConfig(text, 'f'), parseConfig(FILE, 'f'))).toEqual(names);
  });
});
