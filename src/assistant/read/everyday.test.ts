import { describe, expect, test } from 'vitest';
import { contextOf, pendingFor, tasksNamed } from '../../../test/fixtures/assistant.ts';
import type { DecisionContext } from '../context.ts';
import { decide } from '../decide/decide.ts';
import { classifyContext } from './classify.ts';

const LIST = [
  'book flights to Rome',
  'dinner with Sam on friday',
  'gym at 6am and swim at 8am',
  'send invoice to Acme',
  'dentist 9.30 tuesday',
  '✓renew passport',
];
const TASKS = tasksNamed(...LIST);
const SHOWN = TASKS.map(({ task_id }) => task_id);

function decided(message: string, more: Partial<DecisionContext> = {}) {
  const context = contextOf(message, { list: LIST, shown: SHOWN, ...more });
  return decide(context, classifyContext(context));
}
const done = (message: string, more?: Partial<DecisionContext>) =>
  decided(message, more).steps.map(({ wish }) => wish);
const said = (role: 'user' | 'assistant', content: string) => ({
  role,
  content,
  timestamp: '2026-03-01T12:00:00.000Z',
});

describe('edits', () => {
  test.each([
    ['update flights to be to Milan', 'change book flights to Rome to book flights to Milan'],
    ['make dinner with Kim', 'change dinner with Sam on friday to dinner with Kim on friday'],
    ['the dentist is at 10', 'change dentist 9.30 tuesday to dentist 10 tuesday'],
    ['dentist is at 11, not 9', 'change dentist 9.30 tuesday to dentist 11 tuesday'],
    ['remove the tuesday from the dentist', 'change dentist 9.30 tuesday to dentist 9.30'],
    ['drop "on friday" from dinner', 'change dinner with Sam on friday to dinner with Sam'],
    ['number four: send invoice to Globex', 'change send invoice to Acme to send invoice to Globex'],
    ['add 7pm to dinner', 'change dinner with Sam on friday to dinner with Sam on friday at 7pm'],
  ])('%s', (message, wish) => {
    expect(done(message)).toEqual([wish]);
  });

  test.each([
    'the flights one should say Lisbon',
    'move the gym to 7pm',
    'the flights one: book it before friday',
    'swap 1 and 2',
    'move dinner to the top',
  ])('%s changes nothing unasked', (message) => {
    expect(done(message)).toEqual([]);
  });
});

describe('one resolver for every verb and language', () => {
  test.each([
    ['remove dinner and the invoice', [1, 3]],
    ['entferne 1', [0]],
    ['supprime la deuxième', [1]],
    ['borra la última', [5]],
    ['clear the list', [0, 1, 2, 3, 4, 5]],
  ])('%s asks about these', (message, at) => {
    const { asks } = decided(message);
    const ids = [asks!, ...(asks!.others ?? [])].map(({ task_id }) => task_id);
    expect(ids.sort()).toEqual(at.map((i) => SHOWN[i]));
  });

  test('the first word of a title is a verb, and no thing', () => {
    expect(done('I finished the book yesterday')).toEqual([]);
  });

  test('“delete” alone asks which', () => {
    expect(decided('delete').question).toEqual({ about: 'DELETE_TASK' });
  });
});

describe('questions', () => {
  test.each([
    ['whats due on friday?', { words: 'friday' }],
    ['is the passport still open?', { words: 'passport' }],
    ['when is the dentist?', { words: 'dentist' }],
    ['what about Sam', { words: 'Sam' }],
    ['do i have milk on the list?', { words: 'milk' }],
    ['what did i finish', { status: 'completed' }],
    ['show me', {}],
    ['wat staat er op mijn lijst', {}],
  ])('%s', (message, filter) => {
    expect(decided(message).steps.map((step) => step.filter)).toEqual([filter]);
  });

  test('about something that no task says are talk', () => {
    expect(done('what about the news')).toEqual([]);
  });
});

describe('a conversation', () => {
  test.each(['and get stamps', 'also stamps'])('%s goes on after an added task', (message) => {
    const message_history = [said('user', 'add pay rent'), said('assistant', 'I have added “pay rent”.')];
    expect(done(message, { message_history })).toEqual([`add ${message.replace(/^(?:and|also) /, '')}`]);
    expect(done(message)).toEqual([]);
  });

  test('no refusal is the one before', () => {
    const first = decided('what time is it').say!;
    const second = decided('what time is it', { message_history: [said('assistant', first)] }).say!;
    expect(second).not.toBe(first);
  });

  test('says once that it sends no reminders', () => {
    const first = decided('remind me to call Kim at 5').steps[0]!.done;
    expect(first).toContain('I send no reminders');
    const message_history = [said('assistant', first)];
    const second = decided('remind me to buy cake', { message_history }).steps[0]!.done;
    expect(second).not.toContain('I send no reminders');
  });

  test.each(['danke!', 'merci beaucoup', 'gracias', 'grazie mille', 'obrigada', 'dank je wel'])(
    '%s is a kind word, and gets one in its language',
    (message) => {
      const { steps, question, say } = decided(message);
      expect([steps, question]).toEqual([[], undefined]);
      expect(say).toMatch(/^(?:Gern|De rien|De nada|Prego|Graag)/);
    },
  );

  test.each([
    ['wie spät ist es', 'Ich verstehe'],
    ['quel temps fait-il ?', 'Je comprends'],
    ['qué tiempo hace?', 'Entiendo'],
    ['che tempo fa?', 'Capisco'],
    ['como está o tempo?', 'Entendo'],
    ['hoe is het weer?', 'Ik begrijp'],
  ])('%s is answered in its language', (message, start) => {
    expect(decided(message).say).toContain(start);
  });
});

describe('while a delete waits', () => {
  const pending_confirmation = pendingFor(TASKS[1]!);
  test.each(['hmm what was that again', 'what are you going to delete?'])(
    '%s keeps the question',
    (message) => {
      const { pending, decision, user_intent } = decided(message, { pending_confirmation });
      expect(pending).toBeUndefined();
      expect(decision.clarification_question).toContain('dinner with Sam on friday');
      expect(user_intent.intent_type).toBe('GENERAL_CHAT');
    },
  );
  test.each(['sure', "yea i don't need it any more"])('%s is a yes', (message) => {
    const reminded = { ...pending_confirmation, reminded: true as const };
    expect(decided(message, { pending_confirmation: reminded }).pending).toBe('execute');
  });
});
