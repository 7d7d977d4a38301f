import { expect, test } from 'vitest';
import { API_PREFIX, routes } from '../../contract/routes/api.ts';
import { openApiDocument } from './openapi.ts';

interface Operation {
  operationId: string;
  parameters: Array<{ name: string; in: string; required: boolean; schema: object }>;
  requestBody?: object;
  responses: Record<string, object>;
}

const document = JSON.parse(JSON.stringify(openApiDocument('1.0.0'))) as {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

test('has every route of the table once, under its name', () => {
  expect(document.openapi).toBe('3.1.0');
  const found = operations.map(
    ({ path, method, operation }) => `${operation.operationId} ${method.toUpperCase()} ${path}`,
  );
  const table = Object.entries(routes).map(
    ([name, { method, path }]) => `${name} ${method} ${API_PREFIX}${path}`,
  );
  expect(found.sort()).toEqual(table.sort());
});

test('declares each path parameter, required, and no other', () => {
  for (const { path, operation } of operations) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = operation.parameters.filter((parameter) => parameter.in === 'path');
    expect(declared.map(({ name }) => name)).toEqual(inPath);
    expect(declared.every(({ required }) => required)).toBe(true);
  }
});

test('says how each route answers, errors included', () => {
  for (const { operation } of operations) {
    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining(['200', '400', '401', '403', '404', '500']),
    );
  }
  for (const name of ['addServer', 'updateServer', 'callTool', 'setOperation']) {
    expect(
      operations.find(({ operation }) => operation.operationId === name)?.operation.requestBody,
    ).toBeDefined();
  }
});

test('refers only to what is there', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
    ([, reference]) => reference!,
  );
  expect(references.length).toBeGreaterThan(50);
  for (const reference of new Set(references)) {
    const steps = reference.split('/');
    expect(steps.shift()).toBe('#');
    const target = steps.reduce<unknown>(
      (value, step) => (value as Record<string, unknown> | undefined)?.[step],
      document,
    );
    expect([reference, typeof target]).toEqual([reference, 'object']);
  }
});

test('keeps limits, allowed values and descriptions', () => {
  const parameters = document.paths['/api/v1/activity']!.get!.parameters;
  const named = (name: string) => parameters.find((parameter) => parameter.name === name);
  expect(named('limit')).toMatchObject({
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
  });
  expect(named('intent_type')?.schema).toMatchObject({ enum: ['read', 'write', 'destructive'] });
  expect(named('q')).toMatchObject({ description: expect.stringContaining('words to find') });
  expect(document.components.schemas.ServerConfig).toMatchObject({
    properties: { command: { description: expect.any(String) } },
  });
});
