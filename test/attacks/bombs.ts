/** Values that are small to write and large to read. All are text: no serialiser could write the deepest. */
export const deep = (levels: number, [open, close]: readonly [string, string] = ['[', ']']): string =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;

export const manyKeys = (count: number): string => {
  const keys = Array.from({ length: count }, (_, i) => `"k${i}":0`);
  return `{${keys.join(',')}}`;
};

export const longArray = (count: number): string => `[${'0,'.repeat(count - 1)}0]`;

export const longString = (bytes: number): string => `"${'x'.repeat(bytes)}"`;

/** One in the other, as a schema. */
export const deepAnyOf = (levels: number): string => deep(levels, ['{"anyOf":[', ']}']).replace('1', '{}');

/** What is no JSON, each for a reason of its own. Bytes where it is not even text. */
export const NO_JSON: ReadonlyArray<string | Buffer> = [
  '',
  ' ',
  '{',
  '}',
  '[',
  '[1',
  '[1,',
  '[1,]',
  '[,1]',
  '[1,,2]',
  '[1 2]',
  '[1]]',
  '[1}',
  '{"a":1,}',
  '{,"a":1}',
  '{"a"}',
  '{"a":}',
  '{:1}',
  '{"a" 1}',
  '{"a":1 "b":2}',
  '{a:1}',
  "{'a':1}",
  '{1:1}',
  '{"a":1}x',
  '{"a":1}{"a":1}',
  '{"a":1} // said',
  '{"a":/*1*/2}',
  '[01]',
  '[-01]',
  '[1.]',
  '[.5]',
  '[+1]',
  '[-]',
  '[--1]',
  '[1e]',
  '[1e+]',
  '[1.e3]',
  '[0x1]',
  '[1_000]',
  '[1,000.]',
  '[NaN]',
  '[Infinity]',
  '[-Infinity]',
  '[undefined]',
  '[tru]',
  '[True]',
  '[nul]',
  '[null1]',
  '["a]',
  '["a\\"]',
  '["\\x41"]',
  '["\\u12"]',
  '["\\u12G4"]',
  '["\\ "]',
  "['a']",
  '["a\tb"]',
  '["a\nb"]',
  '["a\0b"]',
  '"\\',
  '\ufeff{}',
  '\u00a0{}',
  '<a/>',
  '#!/bin/sh',
  Buffer.from([0x22, 0xff, 0x22]),
  Buffer.from([0x22, 0xc0, 0xaf, 0x22]),
  Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
  Buffer.from([0x22, 0xe2, 0x82, 0x22]),
  Buffer.from([0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]),
  Buffer.from('{}', 'utf16le'),
  Buffer.from([0xfe, 0xff, 0x00, 0x7b, 0x00, 0x7d]),
];

/** JSON objects that are written in unusual ways, and are good all the same. */
export const STILL_JSON: readonly string[] = [
  '{}',
  ' \t\r\n{ } ',
  '{"":0}',
  '{"a":-0.0e-0}',
  '{"a":1E+2}',
  '{"a":[[],{},null,true,false,""]}',
  '{"a":"\\u0000\\"\\\\\\/\\b\\f\\n\\r\\t"}',
  '{"a":"\\ud834\\udd1e"}',
  '{"\\u0061":"\u2028\u2029\u007f"}',
  '{"a":"💥"}',
];
