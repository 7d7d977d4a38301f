import { z } from 'zod';

const KINDS = ['file', 'syslog', 'command', 'url'] as const;

/** Where each checkpoint is sent, outside of the data directory. */
export const Witness = z
  .strictObject({
    file: z
      .string()
      .max(4096)
      .regex(/^(\/|[A-Za-z]:[\\/])/, 'must be an absolute path')
      .optional()
      .meta({
        description: 'each checkpoint is appended to this file, best on another machine or mount',
        examples: ['/mnt/audit/mcpproxy-checkpoints.log'],
      }),
    syslog: z
      .string()
      .max(4096)
      .regex(
        /^((udp|tcp):\/\/[^/@\s]+:\d{1,5}|unix:\/[^\s]*)$/,
        'must be udp://HOST:PORT, tcp://HOST:PORT or unix:/PATH',
      )
      .optional()
      .meta({
        description: 'each checkpoint is sent to this syslog server (RFC 5424)',
        examples: ['tcp://127.0.0.1:601'],
      }),
    command: z
      .array(z.string().max(4096))
      .min(1)
      .max(64)
      .optional()
      .meta({
        description: 'program and arguments that get each checkpoint on stdin; no shell, at most 10 seconds',
        examples: [['logger', '--tag', 'mcpproxy']],
      }),
    url: z
      .url({ protocol: /^https?$/ })
      .max(4096)
      .refine((text) => !/^[a-z]+:\/\/[^/]*@/i.test(text), 'must not contain a password')
      .optional()
      .meta({
        description: 'each checkpoint is sent to this address by POST; redirects are not followed',
        examples: ['https://audit.example.com/checkpoints'],
      }),
  })
  .refine((witness) => KINDS.filter((kind) => witness[kind] !== undefined).length === 1, {
    message: 'must have exactly one of file, syslog, command and url',
  });
export type Witness = z.infer<typeof Witness>;

export const WitnessState = z.object({
  kind: z.enum(KINDS),
  target: z.string().describe('file, address without path and query, or program'),
  delivered: z.number().describe('checkpoints delivered since the start'),
  last: z
    .object({ log: z.string(), n: z.number(), at: z.string() })
    .optional()
    .describe('last checkpoint that was delivered'),
  waiting: z.number().describe('checkpoints that are not delivered yet'),
  dropped: z.number().describe('checkpoints that were given up; a later one covers them'),
  problem: z.string().optional().describe('why the last checkpoint was not delivered'),
});
export type WitnessState = z.infer<typeof WitnessState>;
