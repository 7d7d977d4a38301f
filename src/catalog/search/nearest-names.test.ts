import { expect, test } from 'vitest';
import { nameForms, nearestNames } from './nearest-names.ts';

const NAMES = [
  'files:read_text_file',
  'files:read_multiple_files',
  'files:write_file',
  'files:list_directory',
  'notes:read_text',
  'github:create_issue',
].map(nameForms);
const nearest = (wanted: string) => nearestNames(wanted, NAMES, 3);

test.each([
  ['files:read_txt', 'files:read_text_file'],
  ['files:read_text', 'files:read_text_file'],
  ['files:file_read_text', 'files:read_text_file'],
  ['files:write-fiel', 'files:write_file'],
  ['files:List.Directory', 'files:list_directory'],
  ['git:create_issue', 'github:create_issue'],
])('%s means %s', (wrong, meant) => {
  expect(nearest(wrong)[0]).toBe(meant);
});

test('the name with the fewest differences comes first, and what is unlike is not named', () => {
  expect(nearest('notes:read_txt')).toEqual(['notes:read_text']);
  expect(nearest('files:send_mail')).toEqual([]);
  expect(nearest('files:x')).toEqual([]);
});
