import { expect, test } from 'vitest';
import { askedOperation, namedOperation } from './asked-operation.ts';

test.each([
  ['What is on my calendar?', 'read'],
  ['list open issues', 'read'],
  ['Could you please delete the branch', 'destructive'],
  ['I want to create a page', 'write'],
  ['"Send the report to Ann"', 'write'],
  ['Hello, can you find a hotel', 'read'],
  ['issues that nobody looked at', undefined],
  ['天気', undefined],
  ['', undefined],
])('%j asks to %s', (query, operation) => {
  expect(askedOperation(query)).toBe(operation);
});

test.each([
  ['GetUserById', 'read'],
  ['jira_create_issue', 'write'],
  ['k8s-delete-pod', 'destructive'],
  ['WeatherTool', undefined],
  ['', undefined],
])('%j is named for %s', (name, operation) => {
  expect(namedOperation(name)).toBe(operation);
});
