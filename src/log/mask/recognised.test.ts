import { describe, expect, test } from 'vitest';
import { toJson } from '../record/to-json.ts';
import { isIn } from './characters.ts';
import { maskText } from './mask-text.ts';
import { maskedParts } from './masked-parts.ts';
import { VENDOR_RULES, type VendorRule } from './vendor/rules.ts';

const ALPHABET = 'k7Rm2XvQ9tLb4Wz8Np3Hc6Yd5Fj1Gs0TaEwKuBoPxZiMnVqCrDhUyAfJgSlOeI';
/** A token as the vendor would make it. */
function tokenOf({ prefix, body, min }: VendorRule): string {
  const letters = [...ALPHABET].filter((letter) => isIn(body, letter.charCodeAt(0)));
  const mixed = Array.from({ length: min }, (_, i) => letters[(i * 7 + 3) % letters.length]!);
  return prefix + mixed.join('');
}

const rules = VENDOR_RULES.filter(({ keepPrefix }) => !keepPrefix);

describe('tokens of vendors', () => {
  test('there are rules for some two hundred beginnings', () => {
    expect(rules.length).toBeGreaterThan(200);
  });

  // So the ids of records, requests and sessions need no masking, whatever the time and the chance put into them.
  test('none of them fits into an id of the proxy', () => {
    const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
    const starts = rules.filter(({ prefix }) => /^[0-7][0-9A-HJKMNP-TV-Z]*$/.test(prefix));
    expect(starts.filter(({ prefix, min }) => prefix.length + min <= 26)).toEqual([]);
    for (const { prefix } of rules)
      for (let at = 0; at + prefix.length <= 26; at++) {
        const id = `0${letters}`.slice(0, at) + prefix + letters.slice(0, 26 - at - prefix.length);
        if (/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id)) expect(maskText(id)).toBe(id);
      }
  });

  test.each(rules.map((rule) => ({ rule, name: `${rule.kind} ${rule.prefix}` })))('$name', ({ rule }) => {
    const token = tokenOf(rule);
    for (const text of [`please use ${token} for this`, JSON.stringify({ note: `x\n${token}` })])
      expect(maskText(text)).not.toContain(token);
    expect(maskText(`Z${token}`)).not.toMatch(/^Z\*\*\*/);
  });

  test.each([
    ['facebook-token', `123456789012345|${ALPHABET.slice(0, 27)}`],
    ['telegram-token', `12345678:A${ALPHABET.slice(0, 34)}`],
    ['terraform-token', `${ALPHABET.slice(0, 14)}.atlasv1.${ALPHABET}`],
    ['azure-secret', `aB1~Q~${ALPHABET.slice(0, 33)}`],
    ['mailchimp-key', '0a1b2c3d4e5f60718293a4b5c6d7e8f9-us18'],
  ])('%s is known by what stands in it', (kind, token) => {
    expect(maskText(`please use ${token} for this`)).toBe(`please use ***[masked:${kind}] for this`);
  });
});

const KEY = 'x8ia72xrxrxlcqbnv7v9evf00kr3mv0h';

describe('values that belong to a name', () => {
  test.each([
    `System.setProperty("SHOP_TOKEN", "${KEY}")`,
    `<shopToken>\n    ${KEY}\n</shopToken>`,
    `var shopToken string = "${KEY}"`,
    `$shopToken .= "${KEY}"`,
    `shop_TOKEN ?= "${KEY}"`,
    `shop_key: ${KEY}`,
    `the API key of the shop is ${KEY}`,
    `deploy --token ${KEY}`,
    `<add key="ShopPassword" value="${KEY}" />`,
    `curl -u ann:${KEY} https://host/`,
    `token = '${KEY}' # was '${KEY}'`,
  ])('%s', (text) => {
    expect(maskText(text)).not.toContain(KEY);
  });

  test('a random value under a field called key is masked, in the record and for the approver', () => {
    expect(toJson({ key: KEY, partition_key: KEY, other: KEY }, 10_000)!.text).toBe(
      JSON.stringify({ key: '***[masked:key]', partition_key: KEY, other: KEY }),
    );
    expect(maskedParts({ key: KEY }, '')).toEqual([{ pointer: '/key', in: 'value', kind: 'key' }]);
  });
});

describe('passwords that only look like templates', () => {
  test.each(['my_dog', 'my-secret-dog', 'vault:x', 'op:x', 'arn:x', 'ref+x:y', 'put_it_on', 'enter-sandman'])(
    '%s',
    (value) => {
      for (const text of [
        `password=${value} then`,
        `curl -u ann:${value} https://host/`,
        `PASSWORD: "${value}"`,
      ])
        expect(maskText(text)).not.toContain(value);
    },
  );
});

describe('what only looks like a secret stays readable', () => {
  test.each([
    'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'AKIAIOSFODNN7EXAMPLE',
    'api_key = "<YOUR API KEY>"',
    'token: ${SHOP_TOKEN}',
    'token: {{ secrets.SHOP }}',
    'Authorization: Bearer $TOKEN',
    'password = var.db_password',
    'password: op://vault/item/field',
    'password: vault://kv/db#password',
    'password: insert_the_password',
    'password: process.env.PASSWORD',
    'token = get_token(user)',
    'credentialsId: "29f63271-dc2f-4734-8221-5b31b5169bac"',
    'secret_length = X25519.length',
    'export const secretKey: number',
    'withCredentials: boolean',
    'passwordVariable: "PASS"',
    'the commit that fixed the token bug is 3f786850e387550fdab836ed7e6dc881de23001b',
    'public_key: x8ia72xrxrxlcqbnv7v9evf00kr3mv0h',
    'cache_key = d41d8cd98f00b204e9800998ecf8427e',
    'GPG key: 9554F04D7259F04124DE6B476D5A82AC7E37093B',
    'docker run -u 1000:1000 image',
    'id 29f63271-dc2f-4734-8221-5b31b5169bac, sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'io.jsonwebtoken:jjwt-jackson-0.11.2',
  ])('%s', (text) => {
    expect(maskText(text)).toBe(text);
  });
});
