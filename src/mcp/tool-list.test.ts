import { expect, test } from 'vitest';
import { tokensOf } from '../../bench/count-tokens.ts';
import { Config } from '../contract/config.ts';
import { listProxyTools } from './tool-list.ts';

test.each(['required', 'inferred'] as const)(
  'with the operation %s, the whole list costs an agent less than 1,500 tokens',
  (mode) => {
    const tools = listProxyTools(Config.parse({ intent_declaration: { operation_type: mode } }));
    expect(tokensOf({ tools })).toBeLessThan(1500);
  },
);
