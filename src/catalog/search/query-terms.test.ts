import { describe, expect, test } from 'vitest';
import { queryTerms } from './query-terms.ts';

const settings = { quoted: 0.3, literal: 0.1, synonym: 0 };
const weights = (query: string, known: string[] = []) =>
  Object.fromEntries(
    queryTerms(query, (term) => known.includes(term), settings).map(({ term, weight }) => [term, weight]),
  );

describe('queryTerms', () => {
  test('quoted text weighs less than the request around it', () => {
    expect(weights(`create a task 'buy milk'`)).toMatchObject({ creat: 1, task: 1, bui: 0.3, milk: 0.3 });
  });

  test('an apostrophe is not a quote', () => {
    expect(weights(`what's in the team's folder`)).toMatchObject({ team: 1, folder: 1 });
  });

  test('ids, dates and addresses weigh least', () => {
    expect(weights('events after 2025-05-05 for ann@example.com')).toMatchObject({
      event: 1,
      '2025': 0.1,
      exampl: 0.1,
    });
  });

  test('so do plain numbers and long keys', () => {
    const key = 'AQMkADAwATMAMDAAMiZhYWEtYjVjZC0wMAItMDAKAC4AAAPx';
    const found = weights(`get 10 rows of folder ${key}`);
    expect(found).toMatchObject({ get: 1, row: 1, folder: 1, '10': 0.1 });
    expect(Object.values(found).filter((weight) => weight === 1)).toHaveLength(3);
  });

  test('a word that stands both inside and outside quotes counts fully', () => {
    expect(weights(`search tasks for 'tasks'`).task).toBe(1);
  });

  test('a compound is one term where the index knows it, else its parts', () => {
    expect(weights('GitHub', ['github'])).toHaveProperty('github', 1);
    expect(weights('GitHub', ['github'])).not.toHaveProperty('git');
    expect(weights('GitHub')).toMatchObject({ git: 1, hub: 1 });
  });

  test('a verb also finds its synonyms, with less weight', () => {
    const terms = queryTerms('remove file', () => true, { ...settings, synonym: 0.5 });
    expect(terms).toContainEqual({ term: '~delet', weight: 0.5 });
  });

  test('at most 64 words count, and only the first 4000 characters are read', () => {
    const many = Array.from(
      { length: 500 },
      (_, i) => `word${String.fromCharCode(97 + (i % 26))}${String.fromCharCode(97 + Math.floor(i / 26))}x`,
    );
    expect(queryTerms(many.join(' '), () => false, settings).length).toBeLessThanOrEqual(64);
    expect(queryTerms(`${' '.repeat(5000)}needle`, () => false, settings)).toEqual([]);
  });
});
