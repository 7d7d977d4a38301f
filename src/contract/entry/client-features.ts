import { z } from 'zod';
import { Duration } from '../duration.ts';

export const FeaturePolicy = z.enum(['deny', 'ask', 'allow']);
export type FeaturePolicy = z.infer<typeof FeaturePolicy>;

const count = (fallback: number, description: string, example: number) =>
  z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(fallback)
    .meta({ description, examples: [example] });

/** What a server may ask of the client whose call it runs. */
export const ClientFeatures = z.strictObject({
  sampling: FeaturePolicy.default('ask').meta({
    description:
      'requests to the model of the client. ask: a form of the proxy asks the person at the client first, and without a form they are refused',
    examples: ['deny'],
  }),
  elicitation: z
    .enum(['deny', 'allow'])
    .default('allow')
    .meta({
      description: 'questions to the person at the client: forms and web addresses',
      examples: ['deny'],
    }),
  roots: FeaturePolicy.optional().meta({
    description:
      'the directories that the client works on. Default: allow, but deny for agent tokens, because some servers open every directory that a client names',
    examples: ['allow'],
  }),
  logging: z
    .enum(['deny', 'allow'])
    .default('allow')
    .meta({ description: 'log messages to the client', examples: ['deny'] }),
  answer_timeout: Duration.default('5m').meta({
    description: 'how long a client may take for each answer; the call waits meanwhile',
    examples: ['1m'],
  }),
  sampling_per_call: count(10, 'requests to the model within one call', 3),
  sampling_per_minute: count(30, 'requests to the model of one client per minute', 5),
  sampling_max_tokens: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(8_192)
    .meta({
      description: 'most tokens that one request to the model may ask for; more are cut to it',
      examples: [1_000],
    }),
  questions_per_call: count(20, 'questions and requests for roots within one call', 5),
});
export type ClientFeatures = z.infer<typeof ClientFeatures>;

export const DEFAULT_FEATURES: ClientFeatures = ClientFeatures.parse({});

export const Sharing = z.enum(['shared', 'per_client', 'auto']);
export type Sharing = z.infer<typeof Sharing>;
