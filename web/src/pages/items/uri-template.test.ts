import { expect, test } from 'vitest';
import { expandTemplate, namesIn } from './uri-template.ts';

test('a template asks for its names and is filled with values', () => {
  expect(namesIn('a://{x}/{+path}{?from,to}')).toEqual(['x', 'path', 'from', 'to']);
  expect(expandTemplate('a://{x}/{+path}{?from,to}', { x: 'a b', path: 'c/d', to: '3' })).toBe(
    'a://a%20b/c/d?to=3',
  );
  expect(expandTemplate('a://{x}', {})).toBe('a://{x}');
});
