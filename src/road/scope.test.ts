import { describe, expect, test } from 'vitest';
import { ProxyError } from '../contract/errors.ts';
import { OperationType } from '../contract/operation.ts';
import type { OperationView } from '../contract/tool.ts';
import type { TokenScope } from '../contract/token.ts';
import type { CatalogTool } from '../catalog/catalog-tool.ts';
import { audienceOf } from './scope.ts';
import { checkNameInScope, checkOperationInScope } from './steps/scope.ts';

const [READ, WRITE, DESTRUCTIVE] = OperationType.options as ['read', 'write', 'destructive'];

function token(scope: Partial<TokenScope>) {
  return { id: '1', name: 'agent', scope: { operations: [READ, WRITE, DESTRUCTIVE], ...scope } };
}

type Named = Pick<CatalogTool, 'name' | 'operation'>;
const mayCall = (token: Parameters<typeof audienceOf>[0], tool: Named) =>
  audienceOf(token)?.tool(tool as CatalogTool) ?? true;
const maySeeServer = (token: Parameters<typeof audienceOf>[0], server: string) =>
  audienceOf(token)?.server(server) ?? true;

function view(
  verdict: OperationType,
  source: OperationView['source'],
  inferred: OperationType,
): OperationView {
  return { verdict, source, inferred };
}

function refusal(act: () => void): ProxyError {
  try {
    act();
  } catch (error) {
    if (error instanceof ProxyError) return error;
    throw error;
  }
  throw new Error('it was allowed');
}

describe('operations', () => {
  const subsets: OperationType[][] = [
    [READ],
    [WRITE],
    [DESTRUCTIVE],
    [READ, WRITE],
    [READ, DESTRUCTIVE],
    [WRITE, DESTRUCTIVE],
    [READ, WRITE, DESTRUCTIVE],
  ];
  for (const operations of subsets) {
    for (const verdict of OperationType.options) {
      for (const source of ['operator', 'annotation'] as const) {
        test(`${operations.join('+')} and a tool held to ${verdict} by ${source}`, () => {
          const tool = { name: 'up:x', operation: view(verdict, source, DESTRUCTIVE) };
          const allowed = operations.includes(verdict);
          expect(mayCall(token({ operations }), tool)).toBe(allowed);
          if (allowed) return checkOperationInScope(token({ operations }), tool);
          const error = refusal(() => checkOperationInScope(token({ operations }), tool));
          expect(error).toMatchObject({
            code: 'OUT_OF_SCOPE',
            status: 403,
            exitCode: 3,
            details: { operation: verdict, may_call: { operations } },
          });
        });
      }
    }
  }

  test.each([
    // held to, from where, looks like → counts as
    [WRITE, 'default', READ, WRITE],
    [WRITE, 'default', WRITE, WRITE],
    [WRITE, 'default', DESTRUCTIVE, DESTRUCTIVE],
    [DESTRUCTIVE, 'default', READ, DESTRUCTIVE],
    [READ, 'inferred', READ, READ],
    [DESTRUCTIVE, 'inferred', DESTRUCTIVE, DESTRUCTIVE],
  ] as const)(
    'no hint: held to %s (%s), looks like %s, counts as %s',
    (...[verdict, source, inferred, counts]) => {
      for (const operation of OperationType.options) {
        const tool = { name: 'up:x', operation: view(verdict, source, inferred) };
        expect(mayCall(token({ operations: [operation] }), tool)).toBe(operation === counts);
      }
    },
  );
});

describe('names', () => {
  test.each<[Partial<TokenScope>, string, boolean]>([
    [{}, 'github:list', true],
    [{ metrics: true }, 'github:list', false],
    [{ servers: ['github'] }, 'github:list', true],
    [{ servers: ['github'] }, 'github2:list', false],
    [{ servers: ['github'] }, 'gitHub:list', false],
    [{ servers: ['git*'] }, 'github:list', true],
    [{ tools: ['github:list'] }, 'github:list', true],
    [{ tools: ['github:list'] }, 'github:list_all', false],
    [{ tools: ['github:*'] }, 'github:anything:with:colons', true],
    [{ tools: ['github:*'] }, 'githubx:list', false],
    [{ tools: ['*:list_*'] }, 'files:list_dir', true],
    [{ tools: ['*:list_*'] }, 'files:remove', false],
    // The star of a server stops at the colon.
    [{ tools: ['a*:read'] }, 'a:x:read', false],
    [{ servers: ['github'], tools: ['*:list_*'] }, 'github:list_issues', true],
    [{ servers: ['github'], tools: ['*:list_*'] }, 'files:list_dir', false],
    [{ servers: ['github'], tools: ['*:list_*'] }, 'github:delete', false],
  ])('%j names %s: %s', (scope, name, allowed) => {
    const tool = { name, operation: view(READ, 'annotation', READ) };
    expect(mayCall(token(scope), tool)).toBe(allowed);
    if (allowed) return checkNameInScope(token(scope), name);
    expect(refusal(() => checkNameInScope(token(scope), name)).code).toBe('OUT_OF_SCOPE');
  });

  test('a refusal says what the token may call, and nothing of the tool', () => {
    const { message, details } = refusal(() =>
      checkNameInScope(token({ operations: [READ], servers: ['a', 'b'], tools: ['a:*'] }), 'c:x'),
    );
    expect(message).toBe(
      "Token 'agent' may not call 'c:x': it is not among the tools that the token is for. It may call read tools of a, b among a:*; ask the operator for another token if you need more",
    );
    expect(details).toEqual({
      tool: 'c:x',
      token: 'agent',
      may_call: { operations: [READ], servers: ['a', 'b'], tools: ['a:*'] },
    });
  });

  test('servers of which nothing may be called are not named to a token', () => {
    expect(maySeeServer(token({ servers: ['a'] }), 'a')).toBe(true);
    expect(maySeeServer(token({ servers: ['a'] }), 'b')).toBe(false);
    expect(maySeeServer(token({ tools: ['a:x'] }), 'b')).toBe(false);
    expect(maySeeServer(token({ servers: ['a'], tools: ['b:x'] }), 'b')).toBe(false);
  });
});

test('a caller without a token is not restricted', () => {
  const tool = { name: 'up:x', operation: view(DESTRUCTIVE, 'operator', READ) };
  expect(mayCall(undefined, tool)).toBe(true);
  expect(maySeeServer(undefined, 'any')).toBe(true);
  checkNameInScope(undefined, 'up:x');
  checkOperationInScope(undefined, tool);
});
