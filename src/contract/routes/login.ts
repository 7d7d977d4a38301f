import { z } from 'zod';

export const LoginLink = z.object({
  url: z.string().describe('link that logs in one browser, once'),
  expires_at: z.string(),
});
export type LoginLink = z.infer<typeof LoginLink>;

export const loginRoutes = {
  createLoginLink: {
    method: 'POST',
    path: '/login-links',
    summary: 'Create a link that logs in to the web UI, valid once and for ten minutes',
    output: LoginLink,
  },
} as const;
